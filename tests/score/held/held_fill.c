/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs whose memory grows, and then no more; or grows and falls. */
#include "held.h"

#define CACHE SCORE_KIND(SEEP_KIND_CACHE)
#define SATURATING SCORE_KIND(SEEP_KIND_SATURATING)
#define UNDECIDED SCORE_KIND(SEEP_KIND_UNDECIDED)

/* A wrong order at start-up: modules are registered, and again, until all have come. */
void held_fill_stopped(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *site;
	int64_t last = (int64_t)(.6 * (double)n);
	double size;
	struct held h;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	size = held_log_between(&h, 2000, 60000);
	while (held_next(&h))
		while (held_phase(&h))
			if (h.phase == site->phase && h.event < last)
				held_alloc(&h, site, 4, size, HELD_FOREVER);
	held_truth(&h, SATURATING, NAN);
	held_close(&h);
}

/*
 * Names are interned: each new one is a block that stays, and the more are known the fewer
 * are new, with a time of tau events.
 */
static void make_interned(struct score_case *c, size_t n, struct noise *noise, double tau,
			  unsigned int kinds, bool heap)
{
	double all, size;
	struct held_site *site;
	struct held h;

	held_open(&h, c, n, noise, heap);
	site = held_site_somewhere(&h);
	all = held_log_between(&h, 1500, 20000);
	size = held_log_between(&h, 400, 3000);
	if (!heap) {
		size = fmax(size, 40 * h.memory.noise_bytes / all);
		h.memory.noise = held_chance(&h, .5) ? HELD_WHITE : HELD_UNEVEN;
		h.memory.warm_bytes = h.memory.n_huge = 0;
	}
	while (held_next(&h)) {
		double left = all - (double)held_blocks(site);
		uint64_t born = held_poisson(&h, left * (1 - exp(-1 / tau)));

		while (held_phase(&h))
			if (h.phase == site->phase)
				held_alloc(&h, site, born, size, HELD_FOREVER);
	}
	held_truth(&h, kinds, NAN);
	held_close(&h);
}

void held_fill_eighth(struct score_case *c, size_t n, struct noise *noise)
{
	make_interned(c, n, noise, (double)n / 8, SATURATING | CACHE, true);
}

void held_fill_quarter(struct score_case *c, size_t n, struct noise *noise)
{
	make_interned(c, n, noise, (double)n / 4, SATURATING | CACHE | UNDECIDED, true);
}

void held_fill_half(struct score_case *c, size_t n, struct noise *noise)
{
	make_interned(c, n, noise, (double)n / 2, SATURATING | CACHE | UNDECIDED, true);
}

void held_fill_rss_only(struct score_case *c, size_t n, struct noise *noise)
{
	make_interned(c, n, noise, (double)n / 8, SATURATING, false);
}

/* A cache of blocks of a disk: fills at an even pace; when it is full, any of them goes. */
void held_fill_linear(struct score_case *c, size_t n, struct noise *noise)
{
	double size, capacity, rate;
	struct held_site *cache;
	struct held h;

	held_open(&h, c, n, noise, true);
	cache = held_site_somewhere(&h);
	rate = floor(held_log_between(&h, 4, 30));
	size = floor(held_log_between(&h, 4000, 20000));
	capacity = floor(rate * .4 * (double)n);
	while (held_next(&h))
		while (held_phase(&h)) {
			if (h.phase != cache->phase)
				continue;
			while ((double)held_blocks(cache) > capacity - rate) {
				int64_t at = (int64_t)held_pick(&h, (size_t)h.event + 1);

				if (cache->blocks[at])
					held_free(&h, cache, at, 1, size);
			}
			held_alloc(&h, cache, (uint64_t)rate, size, HELD_FOREVER);
		}
	held_truth(&h, SATURATING | CACHE, NAN);
	held_close(&h);
}

/* Conditions of a detector by cell: each is looked up when first hit, and there are so many. */
void held_fill_keys(struct score_case *c, size_t n, struct noise *noise)
{
	size_t keys, i, asked, cells, counter;
	struct held_site *site;
	double size;
	bool *known;
	struct held h;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	keys = 500 + held_pick(&h, 3000);
	known = seep_arena_array(&h.arena, keys, sizeof(*known));
	size = held_log_between(&h, 1000, 6000);
	cells = (size_t)((double)keys / (double)n * held_between(&h, 7, 14)) + 1;
	counter = held_counter(&h, "cells");
	while (held_next(&h)) {
		asked = (size_t)held_poisson(&h, (double)cells * h.load[h.event]);
		h.counts[counter][h.event] = (double)asked;
		while (held_phase(&h))
			for (i = 0; h.phase == site->phase && i < asked; i++) {
				bool *key = &known[held_pick(&h, keys)];

				if (!*key)
					held_alloc(&h, site, 1, size, HELD_FOREVER);
				*key = true;
			}
	}
	held_truth(&h, CACHE | SATURATING, NAN);
	held_close(&h);
}

/* Words of a language: there is always a new one, and ever more seldom. */
void held_fill_zipf(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *site;
	double scale, size;
	struct held h;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	scale = held_log_between(&h, 60, 600);
	size = held_log_between(&h, 100, 1500);
	while (held_next(&h)) {
		double e = (double)h.event;
		double new = scale * (pow(e + 1, .67) - pow(e, .67));

		while (held_phase(&h))
			if (h.phase == site->phase)
				held_alloc(&h, site, held_poisson(&h, new), size, HELD_FOREVER);
	}
	held_truth(&h, CACHE | (n < 200 ? UNDECIDED : 0), NAN);
	held_close(&h);
}

/* Connections take their buffers from a pool, which has as many as were ever in use at once. */
void held_fill_pool(struct score_case *c, size_t n, struct noise *noise)
{
	double chunk, busy, most = 0;
	struct held_site *site;
	struct held h;

	held_open(&h, c, n, noise, true);
	site = held_site_somewhere(&h);
	chunk = held_log_between(&h, 16000, 100000);
	busy = held_log_between(&h, 30, 200);
	while (held_next(&h)) {
		double ramp = fmin(1, (double)(h.event + 1) / (.12 * (double)n));
		double now = ramp * busy + .4 * sqrt(busy) * fmin(noise_normal(noise), 1.2);

		while (held_phase(&h))
			if (h.phase == site->phase && now > most) {
				held_alloc(&h, site, (uint64_t)(now - most) + 1, chunk,
					   HELD_FOREVER);
				most += floor(now - most) + 1;
			}
	}
	held_truth(&h, SATURATING, NAN);
	held_close(&h);
}

/* A new configuration is loaded: it has more tables than the old one, which is freed. */
void held_fill_step(struct score_case *c, size_t n, struct noise *noise)
{
	int64_t when = (int64_t)(.37 * (double)n);
	struct held_site *tables;
	struct held h;

	held_open(&h, c, n, noise, true);
	tables = held_site_somewhere(&h);
	held_alloc(&h, tables, 128, 32000, (double)when + 1);
	while (held_next(&h))
		while (held_phase(&h))
			if (h.phase == tables->phase && h.event == when)
				held_alloc(&h, tables, 128 + 524, 32000, HELD_FOREVER);
	held_truth(&h, SCORE_KIND(SEEP_KIND_STEP), NAN);
	held_close(&h);
}

/* Garbage of several events in a row, until somebody collects it. */
void held_fill_collector(struct score_case *c, size_t n, struct noise *noise)
{
	struct held_site *garbage;
	double rate, size, mean;
	int64_t next, e;
	struct held h;

	held_open(&h, c, n, noise, true);
	garbage = held_site_somewhere(&h);
	size = floor(held_log_between(&h, 60, 600));
	mean = (double)n / held_between(&h, 9, 20);
	rate = held_log_between(&h, 400 * HELD_KB, 6 * HELD_MB) / (mean * size);
	next = (int64_t)(mean * held_between(&h, .5, 1.5));
	while (held_next(&h))
		while (held_phase(&h)) {
			if (h.phase != garbage->phase)
				continue;
			held_alloc(&h, garbage, held_poisson(&h, rate * h.load[h.event]), size,
				   HELD_FOREVER);
			if (h.event < next)
				continue;
			for (e = 0; e <= h.event; e++)
				held_free(&h, garbage, e, garbage->blocks[e],
					  (double)garbage->bytes[e]);
			next = h.event + 1 + (int64_t)(mean * held_between(&h, .5, 1.5));
		}
	held_truth(&h, SCORE_KIND(SEEP_KIND_SAWTOOTH), NAN);
	held_close(&h);
}
