/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What does not grow; and runs of which only RSS is known. */
#include "make.h"

#define HUGE_PAGE 2097152.0

void make_flat_white(struct score_case *c, size_t n, struct noise *noise)
{
	struct world w;

	world_start(&w, c, n, noise, true);
	w.knobs.rss_colour = WHITE;
	world_draw_sampling(&w, 4096, 1);
	world_is(&w, FLAT);
	world_finish(&w);
}

void make_flat_wander(struct score_case *c, size_t n, struct noise *noise)
{
	struct world w;

	world_start(&w, c, n, noise, true);
	w.knobs.rss_colour = AR98;
	w.knobs.rss_sd = 2e6;
	world_is(&w, n < 1000 ? FLAT | UNDECIDED : FLAT);
	world_finish(&w);
}

/* The kernel makes huge pages of small ones, and small ones of huge pages. */
void make_flat_huge_pages(struct score_case *c, size_t n, struct noise *noise)
{
	double p = draw_log(noise, .02, .2), pages = 0;
	struct world w;
	size_t e;

	world_start(&w, c, n, noise, true);
	w.knobs.rss_sd = fmin(w.knobs.rss_sd, 2e5);
	w.knobs.rss_quantum = 4096;
	for (e = 0; e < n; e++) {
		if (draw_chance(noise, p)) /* back to the middle, the further off it is */
			pages += draw_chance(noise, .5 - pages / 6) ? 1 : -1;
		w.beside[e] = HUGE_PAGE * (pages + 3);
	}
	world_is(&w, FLAT);
	world_finish(&w);
}

void make_first_event(struct score_case *c, size_t n, struct noise *noise)
{
	double bytes = draw_log(noise, 2e6, 2e7), size = draw_log(noise, 100, 1e5);
	struct world w;
	size_t s;

	world_start(&w, c, n, noise, true);
	s = world_add_site(&w, world_inner_place(&w), 0);
	world_blocks(&w, s, ceil(bytes / size), size, 0, WORLD_NEVER);
	world_is(&w, FLAT);
	world_finish(&w);
}

/* Given back some events later; and two buffers that take turns. */
void make_deferred(struct score_case *c, size_t n, struct noise *noise)
{
	double blocks = draw_log(noise, 1, 30), size = draw_block_size(noise);
	double buffer = draw_log(noise, 1e4, 1e6);
	size_t late = 3 + draw_index(noise, 5), s, buffers, e;
	struct world w;

	world_start(&w, c, n, noise, true);
	s = world_add_site(&w, world_inner_place(&w), world_inner_place(&w));
	buffers = world_add_site(&w, world_inner_place(&w), w.places - 1);
	for (e = 0; e < late; e++)
		world_early(&w, s, blocks, size, e);
	for (e = 0; e < 2; e++)
		world_early(&w, buffers, 1, buffer, e);
	for (e = 0; e < n; e++) {
		world_blocks(&w, s, draw_poisson(noise, blocks), size, e, e + late);
		world_blocks(&w, buffers, 1, buffer * draw_between(noise, .9, 1.1), e, e + 2);
	}
	world_is(&w, FLAT);
	world_finish(&w);
}

/* --- RSS only */

/* Half the interval that an estimator would give which knows the noise. */
static double ideal_half_width(const struct world *w)
{
	static const double phis[N_COLOURS] = { [AR5] = .5, [AR9] = .9, [AR98] = .98 };
	double phi = phis[w->knobs.rss_colour], n = (double)w->n;

	return 1.96 * w->knobs.rss_sd * sqrt(12 * (1 + phi) / (1 - phi) / (n * n * n));
}

static void start_rss(struct world *w, struct score_case *c, size_t n, struct noise *noise)
{
	static const enum colour colours[] = { WHITE, AR5, AR9 };

	world_start(w, c, n, noise, false);
	w->knobs.rss_quantum = 4096;
	w->knobs.rss_colour = colours[draw_index(noise, 3)];
	w->knobs.heap_sd = fmin(w->knobs.heap_sd, .2 * w->knobs.rss_sd);
}

/* Where even a good estimator cannot bound the growth, undecided is right. */
void make_rss_flat(struct score_case *c, size_t n, struct noise *noise)
{
	double tolerated;
	struct world w;

	start_rss(&w, c, n, noise);
	w.knobs.rss_colour = WHITE;
	tolerated = fmax(.01 * w.knobs.base_bytes, 262144) / (double)n;
	world_is(&w, 4.5 * ideal_half_width(&w) > tolerated ? FLAT | UNDECIDED : FLAT);
	world_finish(&w);
}

/* Grows by what would be a leak, if the heap were known. */
void make_rss_leak(struct score_case *c, size_t n, struct noise *noise)
{
	struct world w;
	double size;
	size_t s, e;

	start_rss(&w, c, n, noise);
	size = round(fmax(draw_log(noise, 2048, 16384), 10 * ideal_half_width(&w)));
	w.knobs.base_bytes = fmin(w.knobs.base_bytes, 20 * size * (double)n);
	s = world_add_site(&w, world_inner_place(&w), 0);
	for (e = 0; e < n; e++)
		world_blocks(&w, s, 1, size, e, WORLD_NEVER);
	world_is(&w, GROWTH);
	c->truth.bytes_per_event = size * (1 + w.knobs.slack_part);
	world_finish(&w);
}

void make_rss_saturating(struct score_case *c, size_t n, struct noise *noise)
{
	double bytes, tau = (double)n / 8, kept = 0, level;
	struct world w;
	size_t s, e;

	start_rss(&w, c, n, noise);
	bytes = draw_log(noise, 20, 60) * w.knobs.rss_sd;
	w.knobs.base_bytes = fmin(w.knobs.base_bytes, 15 * bytes);
	s = world_add_site(&w, world_inner_place(&w), 0);
	for (e = 0; e < n; e++) {
		level = round(bytes * (1 - exp(-((double)e + 1) / tau)));
		world_blocks(&w, s, 1, level - kept, e, WORLD_NEVER);
		kept = level;
	}
	world_is(&w, SATURATING);
	world_finish(&w);
}
