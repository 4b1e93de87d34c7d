/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/cause/accuse.h"

#include "analyse/series/glsmix.h"
#include "analyse/threshold/thresholds.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* The series of a phase or of a group. */
struct suspect {
	size_t first, n;         /* phases */
	struct seep_estimate rate;
	double dof;
	bool noisy;
	bool accused;
};

static double step(const double *levels, size_t i)
{
	return levels[i + 1] - levels[i];
}

/* Of the steps of two phases. */
static double correlate(const double *a, const double *b, size_t n)
{
	double steps = (double)n - 1, mean_a = (a[n - 1] - a[0]) / steps;
	double mean_b = (b[n - 1] - b[0]) / steps, aa = 0, bb = 0, ab = 0;
	size_t i;

	for (i = 0; i + 1 < n; i++) {
		double da = step(a, i) - mean_a, db = step(b, i) - mean_b;

		aa += da * da;
		bb += db * db;
		ab += da * db;
	}
	return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

static void fit(struct suspect *suspect, const double *levels, const struct seep_series *series,
		const struct seep_rate *rate)
{
	struct seep_glsmix own;
	double value = suspect->rate.value;

	seep_glsmix_trend(&own, levels, series->index + rate->first, rate->n, series->quantum);
	suspect->rate.known = own.known;
	suspect->rate.low = fmin(own.low, value);
	suspect->rate.high = fmax(own.high, value);
	suspect->dof = (double)own.rows - 2;
	suspect->noisy = own.known && !own.perfect;
}

/* Each end moves away from the value as the quantile of t does. */
static void widen_for_all(struct suspect *suspects, size_t n)
{
	double noisy = 0, factor;
	size_t i;

	for (i = 0; i < n; i++)
		noisy += suspects[i].noisy;
	for (i = 0; i < n; i++) {
		struct seep_estimate *e = &suspects[i].rate;

		if (!suspects[i].noisy)
			continue;
		factor = gsl_cdf_tdist_Qinv(INTERVAL_TAIL / noisy, suspects[i].dof) /
			 gsl_cdf_tdist_Qinv(INTERVAL_TAIL, suspects[i].dof);
		e->low = e->value - (e->value - e->low) * factor;
		e->high = e->value + (e->high - e->value) * factor;
	}
}

static int compare_lower_ends(const void *a, const void *b)
{
	const struct suspect *x = *(const struct suspect *const *)a;
	const struct suspect *y = *(const struct suspect *const *)b;

	if (x->rate.low > y->rate.low || x->rate.low < y->rate.low)
		return x->rate.low > y->rate.low ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Returns how many are needed; 0 if all together do not have half of the growth. */
static size_t accuse(struct suspect *suspects, size_t n, double total, struct seep_arena *arena)
{
	struct suspect **order = seep_arena_array(arena, n, sizeof(*order));
	double sum = 0;
	size_t i, most = 0;

	for (i = 0; i < n; i++)
		order[i] = &suspects[i];
	qsort(order, n, sizeof(*order), compare_lower_ends);
	while (most < n && sum < PHASES_ACCUSED * total && order[most]->rate.known &&
	       order[most]->rate.low > 0)
		sum += order[most++]->rate.low;
	if (!(total > 0) || sum < PHASES_ACCUSED * total)
		return 0;
	for (i = 0; i < most; i++)
		order[i]->accused = true;
	return most;
}

static double add_up(const struct seep_phase_share *phases, size_t n)
{
	double sum = 0;
	size_t k;

	for (k = 0; k < n; k++)
		sum += phases[k].bytes_per_event.value;
	return sum;
}

/* Of a group that is accused, all phases that may add. */
static void mark(struct seep_phase_share *phases, const struct suspect *suspects, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = suspects[i].first; k < suspects[i].first + suspects[i].n; k++)
			phases[k].accused = suspects[i].accused &&
					   (suspects[i].n == 1 ||
					    phases[k].bytes_per_event.high > 0);
}

static struct suspect *suspect_each(const struct seep_phase_share *phases, size_t n,
				    struct seep_arena *arena)
{
	struct suspect *suspects = seep_arena_array(arena, n, sizeof(*suspects));
	size_t k;

	for (k = 0; k < n; k++)
		suspects[k] = (struct suspect){ .first = k, .n = 1,
						.rate = phases[k].bytes_per_event };
	return suspects;
}

/* Noise at a stamp alone causes -.5, so it must certainly be below (Fisher's z, 95 %). */
static bool are_opposed(const double *a, const double *b, size_t n)
{
	double r = correlate(a, b, n), steps = (double)n - 1;

	if (n <= PHASES_STEPS)
		return false;
	return r <= -1 ||
	       atanh(r) + PHASES_OPPOSED_SIGMAS / sqrt(steps - 3) < atanh(PHASES_OPPOSED);
}

/* Merges neighbours that move against each other; returns how many groups are left. */
static size_t group(struct suspect *groups, const struct suspect *suspects, size_t n,
		    const double *levels, size_t rows)
{
	size_t k, made = 0;

	for (k = 0; k < n; k++) {
		bool joins = k && are_opposed(levels + (k - 1) * rows, levels + k * rows, rows);

		if (!joins) {
			groups[made++] = suspects[k];
			continue;
		}
		groups[made - 1].n++;
		groups[made - 1].rate.value += suspects[k].rate.value;
	}
	return made;
}

static void fit_group(struct suspect *suspect, const double *levels,
		      const struct seep_series *series, const struct seep_rate *rate,
		      struct seep_arena *arena)
{
	double *sums = seep_arena_array(arena, rate->n, sizeof(double));
	size_t i, k;

	for (k = suspect->first; k < suspect->first + suspect->n; k++)
		for (i = 0; i < rate->n; i++)
			sums[i] += levels[k * rate->n + i];
	fit(suspect, sums, series, rate);
}

static void tell_groups(struct seep_phase_share *phases, const struct suspect *groups, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = groups[i].first; groups[i].n > 1 && k < groups[i].first + groups[i].n;
		     k++) {
			phases[k].group_first = groups[i].first;
			phases[k].group_n = groups[i].n;
			phases[k].group_bytes_per_event = groups[i].rate;
		}
}

void seep_accuse_by_levels(struct seep_phase_share *phases, size_t n, const double *levels,
			   const struct seep_series *series, const struct seep_rate *rate,
			   struct seep_arena *arena)
{
	struct suspect *suspects = suspect_each(phases, n, arena);
	struct suspect *groups = seep_arena_array(arena, n, sizeof(*groups));
	double total = add_up(phases, n);
	size_t i, n_groups, alone, grouped;

	if (!rate->mix.known)
		return;
	for (i = 0; i < n; i++)
		fit(&suspects[i], levels + i * rate->n, series, rate);
	n_groups = group(groups, suspects, n, levels, rate->n);
	for (i = 0; i < n_groups; i++)
		if (groups[i].n > 1)
			fit_group(&groups[i], levels, series, rate, arena);
	widen_for_all(suspects, n);
	widen_for_all(groups, n_groups);
	for (i = 0; i < n; i++)
		phases[i].bytes_per_event = suspects[i].rate;
	tell_groups(phases, groups, n_groups);
	if (!(rate->bytes_per_event.low > 0))
		return;
	alone = accuse(suspects, n, total, arena);
	grouped = accuse(groups, n_groups, total, arena);
	if (alone && (!grouped || alone <= grouped))
		mark(phases, suspects, n);
	else if (grouped)
		mark(phases, groups, n_groups);
}

void seep_accuse_by_intervals(struct seep_phase_share *phases, size_t n,
			      struct seep_arena *arena)
{
	struct suspect *suspects = suspect_each(phases, n, arena);

	if (accuse(suspects, n, add_up(phases, n), arena))
		mark(phases, suspects, n);
}
