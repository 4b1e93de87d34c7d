/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What goes on besides the scenario: sites that keep what they have got or give it back within
 * some events, counters that mean nothing, and noise of RSS.
 */
#include "third.h"

/* --- sites that come and go */

static void open_actor(struct third *p, struct third_actor *a)
{
	a->habit = (enum third_habit)third_pick(p, N_HABITS);
	a->site = third_site(p, third_any_slot(p));
	a->mean = third_log(p, .3, 12);
	a->bytes = third_log(p, 24, 3000);
	a->spread = third_chance(p, .5) ? 0 : third_between(p, .1, .9);
	a->life = third_between(p, .5, 4);
	if (a->habit == RING) {
		a->capacity = 2 + third_pick(p, 20);
		a->mean = third_between(p, 1, 6);
		a->ring = seep_arena_array(&p->c->fake.arena, a->capacity, sizeof(*a->ring));
	}
	if (a->habit == SWAP) {
		a->capacity = 1;
		a->bytes = third_log(p, 1000, 60000);
		a->ring = seep_arena_array(&p->c->fake.arena, 1, sizeof(*a->ring));
	}
}

static uint32_t actor_alloc(struct third *p, const struct third_actor *a)
{
	double bytes = a->spread > 0 ? third_lopsided(p, a->bytes, a->spread) : a->bytes;

	return third_alloc(p, a->site, bytes < 400000 ? bytes : 400000);
}

/* The oldest gives way when it is full. */
static void push_ring(struct third *p, struct third_actor *a)
{
	uint32_t block = actor_alloc(p, a);

	if (a->n == a->capacity)
		third_free(p, a->ring[a->at]);
	else
		a->n++;
	a->ring[a->at] = block;
	a->at = (a->at + 1) % a->capacity;
}

static void free_later(struct third *p, const struct third_actor *a, uint32_t block)
{
	int64_t age = (int64_t)(-a->life * log(noise_uniform(p->noise)));

	third_due(p, block, p->event + (age < 25 ? age : 25), third_any_slot(p));
}

static void act(struct third *p, struct third_actor *a)
{
	size_t k = third_poisson(p, a->mean);

	switch (a->habit) {
	case TEMPORARY:
		while (k--)
			third_due(p, actor_alloc(p, a), p->event,
				  a->site % (third_last_slot(p) + 1));
		break;
	case LINGERING:
		while (k--)
			free_later(p, a, actor_alloc(p, a));
		break;
	case RING:
		while (k--)
			push_ring(p, a);
		break;
	case RARE:
		if (third_chance(p, .04))
			free_later(p, a, actor_alloc(p, a));
		break;
	case BURST:
		for (k = third_chance(p, .06) ? 5 * k : 0; k; k--)
			free_later(p, a, actor_alloc(p, a));
		break;
	case SWAP:
		push_ring(p, a);
		break;
	case N_HABITS:
		break;
	}
}

void third_background_enter(struct third *p)
{
	size_t i;

	for (i = 0; i < p->n_actors; i++)
		if (p->sites[p->actors[i].site].slot == p->slot)
			act(p, &p->actors[i]);
}

/* Tables and configuration from before the first event, never freed. */
static void load_early(struct third *p)
{
	size_t sites = 1 + third_pick(p, 12), i, k;

	for (i = 0; i < sites; i++) {
		uint32_t site = third_site(p, 0);
		double bytes = third_log(p, 30, 300000);

		for (k = 1 + third_pick(p, 30); k; k--)
			third_alloc(p, site, bytes);
	}
}

static void draw_counter(struct third *p, const char *name)
{
	double *values = third_counter(p, name), state = 0;
	double mean = third_log(p, 3, 5000), spread = third_between(p, .05, .6);
	double phi = third_chance(p, .5) ? 0 : third_between(p, .2, .95);
	size_t e;

	for (e = 0; e < p->n; e++) {
		state = phi * state + sqrt(1 - phi * phi) * noise_normal(p->noise);
		values[e] = floor(mean * exp(spread * state));
	}
}

void third_background_open(struct third *p)
{
	static const char *const names[] = { "rows", "packets", "users" };
	size_t i, n = third_pick(p, 4);

	p->base_rss = third_log(p, 1e7, 8e7) + 60 * p->jitter;
	p->tracker_base = third_between(p, 1e6, 6e6);
	load_early(p);
	p->n_actors = (size_t)third_log(p, 4, 60);
	p->actors = seep_arena_array(&p->c->fake.arena, p->n_actors, sizeof(*p->actors));
	for (i = 0; i < p->n_actors; i++)
		open_actor(p, &p->actors[i]);
	for (i = 0; i < n; i++)
		draw_counter(p, names[i]);
}

/* --- RSS */

/* White, with memory, or now and then far off. */
static void fill_coloured(struct third *p, double deviation)
{
	double phi = third_chance(p, .4) ? 0 : third_between(p, .2, .97), state = 0;
	bool heavy = third_chance(p, .3);
	size_t e;

	for (e = 0; e < p->n; e++) {
		double z = noise_normal(p->noise);

		if (heavy)
			z *= .6 / sqrt(noise_uniform(p->noise) + .02);
		state = phi * state + sqrt(1 - phi * phi) * z;
		p->wander[e] += deviation * state;
	}
}

static void fill_walk(struct third *p, double step)
{
	double level = 0;
	size_t e;

	for (e = 0; e < p->n; e++) {
		level += step * noise_normal(p->noise);
		p->wander[e] += level;
	}
}

void third_fill_wander(struct third *p)
{
	double deviation = third_log(p, 1e4, 8e5);

	p->wander = seep_arena_array(&p->c->fake.arena, p->n, sizeof(double));
	if (p->wishes & THIRD_STEADY_RSS)
		deviation = third_log(p, 4e3, 6e4);
	if (p->wishes & THIRD_LOUD_RSS)
		deviation = third_log(p, 1e6, 6e6);
	fill_coloured(p, deviation);
	if (!(p->wishes & THIRD_STEADY_RSS) && third_chance(p, .3))
		fill_walk(p, third_log(p, 2e3, 2e4));
	p->jitter = deviation / 6;
}
