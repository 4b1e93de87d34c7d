/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that forget blocks and do something else besides. */
#include "third_scenarios.h"

/* What is leaked in each event, with its own draws. */
struct drip {
	uint32_t site;
	double mean, bytes;
};

static struct drip open_drip(struct third *p, uint32_t slot)
{
	struct drip drip = { .site = third_site(p, slot) };

	drip.mean = third_log(p, 1, 10);
	drip.bytes = floor(third_log(p, 64, 3000));
	return drip;
}

static void leak(struct third *p, const struct drip *drip)
{
	size_t k;

	for (k = third_poisson(p, drip->mean); k; k--)
		third_alloc(p, drip->site, drip->bytes);
}

static double rate_of(const struct drip *drip)
{
	return drip->mean * drip->bytes;
}

/* After a warm-up that is ten times as large as an event's share for as long. */
void third_leak_warm(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t slot = third_any_slot(p), warm = third_site(p, slot);
	struct drip drip = open_drip(p, slot);
	double tau = third_between(p, .02, .08) * (double)n, mean = 10 * drip.mean;
	size_t k;

	while (third_next(p)) {
		k = third_poisson(p, mean * exp(-(double)p->event / tau));
		for (; k; k--)
			third_alloc(p, warm, drip.bytes);
		leak(p, &drip);
	}
	third_truth_leak(p, rate_of(&drip), drip.site);
	third_close(p);
}

/* Something is switched on in the middle of the run. */
void third_leak_late(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	struct drip drip = open_drip(p, third_any_slot(p));
	int64_t start = (int64_t)(third_between(p, .25, .55) * (double)n);

	while (third_next(p))
		if (p->event >= start)
			leak(p, &drip);
	third_truth_leak(p, rate_of(&drip), drip.site);
	third_close(p);
}

/* More and more in each event. */
void third_leak_faster(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	struct drip drip = open_drip(p, third_any_slot(p));
	double most = 2 * drip.mean + 4;

	while (third_next(p)) {
		drip.mean = most * ((double)p->event + 1) / (double)n;
		leak(p, &drip);
	}
	third_truth_leak(p, NAN, drip.site);
	third_close(p);
}

/* Two sites in two phases, one three times as bad as the other. */
void third_leak_two(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_PHASES);
	uint32_t slot = (uint32_t)third_pick(p, third_last_slot(p));
	struct drip one = open_drip(p, slot), two = open_drip(p, slot + 1);

	two.bytes = one.bytes;
	two.mean = one.mean * third_between(p, 3, 5);
	while (third_next(p)) {
		leak(p, &one);
		leak(p, &two);
	}
	third_truth_leak(p, rate_of(&one) + rate_of(&two), two.site);
	third_close(p);
}

/* Between the end of an event and the next. */
void third_leak_between(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_PHASES | THIRD_HAS_END);
	struct drip drip = open_drip(p, third_last_slot(p) + 1);

	while (third_next(p))
		leak(p, &drip);
	third_truth_leak(p, rate_of(&drip), drip.site);
	third_close(p);
}

/* Another thread, which knows nothing of phases. */
void third_leak_thread(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_PHASES);
	uint32_t sites[THIRD_SLOTS], k, slots = third_last_slot(p) + 1;
	double mean = third_log(p, 2, 20), bytes = floor(third_log(p, 64, 2000));
	size_t i;

	for (k = 0; k < slots; k++)
		sites[k] = third_site(p, k);
	while (third_next(p))
		for (k = 0; k < slots; k++)
			for (i = third_poisson(p, mean / slots); i; i--)
				third_alloc(p, sites[k], bytes);
	third_truth_leak(p, mean * bytes, THIRD_NONE);
	third_close(p);
}

/* Under a collector: what is left after each collection rises. */
void third_leak_under_teeth(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t slot = third_any_slot(p), site = third_site(p, slot);
	struct drip drip = open_drip(p, slot);
	int64_t period = 4 + (int64_t)third_pick(p, n / 10 < 30 ? n / 10 : 30), next = period;
	double bytes = third_log(p, 5000, 60000);

	drip.mean += 2;
	while (third_next(p)) {
		if (p->event >= next)
			next += (int64_t)(third_between(p, .7, 1.3) * (double)period) + 1;
		third_due(p, third_alloc(p, site, bytes), next, 0);
		leak(p, &drip);
	}
	third_truth_leak(p, rate_of(&drip), drip.site);
	third_close(p);
}

/* A cache that throws out its values and forgets the keys. */
void third_leak_of_keys(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t slot = third_any_slot(p), early = third_site(p, 0), keys, values, *ring;
	size_t capacity = 100 + third_pick(p, 400), at = 0, k;
	double mean = third_log(p, 5, 40);

	keys = third_site(p, slot);
	values = third_site(p, slot);
	ring = seep_arena_array(&c->fake.arena, capacity, sizeof(*ring));
	for (k = 0; k < capacity; k++)
		ring[k] = third_alloc(p, early, 2500);
	while (third_next(p))
		for (k = third_poisson(p, mean); k; k--) {
			third_alloc(p, keys, 48);
			third_free(p, ring[at]);
			ring[at] = third_alloc(p, values, 2500);
			at = (at + 1) % capacity;
		}
	third_truth_leak(p, mean * 48, keys);
	third_close(p);
}

/* Listeners that are never removed, and the vector that points to them. */
void third_leak_listeners(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t slot = third_any_slot(p), nodes = third_site(p, slot);
	uint32_t vector = third_site(p, slot), block = THIRD_NONE;
	size_t count = 0, room = 16, blocks = 1 + third_pick(p, 5), k;
	double bytes = 16.0 * (double)(4 + third_pick(p, 30));

	while (third_next(p))
		for (k = blocks; k; k--) {
			third_alloc(p, nodes, bytes);
			if (block == THIRD_NONE)
				block = third_alloc(p, vector, 8.0 * (double)room);
			if (++count > room)
				third_resize(p, block, 8.0 * (double)(room += room / 8 + 6));
		}
	third_truth_leak(p, (double)blocks * (bytes + 8), nodes);
	third_close(p);
}

/* --- blocks that grow */

/* A history to which each event adds, by realloc of just what is needed. */
void third_history(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p)), block = THIRD_NONE;
	double bytes = 64, added = floor(third_log(p, 200, 8000) / 8) * 8;

	while (third_next(p)) {
		third_go(p, p->sites[site].slot);
		if (block == THIRD_NONE)
			block = third_alloc(p, site, bytes);
		else
			third_resize(p, block, bytes += added);
	}
	third_truth_leak(p, added, site);
	third_close(p);
}

/*
 * The same in a vector that doubles: a stair with few steps, of which nobody can say whether
 * there will be another one.
 */
void third_history_doubles(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p)), block = THIRD_NONE;
	double added = third_log(p, 1000, 20000), bytes = 4096;

	while (third_next(p)) {
		third_go(p, p->sites[site].slot);
		if (block == THIRD_NONE)
			block = third_alloc(p, site, bytes);
		while (added * ((double)p->event + 1) > bytes)
			third_resize(p, block, bytes *= 2);
	}
	third_truth(p, SCORE_KIND(SEEP_KIND_LEAK) | SCORE_KIND(SEEP_KIND_STEP) |
		    SCORE_KIND(SEEP_KIND_UNDECIDED));
	third_close(p);
}

/* A queue that gets more than is taken from it; in order, and all of it would be. */
void third_backlog(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_site(p, third_any_slot(p)), *queue;
	double in = third_log(p, 5, 40), out = in * third_between(p, .5, .9);
	size_t head = 0, tail = 0, k, room = (size_t)(2 * in * (double)n) + 100;

	queue = seep_arena_array(&c->fake.arena, room, sizeof(*queue));
	while (third_next(p)) {
		for (k = third_poisson(p, in); k && tail < room; k--)
			queue[tail++] = third_alloc(p, site, 700);
		for (k = third_poisson(p, out); k && head < tail; k--)
			third_free(p, queue[head++]);
	}
	third_truth_rate(p, SCORE_KIND(SEEP_KIND_LEAK) | SCORE_KIND(SEEP_KIND_GROWTH),
			 700 * (in - out), site);
	if ((in - out) * (double)n < 5 * sqrt((in + out) * (double)n)) /* may still be luck */
		c->truth.kinds |= SCORE_KIND(SEEP_KIND_UNDECIDED);
	third_close(p);
}

/* --- samples only */

void third_leak_sampled(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_SAMPLED);
	struct drip drip = open_drip(p, third_any_slot(p));

	drip.mean = 5 + 4 * p->mean_sample / drip.bytes;
	drip.mean = drip.mean < 200 ? drip.mean : 200;
	while (third_next(p))
		leak(p, &drip);
	third_truth_leak(p, rate_of(&drip), drip.site);
	third_close(p);
}

void third_flat_sampled(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_SAMPLED);

	while (third_next(p))
		;
	third_truth(p, SCORE_KIND(SEEP_KIND_FLAT));
	third_close(p);
}
