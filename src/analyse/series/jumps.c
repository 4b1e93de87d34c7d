/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/series/jumps.h"

#include "analyse/series/glsmix.h"
#include "analyse/series/rate.h"
#include "analyse/series/series.h"
#include "analyse/threshold/thresholds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* What an event adds most often, and how far the others are from it, both as medians. */
static void find_usual(const double *y, size_t n, double *scratch, double *usual, double *spread)
{
	size_t i;

	for (i = 0; i + 1 < n; i++)
		scratch[i] = seep_series_step(y, i);
	*usual = median(scratch, n - 1);
	for (i = 0; i + 1 < n; i++)
		scratch[i] = fabs(seep_series_step(y, i) - *usual);
	*spread = median(scratch, n - 1);
}

static double find_range(const double *y, size_t n)
{
	double low, high;

	seep_series_ends(y, n, &low, &high);
	return high - low;
}

/* The first trough ends the warm-up, whatever that was. */
static void fit_troughs(struct seep_teeth *teeth, const double *levels, const double *at, size_t n)
{
	struct seep_glsmix mix;

	if (n < TEETH_TROUGHS + 1)
		return;
	seep_glsmix_trend(&mix, levels + 1, at + 1, n - 1, 0);
	teeth->rate = (struct seep_estimate){ mix.known, mix.mean, mix.low, mix.high };
	teeth->p_plus = mix.p_plus;
}

void seep_jumps_find_teeth(struct seep_teeth *teeth, const double *y, const double *x, size_t n,
			   double *scratch)
{
	double usual, spread, trough, least, leap = 0, leaps = 0;
	double *levels = scratch, *at = scratch + n / 2;
	size_t i, troughs = 0;

	memset(teeth, 0, sizeof(*teeth));
	if (n < JUMP_EVENTS)
		return;
	find_usual(y, n, scratch, &usual, &spread);
	least = fmax(JUMP_SPREADS * spread, TEETH_DROP_PART * find_range(y, n));
	trough = y[0];
	for (i = 0; i + 1 < n; i++) {
		double drop = -seep_series_step(y, i);

		trough = fmin(trough, y[i]);
		leap = fmax(leap, -drop);
		if (drop <= least || drop < TEETH_GIVEN_BACK * (y[i] - trough))
			continue;
		if (troughs < n / 2) { /* a drop cannot follow a drop */
			levels[troughs] = trough = y[i + 1];
			at[troughs++] = x[i + 1];
		}
		teeth->height += drop;
		leaps += leap;
		leap = 0;
	}
	teeth->drops = troughs;
	/* what leaps up as it falls down has no teeth */
	teeth->found = troughs >= TEETH_DROPS && leaps < TEETH_LEAPS * teeth->height;
	if (!teeth->found)
		return;
	teeth->height /= (double)troughs;
	teeth->period = (at[troughs - 1] - at[0]) / (double)(troughs - 1);
	fit_troughs(teeth, levels, at, troughs);
}

/* Sums over the steps. */
struct steps {
	size_t n;
	double up, down, squares;
	double places;           /* where they are in the series, weighed by their sizes */
	double last;             /* where the last one is that is not much smaller than the rest */
	double rest;             /* the mean of what the other events add */
};

static struct steps count_steps(const double *y, size_t n, double usual, double least)
{
	struct steps s = { 0 };
	size_t i;

	for (i = 1; i + 1 < n; i++) { /* the first event is never counted */
		double size = seep_series_step(y, i) - usual;

		if (fabs(size) <= least) {
			s.rest += seep_series_step(y, i);
			continue;
		}
		s.n++;
		s.up += fmax(size, 0);
		s.down += fmax(-size, 0);
		s.squares += size * size;
		s.places += fabs(size) * (double)i / (double)(n - 1);
	}
	for (i = n - 1; i-- > 1 && !(s.last > 0);)
		if (fabs(seep_series_step(y, i) - usual) >
		    fmax(least, STAIRS_STEP_SMALL * (s.up + s.down) / (double)s.n))
			s.last = (double)i / (double)(n - 1);
	s.rest /= fmax((double)(n - 2 - s.n), 1);
	return s;
}

void seep_jumps_find_stairs(struct seep_stairs *stairs, const double *y, const double *x, size_t n,
			    double *scratch)
{
	double usual, spread, count, front, sum;
	struct steps s;

	memset(stairs, 0, sizeof(*stairs));
	if (n < JUMP_EVENTS)
		return;
	find_usual(y, n, scratch, &usual, &spread);
	s = count_steps(y, n, usual, JUMP_SPREADS * spread);
	if (s.n < STAIRS_STEPS || (double)s.n > STAIRS_STEPS_PART * (double)n ||
	    s.up < STAIRS_UPWARDS * (s.up + s.down) || s.last < STAIRS_LAST)
		return;
	count = (double)s.n;
	front = (s.places / (s.up + s.down) - .5) * (s.up + s.down) * sqrt(12 / s.squares);
	if (front < -STAIRS_FRONT)
		return;
	sum = s.up - s.down;
	if (sum * sum < STAIRS_EQUAL * s.squares)
		return; /* one of them is nearly all */
	stairs->found = true;
	stairs->steps = s.n;
	stairs->height = sum / count;
	stairs->rate.known = true;
	stairs->rate.value = sum / (x[n - 1] - x[0]);
	/* Unequal steps tell less than as many equal ones. */
	seep_rate_bound_count(stairs->rate.value, sum * sum / s.squares, &stairs->rate.low,
			      &stairs->rate.high);
	stairs->rate.value += s.rest;
	stairs->rate.low += s.rest;
	stairs->rate.high += s.rest;
}
