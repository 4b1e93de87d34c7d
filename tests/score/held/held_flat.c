/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs whose memory, once they run, is what it is. */
#include "held.h"

#define FLAT SCORE_KIND(SEEP_KIND_FLAT)
#define CACHE SCORE_KIND(SEEP_KIND_CACHE)
#define SATURATING SCORE_KIND(SEEP_KIND_SATURATING)
#define UNDECIDED SCORE_KIND(SEEP_KIND_UNDECIDED)

/* Nothing but the background. */
static void go_on(struct held *h)
{
	while (held_next(h))
		while (held_phase(h))
			;
	held_close(h);
}

void held_flat_quiet(struct score_case *c, size_t n, struct noise *noise)
{
	struct held h;

	held_open(&h, c, n, noise, true);
	h.memory.noise = HELD_WHITE;
	held_truth(&h, FLAT, 0);
	go_on(&h);
}

/* A compiler daemon: most files are small, and then there is one of 40 000 lines. */
void held_flat_tails(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *tree, *text;
	struct held h;

	held_open(&h, c, n, noise, true);
	h.memory.noise = HELD_TAILS;
	h.memory.trims = h.memory.decay <= 0;
	tree = held_site_somewhere(&h);
	text = held_site_somewhere(&h);
	while (held_next(&h)) {
		double lines = fmin(400 * pow(noise_uniform(noise), -1 / 1.3), 40000);

		while (held_phase(&h)) {
			if (h.phase == tree->phase)
				held_alloc(&h, tree, (uint64_t)(lines * 6), 72, 0);
			if (h.phase == text->phase)
				held_alloc(&h, text, 1, lines * 34, (double)held_pick(&h, 3));
		}
	}
	held_truth(&h, FLAT, 0);
	held_close(&h);
}

/* A server with as many sessions as the time of the day wants. */
void held_flat_days(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *session;
	double mean, size;
	struct held h;

	held_open(&h, c, n, noise, true);
	h.memory.noise = HELD_DAYS;
	session = held_site_somewhere(&h);
	mean = held_between(&h, 2, 8);
	size = held_log_between(&h, 500, 20000);
	held_alloc(&h, session, (uint64_t)(3 * mean), size, 3);
	while (held_next(&h)) {
		double light = 1 + .8 * sin(6.2831853 * (double)h.event / h.day_events);
		uint64_t i, born = held_poisson(&h, mean * light);

		while (held_phase(&h))
			for (i = 0; h.phase == session->phase && i < born; i++)
				held_alloc(&h, session, 1, size,
					   floor(held_exponential(&h, 3)));
	}
	held_truth(&h, FLAT, 0);
	held_close(&h);
}

/* Pages of mapped files come and go with what else the machine does. */
void held_flat_wander(struct score_case *c, size_t n, struct noise *noise)
{
	struct held h;

	held_open(&h, c, n, noise, true);
	h.memory.noise = HELD_SLOW;
	h.memory.noise_bytes = 2 * HELD_MB;
	h.memory.level = 2 * HELD_MB * noise_normal(noise);
	h.memory.file_bytes = 30 * HELD_MB;
	h.memory.noise_in_files = true;
	held_truth(&h, FLAT | UNDECIDED, 0);
	go_on(&h);
}

/* The kernel makes huge pages of small ones and takes them apart again. */
void held_flat_huge_pages(struct score_case *c, size_t n, struct noise *noise)
{
	struct held h;

	held_open(&h, c, n, noise, true);
	h.memory.n_huge = 1 + held_pick(&h, 5);
	h.memory.huge_flips = held_between(&h, .1, .4);
	h.memory.noise_bytes = fmin(h.memory.noise_bytes, 200 * HELD_KB);
	held_truth(&h, FLAT, 0);
	go_on(&h);
}

/*
 * An LRU cache of so many entries: what was not asked for the longest goes.  Each event
 * inserts some that were not in it.
 */
static void make_lru(struct score_case *c, size_t n, struct noise *noise, double part)
{
	double size, rate, filled = part * (double)n, capacity;
	struct held_site *cache;
	struct held h;
	int64_t oldest = 0;

	held_open(&h, c, n, noise, true);
	cache = held_site_somewhere(&h);
	rate = held_log_between(&h, 4, 40);
	size = floor(held_log_between(&h, 200, 8000));
	capacity = floor(rate * filled);
	while (held_next(&h)) {
		uint64_t born = held_poisson(&h, rate * h.load[h.event]);

		while (held_phase(&h)) {
			if (h.phase != cache->phase)
				continue;
			held_alloc(&h, cache, born, size, HELD_FOREVER);
			while ((double)held_blocks(cache) > capacity) {
				uint64_t many = held_blocks(cache) - (uint64_t)capacity;

				while (!cache->blocks[oldest])
					oldest++;
				if (many > cache->blocks[oldest])
					many = cache->blocks[oldest];
				held_free(&h, cache, oldest, many, (double)many * size);
			}
		}
	}
	held_truth(&h, CACHE | FLAT | SATURATING, NAN);
	held_close(&h);
}

void held_flat_lru_short(struct score_case *c, size_t n, struct noise *noise)
{
	make_lru(c, n, noise, .08);
}

void held_flat_lru_long(struct score_case *c, size_t n, struct noise *noise)
{
	make_lru(c, n, noise, .4);
}

/* Answers are kept for some seconds; how many events that is depends on the traffic. */
void held_flat_ttl(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *cache;
	double ttl, rate, size;
	int64_t *born_ns, oldest = 0;
	struct held h;

	held_open(&h, c, n, noise, true);
	cache = held_site_somewhere(&h);
	ttl = held_between(&h, .06, .15) * (double)n * h.event_ns;
	rate = held_log_between(&h, 3, 30);
	size = floor(held_log_between(&h, 300, 6000));
	born_ns = seep_arena_array(&h.arena, n, sizeof(*born_ns));
	while (held_next(&h)) {
		born_ns[h.event] = c->fake.now_ns;
		while (held_phase(&h)) {
			if (h.phase != cache->phase)
				continue;
			for (; (double)(c->fake.now_ns - born_ns[oldest]) > ttl; oldest++)
				held_free(&h, cache, oldest, cache->blocks[oldest],
					  (double)cache->bytes[oldest]);
			held_alloc(&h, cache, held_poisson(&h, rate * h.load[h.event]), size,
				   HELD_FOREVER);
		}
	}
	held_truth(&h, CACHE | FLAT | SATURATING, NAN);
	held_close(&h);
}

/* Geometry and tables are read when the first event needs them. */
void held_flat_first_event(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *table, *nodes;
	struct held h;

	held_open(&h, c, n, noise, true);
	table = held_site_somewhere(&h);
	nodes = held_site_somewhere(&h);
	while (held_next(&h))
		while (held_phase(&h)) {
			if (h.event == 0 && h.phase == table->phase)
				held_alloc(&h, table, 1, 5 * HELD_MB, HELD_FOREVER);
			if (h.event == 0 && h.phase == nodes->phase)
				held_alloc(&h, nodes, 16384, 128, HELD_FOREVER);
		}
	held_truth(&h, FLAT, 0);
	held_close(&h);
}

/* What a reader may still hold is freed five events later. */
void held_flat_deferred(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *site;
	double rate, size;
	struct held h;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	rate = held_log_between(&h, 5, 200);
	size = held_log_between(&h, 64, 2000);
	while (held_next(&h))
		while (held_phase(&h))
			if (h.phase == site->phase)
				held_alloc(&h, site, held_poisson(&h, rate * h.load[h.event]),
					   size, fmin(5, (double)n / 15));
	held_truth(&h, FLAT, 0);
	held_close(&h);
}

/* One image is shown while the next one is drawn; at times the window has another size. */
void held_flat_double_buffer(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *image;
	double bytes;
	struct held h;

	held_open(&h, c, n, noise, true);
	image = held_site_somewhere(&h);
	bytes = held_log_between(&h, 200 * HELD_KB, 8 * HELD_MB);
	while (held_next(&h)) {
		double now = held_chance(&h, .06) ? bytes * held_between(&h, .5, .99) : bytes;

		while (held_phase(&h))
			if (h.phase == image->phase)
				held_alloc(&h, image, 1, now, 2);
	}
	held_truth(&h, FLAT, 0);
	held_close(&h);
}

void held_flat_rss_only(struct score_case *c, size_t n, struct noise *noise)
{
	static const enum held_noise kinds[] = { HELD_WHITE, HELD_BURSTS, HELD_TAILS,
						 HELD_UNEVEN };
	struct held h;

	held_open(&h, c, n, noise, false);
	h.memory.noise = kinds[held_pick(&h, 4)];
	h.memory.trims = h.memory.decay <= 0;
	h.memory.noise_bytes = fmax(h.memory.noise_bytes, 64 * HELD_KB);
	h.memory.warm_bytes = h.memory.n_huge = 0;
	held_truth(&h, FLAT, 0);
	go_on(&h);
}
