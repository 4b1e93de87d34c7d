/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes on around the scenario. */
#include "lifelike.h"

static double small_size(struct life *l)
{
	return 8 * ceil(life_log(l, 16, 512) / 8);
}

/* Allocated while the program started, and kept. */
static void set_up(struct life *l, size_t s)
{
	life_early(l, s, ceil(life_log(l, .5, 20)), small_size(l), LIFE_NEVER);
}

/* Allocated and freed while the program started. */
static void started(struct life *l, size_t s)
{
	struct seep_site *site = &l->c->fake.run.sites[s];
	uint64_t blocks = (uint64_t)ceil(life_log(l, 1, 1000));

	site->born_blocks = site->died_blocks = site->ages[0] = blocks;
	site->born_bytes = site->died_bytes = blocks * (uint64_t)small_size(l);
}

/* Allocated and freed within an event, in few events or all. */
static void passing(struct life *l, size_t s)
{
	double blocks = ceil(life_log(l, 1, 10 * (double)l->n));

	life_blocks(l, s, blocks, small_size(l), 0, 0);
}

/* What is made at the first use and kept: most in the first events, some later. */
static void first_use(struct life *l, size_t s, bool late)
{
	double at = noise_uniform(l->noise), n = (double)l->n;

	at = late ? n * at * at * at : fmax(2, .02 * n) * at;
	life_blocks(l, s, 1, small_size(l), (size_t)at, LIFE_NEVER);
}

void life_crowd(struct life *l, double low, double high)
{
	size_t sites = (size_t)life_log(l, low, high), i;

	for (i = 0; i < sites; i++) {
		double kind = noise_uniform(l->noise);
		size_t s = life_site(l);

		if (l->python && noise_uniform(l->noise) < .2)
			life_stack(l, s, LIFE_BY_EXTENSION);
		if (kind < .45)
			set_up(l, s);
		else if (kind < .7)
			started(l, s);
		else if (kind < .96)
			passing(l, s);
		else
			first_use(l, s, kind > .998);
	}
	life_lingering(l, life_log(l, 1e3, 3e4));
}

void life_lingering(struct life *l, double sd)
{
	size_t sites = 2 + life_pick(l, 6), i, e;

	for (i = 0; i < sites; i++) {
		size_t s = life_site(l);
		double mean = life_log(l, .2, 8), life = life_between(l, 1, 1 + .01 * (double)l->n);
		double size = sd / sqrt(mean * life * (double)sites), k;

		for (k = life_count(l, mean * life); k > 0; k--)
			life_early(l, s, 1, size, life_age(l, life) - 1);
		for (e = 0; e < l->n; e++)
			for (k = life_count(l, mean * l->load[e]); k > 0; k--)
				life_blocks(l, s, 1, size, e, e + life_age(l, life));
	}
}

/* There were as many before the first event, and they die in the same way. */
size_t life_long_lived(struct life *l, double survivors, double size)
{
	double life = life_between(l, 1.5, 4) * (double)l->n, k;
	double early = survivors * life / (double)l->n;
	size_t s = life_site(l), e;

	life_blocks(l, s, (double)l->n * life_log(l, .5, 20), size, 0, 0);
	for (k = life_count(l, early); k > 0; k--)
		life_early(l, s, 1, size, life_age(l, life) - 1);
	for (k = life_count(l, survivors); k > 0; k--) {
		e = life_pick(l, l->n);
		life_blocks(l, s, 1, size, e, e + life_age(l, life));
	}
	return s;
}

/* Bursts of work, at least about ten in the run.  Within them the load rises and falls. */
void life_draw_load(struct life *l, double idle)
{
	double period = life_between(l, .1, .4) * (double)l->n, shift = life_between(l, 0, 6);
	double swing = life_between(l, .2, .7);
	double burst = life_log(l, 1.5, fmin(20, (double)l->n / 40));
	bool works = true;
	size_t e;

	for (e = 0; e < l->n; e++) {
		if (noise_uniform(l->noise) < 1 / burst)
			works = noise_uniform(l->noise) >= idle;
		l->load[e] = works ? 1 + swing * sin(6.2832 * (double)e / period + shift) : 0;
	}
}
