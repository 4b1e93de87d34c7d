/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaks that go on at the same pace from the first event to the last. */
#include "make.h"

#include <stdlib.h>

#define SAMPLES 60               /* of a leak, that let it be seen if there are no more */

/* A site that keeps blocks in a phase with a name. */
static size_t add_leak(struct world *w)
{
	size_t place = world_inner_place(w);

	return world_add_site(w, place, place);
}

/* blocks of size in each event; the truth follows. */
static void leak_always(struct world *w, double blocks, double size)
{
	size_t s, e;

	size = fmax(round(size), 1);
	world_draw_sampling(w, blocks * size * (double)w->n, SAMPLES);
	s = add_leak(w);
	for (e = 0; e < w->n; e++)
		world_blocks(w, s, blocks, size, e, WORLD_NEVER);
	world_leaks(w, blocks * size, s);
	world_finish(w);
}

void make_leak_tiny(struct score_case *c, size_t n, struct noise *noise)
{
	struct world w;
	double blocks;

	world_start(&w, c, n, noise, true);
	w.knobs.rss_sd = 1e7;
	w.knobs.rss_colour = draw_chance(noise, .5) ? WHITE : AR9;
	blocks = 1 + (double)draw_index(noise, 3);
	leak_always(&w, blocks, draw_log(noise, 50, 200) / blocks);
}

void make_leak_constant(struct score_case *c, size_t n, struct noise *noise)
{
	struct world w;
	double blocks;

	world_start(&w, c, n, noise, true);
	blocks = floor(draw_log(noise, 1, 40));
	leak_always(&w, blocks, draw_log(noise, 1024, 16384) / blocks);
}

/* The five notes' own: 2.2 MB per event, behind the last stamp. */
void make_leak_notes(struct score_case *c, size_t n, struct noise *noise)
{
	static const char *const names[] = { "HEAD", "PREL", "POST", "DOWN", "TAIL", NULL };
	struct world w;
	size_t s, e;
	double blocks, size = draw_block_size(noise);

	world_start(&w, c, n, noise, true);
	world_name_stamps(&w, names);
	s = world_add_site(&w, w.n_names, w.n_names);
	for (e = 0; e < n; e++) {
		blocks = round((2196900 + 48300 * noise_normal(noise)) / size);
		world_blocks(&w, s, blocks, size, e, WORLD_NEVER);
	}
	world_leaks(&w, 2196900, s);
	world_finish(&w);
}

static void leak_by_counter(struct world *w, enum world_counter counter, double units,
			    double size, double mean)
{
	size_t s = add_leak(w), e;

	for (e = 0; e < w->n; e++)
		world_blocks(w, s, w->counters[counter][e] / units, size, e, WORLD_NEVER);
	world_leaks(w, mean / units * size, s);
	w->c->truth.drivers[0] = w->counter_names[counter];
	world_finish(w);
}

void make_leak_hits(struct score_case *c, size_t n, struct noise *noise)
{
	struct world w;

	world_start(&w, c, n, noise, true);
	if (draw_chance(noise, .5)) { /* 36 000 of them, and nothing but counting noise */
		w.knobs.hits_mean = 36000;
		w.knobs.hits_spread = 1e-6;
		world_draw_counters(&w);
	}
	leak_by_counter(&w, HITS, 1, 60, w.knobs.hits_mean);
}

void make_leak_photons(struct score_case *c, size_t n, struct noise *noise)
{
	struct world w;
	double photons;

	world_start(&w, c, n, noise, true);
	photons = 40 * w.knobs.hits_mean;
	leak_by_counter(&w, PHOTONS, photons / draw_log(noise, 100, 3000), draw_block_size(noise),
			photons);
}

/* At least so many events have to leak to be seen at all. */
static double rare(size_t n, double p)
{
	return fmin(fmax(p, 14 / (double)n), .5);
}

/* Are there six cohorts of them in the part that is old enough to be judged? */
static bool enough(const struct world *w, const bool *leaks)
{
	size_t width = (size_t)w->events_per_bin, e, count = 0, last = SIZE_MAX;

	for (e = w->n / 8 + width; e < w->n - w->n / 8 - width; e++)
		if (leaks[e] && e / width != last) {
			last = e / width;
			count++;
		}
	return count >= 6;
}

static void leak_in_some(struct world *w, const bool *leaks, double p, double size)
{
	double blocks = ceil(size / 16384);
	size_t s = add_leak(w), e;

	size = round(size / blocks);
	for (e = 0; e < w->n; e++)
		if (leaks[e])
			world_blocks(w, s, blocks, size, e, WORLD_NEVER);
	world_leaks(w, p * blocks * size, s);
	world_finish(w);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The number of hits that a part p of the events is above. */
static double find_threshold(struct world *w, double p)
{
	double *sorted = seep_arena_array(&w->c->fake.arena, w->n, sizeof(double));

	memcpy(sorted, w->counters[HITS], w->n * sizeof(double));
	qsort(sorted, w->n, sizeof(double), compare);
	return sorted[(size_t)((1 - p) * (double)w->n) - 1];
}

void make_leak_threshold(struct score_case *c, size_t n, struct noise *noise)
{
	double p = rare(n, draw_between(noise, .1, .3)), size = draw_log(noise, 4e3, 64e3);
	double threshold, above = 0;
	struct world w;
	bool *leaks;
	size_t e;

	world_start(&w, c, n, noise, true);
	leaks = seep_arena_array(&c->fake.arena, n, sizeof(*leaks));
	threshold = find_threshold(&w, p);
	for (e = 0; e < n; e++) {
		leaks[e] = w.counters[HITS][e] > threshold;
		above += leaks[e];
	}
	leak_in_some(&w, leaks, above / (double)n, size);
}

void make_leak_rare(struct score_case *c, size_t n, struct noise *noise)
{
	double p = rare(n, .05), size = draw_log(noise, 16e3, 256e3);
	struct world w;
	bool *leaks;
	size_t e;

	world_start(&w, c, n, noise, true);
	leaks = seep_arena_array(&c->fake.arena, n, sizeof(*leaks));
	do {
		for (e = 0; e < n; e++)
			leaks[e] = draw_chance(noise, p);
	} while (!enough(&w, leaks));
	leak_in_some(&w, leaks, p, size);
}

/* 1 of 100 blocks is forgotten, the others are given back in the event. */
void make_leak_few(struct score_case *c, size_t n, struct noise *noise)
{
	double part = draw_log(noise, .005, .03), size = draw_block_size(noise), lost;
	struct world w;
	size_t s, e;

	world_start(&w, c, n, noise, true);
	world_draw_sampling(&w, 200 * part * size * (double)n, SAMPLES);
	s = add_leak(&w);
	for (e = 0; e < n; e++) {
		lost = draw_binomial(noise, 200, part);
		world_blocks(&w, s, lost, size, e, WORLD_NEVER);
		world_blocks(&w, s, 200 - lost, size, e, e);
	}
	world_leaks(&w, 200 * part * size, s);
	world_finish(&w);
}

/* One block in ten is forgotten, the others live for some events. */
void make_leak_among_living(struct score_case *c, size_t n, struct noise *noise)
{
	double life = fmin(5, (double)n / 40), size = draw_block_size(noise), part = .1, b;
	double blocks = floor(draw_between(noise, 10, 40));
	struct world w;
	size_t s, e;

	world_start(&w, c, n, noise, true);
	s = world_add_site(&w, world_inner_place(&w), 0);
	for (e = 0; e < n; e++)
		for (b = 0; b < blocks; b++)
			world_blocks(&w, s, 1, size, e,
				     draw_chance(noise, part) ? WORLD_NEVER
							      : e + draw_life(noise, life));
	world_leaks(&w, part * blocks * size, s);
	world_finish(&w);
}

/* Two leaks, three to one. */
void make_leak_two(struct score_case *c, size_t n, struct noise *noise)
{
	double small = 8 * ceil(draw_log(noise, 64, 4096) / 8);
	static const char *const names[] = { "read", "solve", "write", "reset", NULL };
	struct world w;
	size_t one, two, e;

	world_start(&w, c, n, noise, true);
	world_name_stamps(&w, names);
	one = world_add_site(&w, 1, 1);
	two = world_add_site(&w, 3, 3);
	for (e = 0; e < n; e++) {
		world_blocks(&w, one, 3, small, e, WORLD_NEVER);
		world_blocks(&w, two, 1, small, e, WORLD_NEVER);
	}
	world_leaks(&w, 4 * small, one);
	world_finish(&w);
}

/* Asked for in one phase, given back in a later one, but not all of it. */
void make_leak_unbalanced(struct score_case *c, size_t n, struct noise *noise)
{
	static const char *const names[] = { "A", "B", "C", "D", NULL };
	double blocks = floor(draw_between(noise, 10, 60)), size = draw_block_size(noise), lost;
	struct world w;
	size_t s, e;

	world_start(&w, c, n, noise, true);
	world_name_stamps(&w, names);
	s = world_add_site(&w, 1, 3);
	for (e = 0; e < n; e++) {
		lost = draw_binomial(noise, blocks, .1);
		world_blocks(&w, s, blocks - lost, size, e, e);
		world_blocks(&w, s, lost, size, e, WORLD_NEVER);
	}
	world_leaks(&w, .1 * blocks * size, s);
	world_finish(&w);
}

/* Between the end of an event and the start of the next. */
void make_leak_between(struct score_case *c, size_t n, struct noise *noise)
{
	static const char *const names[] = { "HEAD", "WORK", "TAIL", NULL };
	double blocks = floor(draw_log(noise, 1, 30)), size = draw_block_size(noise);
	struct world w;
	size_t s, e;

	world_start(&w, c, n, noise, true);
	world_name_stamps(&w, names);
	s = world_add_site(&w, w.places - 1, 0);
	for (e = 0; e < n; e++)
		world_blocks(&w, s, blocks, size, e, WORLD_NEVER);
	world_leaks(&w, blocks * size, s);
	world_finish(&w);
}

/* On another thread, which knows nothing of events: mostly inside of them. */
void make_leak_thread(struct score_case *c, size_t n, struct noise *noise)
{
	static const char *const no_names[] = { NULL };
	double mean = draw_log(noise, 1, 30), size = draw_block_size(noise), all, inside;
	struct world w;
	size_t in, out, e;

	world_start(&w, c, n, noise, true);
	world_name_stamps(&w, no_names);
	world_draw_sampling(&w, mean * size * (double)n, SAMPLES);
	in = world_add_site(&w, 0, 0);
	out = world_add_site(&w, 1, 1);
	for (e = 0; e < n; e++) {
		double period = (w.seconds[e + 1] - w.seconds[e]) / w.knobs.period_s;

		all = draw_poisson(noise, mean * period);
		inside = draw_binomial(noise, all, .9);
		world_blocks(&w, in, inside, size, e, WORLD_NEVER);
		world_blocks(&w, out, all - inside, size, e, WORLD_NEVER);
	}
	world_leaks(&w, mean * size, in);
	world_finish(&w);
}
