/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growth that is not in live blocks: of the allocator, of mappings; and runs without heap data. */
#include "third_scenarios.h"

#define FLAT SCORE_KIND(SEEP_KIND_FLAT)
#define SATURATING SCORE_KIND(SEEP_KIND_SATURATING)
#define STEP SCORE_KIND(SEEP_KIND_STEP)
#define SAWTOOTH SCORE_KIND(SEEP_KIND_SAWTOOTH)
#define RETENTION SCORE_KIND(SEEP_KIND_RETENTION)
#define FRAGMENTATION SCORE_KIND(SEEP_KIND_FRAGMENTATION)
#define NON_HEAP SCORE_KIND(SEEP_KIND_NON_HEAP)
#define GROWTH SCORE_KIND(SEEP_KIND_GROWTH)
#define CACHE SCORE_KIND(SEEP_KIND_CACHE)
#define UNDECIDED SCORE_KIND(SEEP_KIND_UNDECIDED)

#define BATCH_BYTES 8000
#define BATCH_RESIDENT 8192.0   /* what such a block takes in pages */

/* --- what the allocator keeps */

/* A batch that is gone by the end of its event. */
static void run_batch(struct third *p, uint32_t site, double blocks)
{
	size_t k;

	for (k = blocks > 0 ? (size_t)blocks : 0; k; k--)
		third_due(p, third_alloc(p, site, BATCH_BYTES), p->event, third_last_slot(p));
}

/* Before the last slot, where the batch is freed, so that it has a peak. */
static uint32_t batch_site(struct third *p)
{
	return third_site(p, (uint32_t)third_pick(p, third_last_slot(p)));
}

/* Batches get larger from event to event, and the allocator keeps the pages. */
void third_retention(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_PHASES | THIRD_KEEPS_PAGES);
	uint32_t site = batch_site(p);
	double added = third_log(p, 1e7, 5e7) / BATCH_RESIDENT / (double)n, base = 400;

	while (third_next(p))
		run_batch(p, site, base + added * (double)p->event +
			  third_between(p, -2, 2) * added);
	third_truth_rate(p, RETENTION, added * BATCH_RESIDENT, THIRD_NONE);
	third_close(p);
}

/* A vector doubles up to what an event needs; the longest one so far decides. */
void third_retention_by_maximum(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_KEEPS_PAGES);
	uint32_t site = third_site(p, third_any_slot(p));
	double *steps = third_counter(p, "steps"), mean = third_log(p, 1000, 10000);
	double each = third_log(p, 3e6, 2e7) / mean;

	while (third_next(p)) {
		double part = 1 + 2 * (double)p->event / (double)n, bytes = 65536;
		uint32_t block = third_alloc(p, site, bytes), larger;

		steps[p->event] = floor(third_lopsided(p, mean * part, .15));
		for (; bytes < each * steps[p->event]; block = larger) {
			bytes = bytes * 2 < each * steps[p->event] ? bytes * 2 :
				each * steps[p->event] + 1;
			larger = third_alloc(p, site, bytes);
			third_free(p, block);
		}
		third_free(p, block);
	}
	third_truth(p, RETENTION);
	c->truth.drivers[0] = "steps";
	third_close(p);
}

/* Peaks without a trend: the level rises with each record, which become rare. */
void third_retention_by_records(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_PHASES | THIRD_KEEPS_PAGES);
	uint32_t site = batch_site(p);
	double mean = third_log(p, 100, 600);

	while (third_next(p))
		run_batch(p, site, third_lopsided(p, mean, .5));
	third_truth(p, RETENTION | SATURATING | STEP | FLAT | UNDECIDED);
	third_close(p);
}

/* --- pages that survivors keep */

#define FASHIONS 22u
#define FIRST_CLASS 9u
#define UNITS_EACH 6            /* units of a burst for each block that stays */

/*
 * A table of fixed length whose entries are replaced now and then, among blocks of the same
 * size that are gone with the event.  The size is in fashion for some time: when it has
 * changed, the entries keep pages that nobody else can use.
 */
struct table {
	uint32_t site, temporary, *entries, order[FASHIONS];
	size_t n, each;
};

static double draw_size(uint32_t fashion)
{
	return third_heap_class_bytes(FIRST_CLASS + fashion);
}

static struct table open_table(struct third *p)
{
	struct table t = { .site = third_site(p, 0), .temporary = third_site(p, 0) };
	size_t i;

	t.each = 6 + third_pick(p, 9);
	t.n = t.each * p->n;
	t.entries = seep_arena_array(&p->c->fake.arena, t.n, sizeof(*t.entries));
	for (i = 0; i < t.n; i++)
		t.entries[i] = third_alloc(p, t.site, draw_size((uint32_t)third_pick(p, FASHIONS)));
	for (i = 0; i < FASHIONS; i++) {
		size_t at = third_pick(p, i + 1);

		t.order[i] = t.order[at];
		t.order[at] = (uint32_t)i;
	}
	return t;
}

static void burst(struct third *p, struct table *t, double bytes)
{
	size_t blocks = (size_t)(UNITS_EACH * THIRD_UNIT / bytes), i, k;

	for (i = 0; i < t->each; i++) {
		size_t at = third_pick(p, t->n);

		for (k = 0; k < blocks; k++)
			third_due(p, third_alloc(p, t->temporary, bytes), p->event, 1);
		third_free(p, t->entries[at]);
		t->entries[at] = third_alloc(p, t->site, bytes);
	}
}

void third_fragmentation(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_PHASES | THIRD_KEEPS_PAGES);
	struct table t = open_table(p);

	while (third_next(p))
		burst(p, &t, draw_size(t.order[(size_t)p->event * FASHIONS / n]));
	third_truth(p, FRAGMENTATION);
	third_close(p);
}

/* The fashions come back: their pages serve them again. */
void third_fragmentation_ends(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_PHASES | THIRD_KEEPS_PAGES);
	struct table t = open_table(p);

	while (third_next(p))
		burst(p, &t, draw_size(t.order[(size_t)p->event * 2 * FASHIONS / n % FASHIONS]));
	third_truth(p, FRAGMENTATION | SATURATING);
	third_close(p);
}

/* A leak, and three times as much retention. */
void third_leak_and_retention(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_PHASES | THIRD_KEEPS_PAGES);
	uint32_t batch = batch_site(p), site = third_site(p, p->sites[batch].slot);
	double added = third_log(p, 1e7, 4e7) / BATCH_RESIDENT / (double)n;
	double bytes = floor(added * BATCH_RESIDENT / 3);

	while (third_next(p)) {
		run_batch(p, batch, 300 + added * (double)p->event);
		third_alloc(p, site, bytes);
	}
	third_truth_leak(p, bytes, site);
	third_close(p);
}

/* --- outside the heap */

static void run_outside(struct third *p, uint32_t kind, double bytes, double part, double least)
{
	uint32_t site = third_outside(p, third_any_slot(p), kind, part);
	double often = third_between(p, least, 1);

	while (third_next(p))
		if (third_chance(p, often))
			third_alloc(p, site, bytes);
	third_truth_rate(p, NON_HEAP, often * bytes * part, site);
}

void third_mappings(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);

	run_outside(p, SEEP_MEMORY_MMAP, THIRD_PAGE * floor(third_log(p, 16, 512)), 1, .5);
	third_close(p);
}

/* Threads that are never joined; little of each stack is in memory. */
void third_stacks(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_STEADY_RSS);

	run_outside(p, SEEP_MEMORY_STACK, 8388608, (double)(2 + third_pick(p, 20)) / 2048, .4);
	third_close(p);
}

/* A pool of its own on top of the break. */
void third_break(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);

	run_outside(p, SEEP_MEMORY_BRK, 262144, 1, .3);
	third_close(p);
}

/* A large file is mapped at the start and read through. */
void third_file(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_outside(p, 0, SEEP_MEMORY_MMAP, 0);
	int64_t bytes = THIRD_PAGE * (int64_t)third_log(p, 20, 400);

	third_alloc(p, site, 2.0 * (double)n * (double)bytes);
	while (third_next(p))
		p->file_bytes += bytes;
	third_truth_rate(p, NON_HEAP, (double)bytes, THIRD_NONE);
	third_close(p);
}

/* Code that is made while the program runs: soon all of it is there. */
void third_jit(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, 0);
	uint32_t site = third_outside(p, third_any_slot(p), SEEP_MEMORY_MMAP, 1);
	double tau = third_between(p, .03, .1) * (double)n, most = third_log(p, 20, 200);
	size_t k;

	while (third_next(p)) {
		double e = (double)p->event;

		k = third_poisson(p, most * (exp(-e / tau) - exp(-(e + 1) / tau)));
		for (; k; k--)
			third_alloc(p, site, 65536);
	}
	third_truth(p, SATURATING | CACHE | STEP | FLAT);
	third_close(p);
}

/* --- RSS alone */

void third_rss_flat(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_NO_HEAP);

	while (third_next(p))
		;
	third_truth(p, FLAT | UNDECIDED);
	third_close(p);
}

void third_rss_growth(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_NO_HEAP | THIRD_STEADY_RSS);
	uint32_t site = third_site(p, third_any_slot(p));
	double bytes = THIRD_PAGE * floor(third_log(p, 8, 200));

	while (third_next(p))
		third_alloc(p, site, bytes);
	third_truth_rate(p, GROWTH, bytes, THIRD_NONE);
	third_close(p);
}

void third_rss_saturating(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_NO_HEAP | THIRD_STEADY_RSS);
	uint32_t site = third_site(p, third_any_slot(p));
	double tau = third_between(p, .08, .14) * (double)n, most = third_log(p, 150, 1000);
	size_t k;

	while (third_next(p)) {
		double e = (double)p->event;

		k = third_poisson(p, most * (exp(-e / tau) - exp(-(e + 1) / tau)));
		for (; k; k--)
			third_alloc(p, site, 40960);
	}
	third_truth(p, SATURATING);
	third_close(p);
}

void third_rss_step(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_NO_HEAP | THIRD_STEADY_RSS);
	uint32_t site = third_site(p, third_any_slot(p));
	int64_t when = (int64_t)(third_between(p, .25, .75) * (double)n);
	double bytes = third_log(p, 4e6, 4e7);

	while (third_next(p))
		if (p->event == when)
			third_alloc(p, site, bytes);
	third_truth(p, STEP);
	third_close(p);
}

void third_rss_teeth(struct score_case *c, size_t n, struct noise *noise)
{
	struct third *p = third_open(c, n, noise, THIRD_NO_HEAP | THIRD_STEADY_RSS);
	uint32_t site = third_site(p, third_any_slot(p));
	int64_t period = 4 + (int64_t)third_pick(p, n / 12), next = period;

	p->heap.returns_large = true;
	while (third_next(p)) {
		if (p->event >= next)
			next += period;
		third_due(p, third_alloc(p, site, 400000), next, 0);
	}
	third_truth(p, SAWTOOTH | FLAT);
	third_close(p);
}
