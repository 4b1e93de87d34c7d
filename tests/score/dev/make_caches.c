/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What grows and stops, or comes and goes, and is no leak. */
#include "make.h"

/* The rises of a curve to its final number of blocks, taken over by some sites. */
static void saturate(struct world *w, double blocks, double size, double tau)
{
	size_t sites = 1 + draw_index(w->noise, 3), first = w->n_sites, e;
	double kept = 0, level;

	for (e = 0; e < sites; e++)
		world_add_site(w, world_inner_place(w), 0);
	for (e = 0; e < w->n; e++) {
		level = floor(blocks * (1 - exp(-((double)e + 1) / tau)));
		for (; kept < level; kept++)
			world_blocks(w, first + draw_index(w->noise, sites), 1, size, e,
				     WORLD_NEVER);
	}
}

/* Noise and samples that leave the bend of a curve of so many bytes to be seen. */
static void keep_quiet(struct world *w, double bytes)
{
	world_draw_sampling(w, bytes, 500);
	w->knobs.heap_sd = fmin(w->knobs.heap_sd, .03 * bytes);
}

void make_saturating(struct score_case *c, size_t n, struct noise *noise)
{
	double blocks = floor(draw_log(noise, 200, 3000)), size = draw_log(noise, 100, 8192);
	struct world w;

	world_start(&w, c, n, noise, true);
	size = make_matter(size, blocks);
	keep_quiet(&w, blocks * size);
	saturate(&w, blocks, size, draw_between(noise, .08, .15) * (double)n);
	world_is(&w, SATURATING);
	world_finish(&w);
}

/* It bends and does not rest: as a cache of ever rarer keys does. */
void make_saturating_slow(struct score_case *c, size_t n, struct noise *noise)
{
	double blocks = floor(draw_log(noise, 400, 3000)), size = draw_log(noise, 100, 8192);
	double tau = draw_chance(noise, .5) ? .25 : .5;
	struct world w;

	world_start(&w, c, n, noise, true);
	size = make_matter(size, blocks);
	keep_quiet(&w, blocks * size);
	saturate(&w, blocks, size, tau * (double)n);
	world_is(&w, SATURATING | CACHE | UNDECIDED);
	world_finish(&w);
}

/* A cache that evicts the oldest: its blocks live for so many events. */
static size_t add_cache(struct world *w)
{
	return world_add_site(w, world_inner_place(w), w->places - 1);
}

static void run_cache(struct world *w, double per_event, double size, size_t life, bool full)
{
	size_t s = add_cache(w), e;

	for (e = 0; full && e < life; e++)
		world_early(w, s, draw_poisson(w->noise, per_event), size, e);
	for (e = 0; e < w->n; e++)
		world_blocks(w, s, draw_poisson(w->noise, per_event), size, e, e + life);
}

/* Filled at an even pace; then each new entry takes the place of the oldest. */
void make_cache_fill(struct score_case *c, size_t n, struct noise *noise)
{
	double per_event = draw_log(noise, 3, 40), size = draw_block_size(noise);
	double part = draw_between(noise, .3, .45);
	struct world w;

	world_start(&w, c, n, noise, true);
	size = make_matter(size, per_event * part * (double)n);
	keep_quiet(&w, per_event * size * part * (double)n);
	if (draw_chance(noise, .5)) {
		run_cache(&w, per_event, size, (size_t)(part * (double)n), false);
	} else { /* or nothing more is put in */
		size_t s = add_cache(&w), e;

		for (e = 0; e < n; e++)
			world_blocks(&w, s, draw_poisson(noise, per_event), size, e,
				     (double)e < part * (double)n ? WORLD_NEVER : e);
	}
	world_is(&w, SATURATING | CACHE);
	world_finish(&w);
}

void make_cache_steady(struct score_case *c, size_t n, struct noise *noise)
{
	double part = draw_chance(noise, .5) ? .08 : .4;
	struct world w;

	world_start(&w, c, n, noise, true);
	run_cache(&w, draw_log(noise, 2, 40), draw_block_size(noise), (size_t)(part * (double)n),
		  true);
	world_is(&w, CACHE | FLAT);
	world_finish(&w);
}

/* requests of keys of which the k-th is asked for with probability p[k] (a cumulative sum). */
static size_t draw_key(struct noise *noise, const double *p, size_t keys)
{
	double u = noise_uniform(noise) * p[keys - 1];
	size_t low = 0, high = keys - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p[middle] < u)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Never evicts; power 0 is keys that are all alike, larger powers those of Zipf. */
static void run_keyed(struct world *w, size_t keys, double power, double requests, double size)
{
	double *p = seep_arena_array(&w->c->fake.arena, keys, sizeof(double));
	bool *known = seep_arena_array(&w->c->fake.arena, keys, sizeof(bool));
	size_t s = world_add_site(w, world_inner_place(w), 0), e, k;
	double i;

	for (k = 0; k < keys; k++)
		p[k] = (k ? p[k - 1] : 0) + pow((double)k + 1, -power);
	for (e = 0; e < w->n; e++)
		for (i = 0; i < requests; i++) {
			k = draw_key(w->noise, p, keys);
			if (!known[k])
				world_blocks(w, s, 1, size, e, WORLD_NEVER);
			known[k] = true;
		}
}

void make_cache_keys(struct score_case *c, size_t n, struct noise *noise)
{
	double requests = floor(draw_between(noise, 3, 20)), size = draw_block_size(noise);
	double keys = requests * (double)n * draw_between(noise, .1, .16);
	struct world w;

	world_start(&w, c, n, noise, true);
	size = make_matter(size, keys);
	keep_quiet(&w, keys * size);
	run_keyed(&w, (size_t)keys, 0, requests, size);
	world_is(&w, SATURATING | CACHE);
	world_finish(&w);
}

/* A power of 1.5 lets the number of known keys grow as n to .67. */
void make_cache_zipf(struct score_case *c, size_t n, struct noise *noise)
{
	double requests = floor(draw_between(noise, 50, 200)), size = draw_block_size(noise), keys;
	struct world w;

	world_start(&w, c, n, noise, true);
	requests = fmax(requests, 25000 / (double)n); /* a thousand keys show that they get fewer */
	keys = pow(requests * (double)n, .67);
	size = make_matter(size, keys);
	w.knobs.heap_sd = fmin(w.knobs.heap_sd, .03 * keys * size);
	run_keyed(&w, 100000, 1.5, requests, size);
	world_is(&w, SATURATING | CACHE);
	world_finish(&w);
}

/* Entries live for some time, not for some events, and events take different times. */
void make_cache_ttl(struct score_case *c, size_t n, struct noise *noise)
{
	double per_event = draw_log(noise, 2, 30), size = draw_block_size(noise), ttl, i, count;
	bool full = draw_chance(noise, .5);
	struct world w;
	size_t s, e;

	world_start(&w, c, n, noise, true);
	w.knobs.period_spread = draw_between(noise, .2, .6);
	world_draw_times(&w);
	ttl = draw_between(noise, .03, .12) * (double)n * w.knobs.period_s;
	s = add_cache(&w);
	for (i = 0; full && i < per_event * ttl / w.knobs.period_s; i++)
		world_early(&w, s, 1, size, world_event_at(&w, w.seconds[0] +
							   ttl * noise_uniform(noise)));
	for (e = 0; e < n; e++) {
		count = draw_poisson(noise, per_event);
		world_blocks(&w, s, count, size, e, world_event_at(&w, w.seconds[e] + ttl));
	}
	world_is(&w, CACHE | FLAT | (full ? 0 : SATURATING));
	world_finish(&w);
}

/* A pool takes what an event needs at most, and gives nothing back. */
void make_pool(struct score_case *c, size_t n, struct noise *noise)
{
	double mean = draw_log(noise, 30, 500), size = draw_block_size(noise), most = 0, need;
	double tau = draw_between(noise, .08, .14) * (double)n;
	struct world w;
	size_t s, e;

	world_start(&w, c, n, noise, true);
	size = make_matter(size, mean);
	keep_quiet(&w, mean * size);
	s = world_add_site(&w, world_inner_place(&w), 0);
	for (e = 0; e < n; e++) {
		need = draw_poisson(noise, mean * (1 - exp(-((double)e + 1) / tau)));
		world_blocks(&w, s, need - most, size, e, WORLD_NEVER);
		most = fmax(most, need);
	}
	world_is(&w, SATURATING | CACHE);
	world_finish(&w);
}

/* A new configuration is read, and is larger. */
void make_step(struct score_case *c, size_t n, struct noise *noise)
{
	size_t at = (size_t)(draw_between(noise, .25, .65) * (double)n), s;
	double bytes = draw_log(noise, 2e6, 32e6), size = draw_log(noise, 1000, 1e6);
	struct world w;

	world_start(&w, c, n, noise, true);
	s = world_add_site(&w, world_inner_place(&w), 0);
	world_blocks(&w, s, ceil(bytes / size), size, at, WORLD_NEVER);
	world_is(&w, STEP);
	world_finish(&w);
}

/* The event in which what was born in each event is collected. */
size_t *make_collections(struct world *w, double period)
{
	size_t *next = seep_arena_array(&w->c->fake.arena, w->n, sizeof(size_t));
	size_t e = 0, first;

	while (e < w->n) {
		size_t length = (size_t)fmax(round(period * draw_between(w->noise, .6, 1.4)), 2);

		for (first = e; e < first + length && e < w->n; e++)
			next[e] = first + length - 1;
	}
	return next;
}

void make_sawtooth(struct score_case *c, size_t n, struct noise *noise)
{
	double bytes = draw_log(noise, 2e4, 1e6), size = draw_block_size(noise), period;
	struct world w;
	size_t s, e, *next;

	world_start(&w, c, n, noise, true);
	period = draw_between(noise, 5, fmin(30, (double)n / 7));
	bytes = make_matter(bytes, period);
	keep_quiet(&w, bytes * period);
	next = make_collections(&w, period);
	s = world_add_site(&w, world_inner_place(&w), w.places - 1);
	for (e = 0; e < n; e++)
		world_blocks(&w, s, draw_poisson(noise, bytes / size), size, e, next[e]);
	world_is(&w, SAWTOOTH);
	world_finish(&w);
}
