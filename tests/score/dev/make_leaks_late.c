/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaks that do not go on at the same pace, or that hide behind something else. */
#include "make.h"

static size_t add_leak(struct world *w)
{
	size_t place = world_inner_place(w);

	return world_add_site(w, place, place);
}

/* A pool fills up at first, ten times as fast as the leak that goes on. */
void make_leak_warmup(struct score_case *c, size_t n, struct noise *noise)
{
	double size = draw_block_size(noise), blocks = floor(draw_log(noise, 1, 20));
	double tau = draw_between(noise, .02, .08) * (double)n, kept = 0, level;
	struct world w;
	size_t pool, s, e;

	world_start(&w, c, n, noise, true);
	pool = world_add_site(&w, world_inner_place(&w), 0);
	s = add_leak(&w);
	for (e = 0; e < n; e++) {
		level = floor(10 * blocks * tau * (1 - exp(-((double)e + 1) / tau)));
		world_blocks(&w, pool, level - kept, size, e, WORLD_NEVER);
		world_blocks(&w, s, blocks, size, e, WORLD_NEVER);
		kept = level;
	}
	world_leaks(&w, blocks * size, s);
	world_finish(&w);
}

void make_leak_onset(struct score_case *c, size_t n, struct noise *noise)
{
	double size = draw_block_size(noise), blocks = floor(draw_log(noise, 1, 30));
	size_t first = (size_t)(draw_between(noise, .2, .5) * (double)n), s, e;
	struct world w;

	world_start(&w, c, n, noise, true);
	world_draw_sampling(&w, blocks * size * (double)(n - first), 100);
	s = add_leak(&w);
	for (e = 0; e < n; e++)
		world_blocks(&w, s, blocks, size, e, e < first ? e : WORLD_NEVER);
	world_leaks(&w, blocks * size, s);
	world_finish(&w);
}

/* A list is copied in every event, and is longer every time. */
void make_leak_accelerating(struct score_case *c, size_t n, struct noise *noise)
{
	double size = draw_block_size(noise), last = draw_log(noise, 10, 200), sum = 0, before;
	struct world w;
	size_t s, e;

	world_start(&w, c, n, noise, true);
	s = add_leak(&w);
	for (e = 0; e < n; e++) {
		before = floor(sum);
		sum += last * ((double)e + .5) / (double)n;
		world_blocks(&w, s, floor(sum) - before, size, e, WORLD_NEVER);
	}
	world_leaks(&w, .875 * last * size, s); /* in the last quarter */
	world_finish(&w);
}

/* A timer leaks; events take very different times. */
void make_leak_timer(struct score_case *c, size_t n, struct noise *noise)
{
	double size = draw_block_size(noise), ticks = draw_log(noise, 1, 20), at = 0, now;
	struct world w;
	size_t s, e;

	world_start(&w, c, n, noise, true);
	w.knobs.period_spread = draw_between(noise, .3, .8);
	world_draw_times(&w);
	s = add_leak(&w);
	for (e = 0; e < n; e++) {
		now = floor(ticks * (w.seconds[e + 1] - w.seconds[0]) / w.knobs.period_s);
		world_blocks(&w, s, now - at, size, e, WORLD_NEVER);
		at = now;
	}
	world_leaks(&w, ticks * size, s);
	world_finish(&w);
}

/* Until a bug in the initialisation has met all it will ever meet. */
void make_leak_stops(struct score_case *c, size_t n, struct noise *noise)
{
	double size = draw_block_size(noise), blocks = floor(draw_log(noise, 4, 60));
	size_t stop = (size_t)(draw_between(noise, .4, .65) * (double)n), s, e;
	struct world w;

	world_start(&w, c, n, noise, true);
	size = make_matter(size, blocks * (double)stop);
	w.knobs.heap_sd = fmin(w.knobs.heap_sd, .05 * blocks * size * (double)stop);
	s = add_leak(&w);
	for (e = 0; e < n; e++)
		world_blocks(&w, s, blocks, size, e, e < stop ? WORLD_NEVER : e);
	world_is(&w, SATURATING);
	world_finish(&w);
}

/* Garbage is given back all at once, now and then; something is kept for ever. */
void make_leak_garbage(struct score_case *c, size_t n, struct noise *noise)
{
	double leak = draw_log(noise, 3e3, 3e4), size = fmin(leak, draw_block_size(noise));
	double garbage = ceil(draw_between(noise, 3, 10) * leak / size);
	bool same = draw_chance(noise, .5);
	struct world w;
	size_t s, site, e, *next;

	world_start(&w, c, n, noise, true);
	next = make_collections(&w, draw_between(noise, 5, fmin(20, (double)n / 10)));
	s = world_add_site(&w, world_inner_place(&w), w.places - 1);
	site = same ? s : add_leak(&w);
	for (e = 0; e < n; e++) {
		world_blocks(&w, s, garbage, size, e, next[e]);
		world_blocks(&w, site, round(leak / size), size, e, WORLD_NEVER);
	}
	world_leaks(&w, round(leak / size) * round(size), site);
	world_finish(&w);
}

/* One array that is made longer by realloc, so that it is as old as the program. */
static void grow_array(struct world *w)
{
	size_t every = 1 + draw_index(w->noise, 4), s = add_leak(w), e;
	double bytes = make_matter(draw_log(w->noise, 256, 65536), (double)w->n);

	bytes = 16 * ceil(bytes / 16) * (double)every;

	world_blocks(w, s, 1, bytes, 0, WORLD_NEVER);
	for (e = every; e < w->n; e += every)
		world_regrow(w, s, bytes, 0, e);
	world_leaks(w, bytes / (double)every, s);
}

/* More comes into the queue than leaves it, first come first served. */
static void grow_backlog(struct world *w)
{
	double in = draw_between(w->noise, 10, 40), out = in * draw_between(w->noise, .4, .65);
	double size = make_matter(draw_block_size(w->noise), (in - out) * (double)w->n);
	double queued = 0, served = 0, i, most;
	size_t s = world_add_site(w, world_inner_place(w), w->places - 1), e, b;
	size_t *births;

	most = 2 * in * (double)w->n + 100;
	births = seep_arena_array(&w->c->fake.arena, (size_t)most, sizeof(*births));
	for (e = 0; e < w->n; e++) {
		double come = draw_poisson(w->noise, in);

		for (i = 0; i < come && queued + 1 < most; i++)
			births[(size_t)queued++] = e;
		for (i = draw_poisson(w->noise, out); i > 0 && served < queued; i--) {
			b = (size_t)served++;
			world_blocks(w, s, 1, size, births[b], e);
		}
	}
	for (b = (size_t)served; b < (size_t)queued; b++)
		world_blocks(w, s, 1, size, births[b], WORLD_NEVER);
	world_leaks(w, (in - out) * round(size), s);
	w->c->truth.leaks = false; /* all of it would be given back, if there were time */
	w->c->truth.phase = NULL;  /* too much is asked for, or too little given back? */
}

void make_growing_structure(struct score_case *c, size_t n, struct noise *noise)
{
	struct world w;

	world_start(&w, c, n, noise, true);
	w.knobs.heap_sd = fmin(w.knobs.heap_sd, 2e4);
	if (draw_chance(noise, .5))
		grow_array(&w);
	else
		grow_backlog(&w);
	world_finish(&w);
}

/*
 * Five times everything is given back and the program begins anew, on a level of its own;
 * in one of the five nothing leaks.
 */
void make_leak_restarts(struct score_case *c, size_t n, struct noise *noise)
{
	double blocks = floor(draw_log(noise, 1, 10)), size = draw_log(noise, 2e3, 1e4) / blocks;
	size_t segments = 5, clean = draw_index(noise, 4), s, start, e, segment;
	struct world w;

	world_start(&w, c, n, noise, true);
	w.knobs.heap_sd = fmin(w.knobs.heap_sd, blocks * size * 2);
	start = world_add_site(&w, 0, w.places - 1);
	s = world_add_site(&w, world_inner_place(&w), w.places - 1);
	for (segment = 0; segment < segments; segment++) {
		size_t first = segment * n / segments, end = (segment + 1) * n / segments;
		size_t last = segment + 1 < segments ? end - 1 : WORLD_NEVER;

		world_blocks(&w, start, 1, draw_log(noise, 1e5, 3e6), first, last);
		for (e = first; e < end; e++) {
			w.index[e] = (int64_t)(e - first);
			world_blocks(&w, s, blocks, size, e, segment == clean ? e : last);
		}
	}
	world_leaks(&w, blocks * round(size), s);
	world_finish(&w);
}
