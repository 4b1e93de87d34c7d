/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an axis needs: a range, its ticks, and values thinned to what the eye can see.
 *
 * Values come from files.  A value that is not finite, or so large that a difference would not
 * be, is left out everywhere; an empty range, or one of a single point, is widened until it can
 * be drawn.
 */
#ifndef SEEP_RENDER_PLOT_SCALE_H
#define SEEP_RENDER_PLOT_SCALE_H

#include "base/arena.h"
#include "render/sizes.h"

#include <stdbool.h>
#include <stddef.h>

struct seep_range {
	double low, high;        /* low > high: empty */
};

#define SEEP_RANGE_EMPTY ((struct seep_range){ 1, -1 })

/* Whether the value can be shown at all. */
bool seep_scale_is_sane(double value);

void seep_range_add(struct seep_range *range, double value);
void seep_range_add_all(struct seep_range *range, const double *values, size_t n);

/* Widens the range so that it is not empty and has at least this width. */
struct seep_range seep_range_widen(struct seep_range range, double least);

/*
 * The range of the values without outliers that would squash the others.  Outliers are far from
 * the rest; at each end at most one value, or one in 50, is left out.
 */
struct seep_range seep_range_clip(const double *values, size_t n, struct seep_arena *arena);

/* The position of a value of the range in from .. to; never more than slightly outside. */
double seep_scale_at(struct seep_range range, double from, double to, double value);

/* Multiples of a step of 1, 2 or 5 times a power of ten. */
struct seep_ticks {
	double step;
	double first;            /* the first tick, in steps */
	size_t n;                /* at most the number asked for */
};

/* Steps are no smaller than least (1 for events, 0 for anything). */
struct seep_ticks seep_ticks_find(struct seep_range range, size_t most, double least);
double seep_ticks_at(const struct seep_ticks *ticks, size_t i);

/* The number with the digits that the step needs: "0.5", "120". */
struct seep_size_text seep_ticks_number(const struct seep_ticks *ticks, double value);

/* The tick as a size, in the unit of the largest: "150 MB". */
struct seep_size_text seep_ticks_bytes(const struct seep_ticks *ticks, size_t i);

/* A unit in which a time of so many seconds is easy to read. */
struct seep_scale_time {
	double seconds;
	const char *name;
};

struct seep_scale_time seep_scale_time_for(double seconds);

struct seep_scale_points {
	double *x, *y;
	size_t n;
};

/*
 * Divides x into columns and keeps the first, smallest, largest and last value of each, in their
 * order; keeps all points if that would not be fewer.  x must be increasing.
 */
struct seep_scale_points seep_scale_thin(const double *x, const double *y, size_t n,
				    struct seep_range range, size_t columns,
				    struct seep_arena *arena);

#endif
