/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "baselines.h"

#include "analyse/series/series.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#define ALPHA .025
#define VALUES_MAX 1000          /* the rank tests take n^2 steps: more are averaged */
#define SCALENE_SURE .95
#define SCALENE_GROWTH .01
#define ROW 4
#define WINDOWS 16               /* that the run is cut into, for the rises in a row */

const char *baseline_name(enum baseline baseline)
{
	static const char *const names[BASELINES] = {
		[LINE_RSS] = "line fit on RSS",
		[LINE_HEAP] = "line fit on the live heap",
		[MANN_KENDALL_RSS] = "Mann-Kendall on RSS",
		[MANN_KENDALL_HEAP] = "Mann-Kendall on the live heap",
		[HAMED_RAO_RSS] = "Hamed-Rao on RSS",
		[HAMED_RAO_HEAP] = "Hamed-Rao on the live heap",
		[SCALENE] = "Scalene's score",
		[IN_A_ROW] = "four in a row",
	};

	return names[baseline];
}

static bool line_rises(const double *y, size_t n)
{
	double mx = ((double)n - 1) / 2, my = 0, xx = 0, xy = 0, left = 0, slope, d;
	size_t i;

	if (n < 3)
		return false;
	for (i = 0; i < n; i++)
		my += y[i] / (double)n;
	for (i = 0; i < n; i++) {
		xx += ((double)i - mx) * ((double)i - mx);
		xy += ((double)i - mx) * (y[i] - my);
	}
	slope = xy / xx;
	for (i = 0; i < n; i++) {
		d = y[i] - my - slope * ((double)i - mx);
		left += d * d;
	}
	if (left <= 0)
		return slope > 0;
	return slope / sqrt(left / (double)(n - 2) / xx) >
	       gsl_cdf_tdist_Qinv(ALPHA, (double)n - 2);
}

/* Kendall's S, and the variance that it has without a trend, ties counted. */
static double kendall(const double *y, size_t n, double *variance)
{
	double s = 0, ties = 0, m = (double)n;
	size_t i, j;

	for (i = 0; i < n; i++) {
		double before = 0, alike = 1;

		for (j = 0; j < n; j++) {
			bool same = !(y[j] < y[i]) && !(y[j] > y[i]);

			if (j > i)
				s += (y[j] > y[i]) - (y[j] < y[i]);
			before += same && j < i;
			alike += same && j != i;
		}
		if (before <= 0)
			ties += alike * (alike - 1) * (2 * alike + 5);
	}
	*variance = (m * (m - 1) * (2 * m + 5) - ties) / 18;
	return s;
}

static bool is_rise(double s, double variance)
{
	return variance > 0 && (s - 1) / sqrt(variance) > gsl_cdf_ugaussian_Qinv(ALPHA);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The slope of Sen: the median over all pairs. */
static double sen(const double *y, size_t n, struct seep_arena *arena)
{
	double *slopes = seep_arena_array(arena, n * (n - 1) / 2, sizeof(double));
	size_t i, j, k = 0;

	for (i = 0; i < n; i++)
		for (j = i + 1; j < n; j++)
			slopes[k++] = (y[j] - y[i]) / (double)(j - i);
	qsort(slopes, k, sizeof(double), compare);
	return k % 2 ? slopes[k / 2] : (slopes[k / 2 - 1] + slopes[k / 2]) / 2;
}

static void rank(const double *y, double *ranks, size_t n)
{
	size_t i, j;

	for (i = 0; i < n; i++) {
		ranks[i] = .5 - (double)n / 2;
		for (j = 0; j < n; j++)
			ranks[i] += (y[j] < y[i]) + .5 * (j != i && !(y[j] < y[i]) &&
							  !(y[j] > y[i]));
	}
}

/* By how much the autocorrelation of the ranks, where it is significant, spreads S. */
static double inflation(const double *y, size_t n, struct seep_arena *arena)
{
	double *rest = seep_arena_array(arena, n, sizeof(double));
	double *ranks = seep_arena_array(arena, n, sizeof(double));
	double slope = sen(y, n, arena), all = 0, sum = 0, m = (double)n;
	size_t i, k;

	for (i = 0; i < n; i++)
		rest[i] = y[i] - slope * (double)i;
	rank(rest, ranks, n);
	for (i = 0; i < n; i++)
		all += ranks[i] * ranks[i];
	for (k = 1; k + 2 < n && all > 0; k++) {
		double r = 0, left = (double)(n - k);

		for (i = 0; i + k < n; i++)
			r += ranks[i] * ranks[i + k] / all;
		if (fabs(r) > 1.96 / sqrt(m))
			sum += left * (left - 1) * (left - 2) * r;
	}
	return fmax(1 + 2 * sum / (m * (m - 1) * (m - 2)), 1 / m);
}

/* Means of neighbours, where there are too many values for n^2 steps. */
static double *thin_out(const struct seep_series *series, size_t *n, struct seep_arena *arena)
{
	size_t width = (series->n + VALUES_MAX - 1) / VALUES_MAX, i, k;
	double *y;

	width = width ? width : 1;
	*n = series->n / width;
	y = seep_arena_array(arena, *n, sizeof(double));
	for (i = 0; i < *n; i++)
		for (k = 0; k < width; k++)
			y[i] += series->values[i * width + k] / (double)width;
	return y;
}

static unsigned int ask_trends(const struct seep_run *run, enum seep_series_kind kind,
			       enum baseline line, enum baseline mk, enum baseline hr,
			       struct seep_arena *arena)
{
	struct seep_series series;
	unsigned int said = 0;
	double s, variance, *y;
	size_t n;

	seep_series_build(&series, run, kind, arena);
	if (series.n < 5)
		return 0;
	y = thin_out(&series, &n, arena);
	s = kendall(y, n, &variance);
	if (line_rises(series.values, series.n))
		said |= 1u << line;
	if (is_rise(s, variance))
		said |= 1u << mk;
	if (is_rise(s, variance * inflation(y, n, arena)))
		said |= 1u << hr;
	return said;
}

static bool ask_scalene(const struct seep_run *run)
{
	const struct seep_stamp *first, *last;
	size_t i;

	if (!run->has_heap || !run->n_stamps)
		return false;
	first = &run->stamps[0];
	last = &run->stamps[run->n_stamps - 1];
	if ((double)last->live_bytes < (1 + SCALENE_GROWTH) * (double)first->live_bytes)
		return false;
	for (i = 0; i < run->n_sites; i++) {
		double born = (double)run->sites[i].born_blocks;
		double died = (double)run->sites[i].died_blocks;

		if (1 - (died + 1) / (born - died + 2) >= SCALENE_SURE)
			return true;
	}
	return false;
}

static bool ask_row(const struct seep_run *run, struct seep_arena *arena)
{
	struct seep_series series;
	size_t width, i, k, row = 0;
	double before = 0, mean;

	seep_series_build(&series, run, SEEP_SERIES_HEAP, arena);
	width = series.n / WINDOWS;
	for (i = 0; width && i < WINDOWS; i++) {
		mean = 0;
		for (k = 0; k < width; k++)
			mean += series.values[i * width + k] / (double)width;
		row = i && mean > before ? row + 1 : 0;
		before = mean;
		if (row == ROW)
			return true;
	}
	return false;
}

unsigned int baselines_ask(const struct seep_run *run)
{
	struct seep_arena arena;
	unsigned int said;

	seep_arena_init(&arena);
	said = ask_trends(run, SEEP_SERIES_RSS, LINE_RSS, MANN_KENDALL_RSS, HAMED_RAO_RSS, &arena);
	said |= ask_trends(run, SEEP_SERIES_HEAP, LINE_HEAP, MANN_KENDALL_HEAP, HAMED_RAO_HEAP,
			   &arena);
	said |= ask_scalene(run) ? 1u << SCALENE : 0;
	said |= ask_row(run, &arena) ? 1u << IN_A_ROW : 0;
	seep_arena_release(&arena);
	return said;
}
