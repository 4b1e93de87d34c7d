/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RSS grows, and the live heap does not: pages that stay, and memory outside the heap. */
#include "held.h"

#define UNTIL_SEEN 25 /* RSS must grow by so many times its noise to be judged at all */

/* The noise of RSS is small beside what grows, and the C library's allocator is known. */
static void keep_quiet(struct held *h, double growth_bytes)
{
	h->memory.allocator = "glibc";
	h->memory.decay = 0;
	h->memory.noise_bytes = fmin(h->memory.noise_bytes, growth_bytes / UNTIL_SEEN);
	h->memory.slack_bytes = fmin(h->memory.slack_bytes, growth_bytes / UNTIL_SEEN);
	h->memory.warm_bytes = fmin(h->memory.warm_bytes, growth_bytes / UNTIL_SEEN);
	h->memory.n_huge = 0;
	h->memory.probed = true;
}

/*
 * Each event's scratch memory is freed, but for a small block that lies on top of it and lives
 * a little longer; the next event's does not fit below.
 */
void held_pages_retention(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *scratch, *pin;
	double bytes;
	struct held h;

	held_open(&h, c, n, noise, true);
	bytes = held_log_between(&h, 30 * HELD_KB, 300 * HELD_KB);
	keep_quiet(&h, bytes * (double)n);
	scratch = held_site_somewhere(&h);
	pin = held_site(&h, SEEP_MEMORY_HEAP, scratch->phase);
	while (held_next(&h))
		while (held_phase(&h)) {
			double now = bytes * held_between(&h, .5, 1.5);

			if (h.phase != scratch->phase)
				continue;
			held_alloc(&h, scratch, (uint64_t)(now / 512), 512, 0);
			held_alloc(&h, pin, 1, 48, 1 + (double)held_pick(&h, 3));
			held_add_holes(&h, now);
		}
	held_truth(&h, SCORE_KIND(SEEP_KIND_RETENTION), bytes);
	held_close(&h);
}

/*
 * A vector that grows by doubling and is freed in each event: the heap keeps what the longest
 * one took, and the input gets longer as the run goes on.
 */
void held_pages_running_maximum(struct score_case *c, size_t n, struct noise *noise)
{
	double item, longer;
	struct held_site *vector;
	struct held h;
	size_t steps;

	held_open(&h, c, n, noise, true);
	item = held_between(&h, 32, 96);
	longer = held_between(&h, 2, 4);
	keep_quiet(&h, 30000 * longer * item);
	h.memory.trims = false;
	h.memory.free_gain = held_between(&h, .93, .99);
	vector = held_site_somewhere(&h);
	h.count_means[0] = h.count_means[1] = 0;
	steps = held_counter(&h, "vertices");
	while (held_next(&h)) {
		double part = (double)h.event / (double)n;
		double now = floor(20000 * (1 + longer * part) *
				   exp(.25 * noise_normal(noise)));

		h.counts[0][h.event] = (double)held_poisson(&h, 300);
		h.counts[1][h.event] = (double)held_poisson(&h, 2000);
		h.counts[steps][h.event] = now;
		while (held_phase(&h)) {
			if (h.phase != vector->phase)
				continue;
			held_alloc_heap(&h, vector, now * item, 0);
			vector->moved_blocks += (uint64_t)log2(now);
		}
	}
	held_truth(&h, SCORE_KIND(SEEP_KIND_RETENTION), NAN);
	c->truth.drivers[0] = "vertices";
	held_close(&h);
}

/*
 * A table of small entries that lie side by side at first.  In each event many short-lived
 * blocks come, some entries are replaced, and a new one stays behind on a page
 * that is free but for it: there are as many entries as before, on ever more pages.
 */
static void make_fragments(struct score_case *c, size_t n, struct noise *noise, bool plateau)
{
	double all, level = 0, life = (double)n / 6, tau = (double)n / 10, end = .65 * (double)n;
	struct held_site *crowd, *table;
	uint64_t entries, i, new;
	struct held h;

	held_open(&h, c, n, noise, true);
	all = held_log_between(&h, 6 * HELD_MB, 40 * HELD_MB);
	entries = (uint64_t)(1.1 * all / HELD_PAGE);
	keep_quiet(&h, all);
	h.memory.trims = false;
	h.memory.holes_gain = .02;
	crowd = held_site_somewhere(&h);
	table = held_site(&h, SEEP_MEMORY_HEAP, crowd->phase);
	for (i = 0; i < entries; i++)
		held_alloc(&h, table, 1, 240, 1 + floor(held_exponential(&h, life)));
	while (held_next(&h))
		while (held_phase(&h)) {
			double e = (double)h.event, now;

			if (h.phase != crowd->phase)
				continue;
			held_alloc(&h, crowd, held_poisson(&h, 1500), 240, 0);
			new = held_poisson(&h, (double)entries / (life + .5));
			for (i = 0; i < new; i++)
				held_alloc(&h, table, 1, 240,
					   1 + floor(held_exponential(&h, life)));
			now = plateau ? all * fmin(1, e / end)
				      : all * log(1 + e / tau) / log(1 + (double)n / tau);
			if (held_chance(&h, .7)) {
				held_add_holes(&h, now - level);
				level = now;
			}
		}
	table->pinning_blocks = (uint64_t)(.9 * (double)held_blocks(table));
	table->pinned_bytes = (uint64_t)(.95 * h.memory.holes_bytes);
	held_truth(&h, SCORE_KIND(SEEP_KIND_FRAGMENTATION) |
		   (plateau ? SCORE_KIND(SEEP_KIND_SATURATING) : 0), NAN);
	held_close(&h);
}

void held_pages_fragments(struct score_case *c, size_t n, struct noise *noise)
{
	make_fragments(c, n, noise, false);
}

void held_pages_fragments_plateau(struct score_case *c, size_t n, struct noise *noise)
{
	make_fragments(c, n, noise, true);
}

/* A buffer is mapped for a piece of input and not unmapped. */
void held_pages_mappings(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *site;
	double pages;
	struct held h;

	held_open(&h, c, n, noise, true);
	pages = floor(held_log_between(&h, 4, 100));
	keep_quiet(&h, pages * HELD_PAGE * (double)n);
	site = held_site(&h, SEEP_MEMORY_MMAP, 1 + held_pick(&h, h.n_phases - 1));
	while (held_next(&h))
		while (held_phase(&h))
			if (h.phase == site->phase)
				held_alloc(&h, site, 1, pages * HELD_PAGE, HELD_FOREVER);
	held_truth(&h, SCORE_KIND(SEEP_KIND_NON_HEAP), pages * HELD_PAGE);
	held_planted(&h, site);
	held_close(&h);
}

/* A thread is started for each event, ends, and nobody joins it. */
void held_pages_stacks(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *site;
	double pages;
	struct held h;

	held_open(&h, c, n, noise, true);
	pages = floor(held_between(&h, 3, 40));
	keep_quiet(&h, pages * HELD_PAGE * (double)n);
	site = held_site(&h, SEEP_MEMORY_STACK, 1 + held_pick(&h, h.n_phases - 1));
	site->resident = pages * HELD_PAGE / (8 * HELD_MB);
	while (held_next(&h))
		while (held_phase(&h))
			if (h.phase == site->phase)
				held_alloc(&h, site, 1, 8 * HELD_MB, HELD_FOREVER);
	held_truth(&h, SCORE_KIND(SEEP_KIND_NON_HEAP), pages * HELD_PAGE);
	held_planted(&h, site);
	held_close(&h);
}

/* A file of gigabytes is mapped at the start and read through, some pages in each event. */
void held_pages_file(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *site;
	double bytes;
	struct held h;

	held_open(&h, c, n, noise, true);
	bytes = floor(held_log_between(&h, 10, 300)) * HELD_PAGE;
	keep_quiet(&h, bytes * (double)n);
	site = held_site(&h, SEEP_MEMORY_MMAP, 0);
	site->resident = 0;
	held_alloc(&h, site, 1, 4096 * HELD_MB, HELD_FOREVER);
	while (held_next(&h))
		while (held_phase(&h))
			if (h.phase == 1)
				h.memory.read_bytes += floor(held_between(&h, .5, 1.5) * bytes);
	held_truth(&h, SCORE_KIND(SEEP_KIND_NON_HEAP), bytes);
	c->truth.phase = h.phase_names[1];
	c->truth.site = site->id;
	held_close(&h);
}
