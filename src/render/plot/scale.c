/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranges leave out a few outliers, which would squash everything else.  Ticks are multiples of
 * 1, 2 or 5 times a power of ten.  A long series is thinned to four points per column of the
 * picture (first, smallest, largest, last), which draws the same line as all points.
 */
#include "render/plot/scale.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SANE 1e200
#define NARROW 1e-9              /* of its values: a narrower range has no digits left */
#define CLIP_PART 50             /* one value in so many may be left out at each end */
#define CLIP_FEW 5               /* with fewer values, none is left out */
#define CLIP_SPANS 2             /* spans of the other values: farther is an outlier */
#define BEYOND .05               /* of the axis: how far outside a point is drawn at most */

bool seep_scale_is_sane(double value)
{
	return fabs(value) < SANE;
}

void seep_range_add(struct seep_range *range, double value)
{
	bool empty = range->low > range->high;

	if (!seep_scale_is_sane(value))
		return;
	range->low = empty ? value : fmin(range->low, value);
	range->high = empty ? value : fmax(range->high, value);
}

void seep_range_add_all(struct seep_range *range, const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		seep_range_add(range, values[i]);
}

struct seep_range seep_range_widen(struct seep_range range, double least)
{
	double middle, largest;

	if (!(range.low <= range.high))
		range = (struct seep_range){ 0, 1 };
	middle = range.low / 2 + range.high / 2;
	largest = fmax(fabs(range.low), fabs(range.high));
	if (!seep_scale_is_sane(least) || least <= 0)
		least = 0;
	least = fmax(least, largest > 0 ? largest * NARROW : 1);
	if (range.high - range.low < least)
		range = (struct seep_range){ middle - least / 2, middle + least / 2 };
	return range;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct seep_range seep_range_clip(const double *values, size_t n, struct seep_arena *arena)
{
	double *sorted = seep_arena_array(arena, n, sizeof(*sorted));
	struct seep_range range = SEEP_RANGE_EMPTY;
	size_t sane = 0, few = 0;
	double low, high, span;

	for (size_t i = 0; i < n; i++)
		if (seep_scale_is_sane(values[i]))
			sorted[sane++] = values[i];
	if (!sane)
		return range;
	qsort(sorted, sane, sizeof(*sorted), compare_doubles);
	if (sane >= CLIP_FEW)
		few = sane / CLIP_PART ? sane / CLIP_PART : 1;
	low = sorted[few];
	high = sorted[sane - 1 - few];
	span = fmax(high - low, fmax(fabs(low), fabs(high)) / 4);
	if (!(span > 0)) /* all values are 0, so nothing is squashed */
		span = SANE;
	for (size_t i = 0; i < sane; i++)
		if (sorted[i] >= low - CLIP_SPANS * span && sorted[i] <= high + CLIP_SPANS * span)
			seep_range_add(&range, sorted[i]);
	return range;
}

double seep_scale_at(struct seep_range range, double from, double to, double value)
{
	double part;

	if (!(range.high > range.low))
		return from;
	part = (value - range.low) / (range.high - range.low);
	if (isnan(part))
		part = 0;
	part = fmin(fmax(part, -BEYOND), 1 + BEYOND);
	return from + part * (to - from);
}

static double round_step(double step)
{
	double power = pow(10, floor(log10(step)));
	double digit = step / power;

	/* a step computed as 2.0000000001 is 2 */
	if (digit <= 1.000001)
		return power;
	if (digit <= 2.000001)
		return 2 * power;
	return digit <= 5.000001 ? 5 * power : 10 * power;
}

struct seep_ticks seep_ticks_find(struct seep_range range, size_t most, double least)
{
	struct seep_ticks ticks = { 1, 0, 0 };
	double last;

	range = seep_range_widen(range, 0);
	if (most < 1)
		return ticks;
	ticks.step = round_step(fmax((range.high - range.low) / (double)most, least));
	for (;;) {
		ticks.first = ceil(range.low / ticks.step - 1e-6);
		last = floor(range.high / ticks.step + 1e-6);
		if (last - ticks.first + 1 <= (double)most)
			break;
		ticks.step = round_step(ticks.step * 1.5);
	}
	ticks.n = last >= ticks.first ? (size_t)(last - ticks.first) + 1 : 0;
	return ticks;
}

double seep_ticks_at(const struct seep_ticks *ticks, size_t i)
{
	return (ticks->first + (double)i) * ticks->step;
}

static int decimals_of(double step)
{
	double decimals = -floor(log10(step) + 1e-6);

	return decimals > 0 ? (int)fmin(decimals, 9) : 0;
}

struct seep_size_text seep_ticks_number(const struct seep_ticks *ticks, double value)
{
	struct seep_size_text text;

	if (fabs(value) < ticks->step / 1e6)
		value = 0;
	if (fabs(value) >= 1e12)
		snprintf(text.text, sizeof(text.text), "%g", value);
	else
		snprintf(text.text, sizeof(text.text), "%.*f", decimals_of(ticks->step), value);
	return text;
}

struct seep_size_text seep_ticks_bytes(const struct seep_ticks *ticks, size_t i)
{
	double last = ticks->n ? seep_ticks_at(ticks, ticks->n - 1) : 0;
	double largest = fmax(fabs(seep_ticks_at(ticks, 0)), fabs(last));
	struct seep_size_unit unit = seep_size_unit_for(largest);
	struct seep_size_text text;

	unit.decimals = decimals_of(ticks->step / unit.bytes);
	snprintf(text.text, sizeof(text.text), "%.40s %s",
		 seep_size_in(unit, seep_ticks_at(ticks, i)).text, unit.name);
	return text;
}

struct seep_scale_time seep_scale_time_for(double seconds)
{
	static const struct seep_scale_time units[] = {
		{ 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" }, { 1e-3, "ms" },
		{ 1e-6, "us" },
	};
	size_t i = 0, n = sizeof(units) / sizeof(units[0]);

	/* "90 s" is easier to read than "1.5 min", "0.5 s" than "500 ms" */
	while (i + 1 < n &&
	       !(fabs(seconds) >= (units[i].seconds > 1 ? 2 : 1) * units[i].seconds))
		i++;
	return units[i];
}

/* The indices of the four values that are kept in one column. */
struct column {
	size_t at[4];            /* first, smallest, largest, last */
	bool any;
};

static void add_point(struct seep_scale_points *points, const double *x, const double *y, size_t i)
{
	points->x[points->n] = x[i];
	points->y[points->n++] = y[i];
}

static void see_point(struct column *column, const double *y, size_t i)
{
	if (!column->any)
		column->at[0] = column->at[1] = column->at[2] = i;
	column->any = true;
	if (y[i] < y[column->at[1]])
		column->at[1] = i;
	if (y[i] > y[column->at[2]])
		column->at[2] = i;
	column->at[3] = i;
}

static void keep_column(struct seep_scale_points *points, struct column *column, const double *x,
			const double *y)
{
	size_t *at = column->at;

	if (!column->any)
		return;
	if (at[1] > at[2]) {
		size_t smallest = at[1];

		at[1] = at[2];
		at[2] = smallest;
	}
	for (size_t k = 0; k < 4; k++)
		if (!k || at[k] != at[k - 1])
			add_point(points, x, y, at[k]);
	column->any = false;
}

struct seep_scale_points seep_scale_thin(const double *x, const double *y, size_t n,
				    struct seep_range range, size_t columns,
				    struct seep_arena *arena)
{
	bool all = n <= 4 * columns;
	size_t room = all ? n : 4 * columns;
	struct seep_scale_points points = { .x = seep_arena_array(arena, room, sizeof(double)),
				      .y = seep_arena_array(arena, room, sizeof(double)) };
	struct column column = { .any = false };
	double current = 0;

	for (size_t i = 0; i < n && columns; i++) {
		double place;

		if (!seep_scale_is_sane(y[i]) || !(x[i] >= range.low && x[i] <= range.high))
			continue;
		if (all) {
			add_point(&points, x, y, i);
			continue;
		}
		place = fmin(floor((x[i] - range.low) / (range.high - range.low) *
				   (double)columns), (double)columns - 1);
		if (place > current) {
			keep_column(&points, &column, x, y);
			current = place;
		}
		see_point(&column, y, i);
	}
	if (!all && columns)
		keep_column(&points, &column, x, y);
	return points;
}
