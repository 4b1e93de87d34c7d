/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "outcome.h"

#include "baselines.h"

#include <gsl/gsl_cdf.h>
#include <stdlib.h>

#define LONG 200                 /* events that should settle it, with heap data */

double tally_upper(size_t hits, size_t n)
{
	double low = 0, high = 1;

	if (!n || hits >= n)
		return 1;
	for (int i = 0; i < 60; i++) { /* the inverse of GSL does not always converge */
		double middle = (low + high) / 2;

		if (gsl_cdf_beta_P(middle, (double)hits + 1, (double)(n - hits)) < .95)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static double cost_of(const struct outcome *o)
{
	if (outcome_right(o))
		return 0;
	if (outcome_false_leak(o))
		return 5;
	if (o->leaks)
		return 3;
	return o->kind == SEEP_KIND_UNDECIDED ? .5 : 1;
}

static void count_answers(struct tally *t, const struct outcome *o)
{
	if (!outcome_right(o))
		return;
	t->phases += o->phase != NOT_ASKED;
	t->phases_right += o->phase == RIGHT;
	t->sites += o->site != NOT_ASKED;
	t->sites_right += o->site == RIGHT;
	t->drivers += o->driver != NOT_ASKED;
	t->drivers_right += o->driver == RIGHT;
	t->in_set += o->driver_set == RIGHT;
}

static bool has_rate(const struct outcome *o)
{
	return outcome_right(o) && !isnan(o->truth);
}

/* The words that say that memory grows; the others need not have a rate. */
static void count_rate(struct tally *t, const struct outcome *o)
{
	bool covered = o->low <= o->truth && o->truth <= o->high;

	if (!has_rate(o))
		return;
	if (o->kind == SEEP_KIND_LEAK) {
		t->rates++;
		t->covered += covered;
	} else {
		t->other_rates++;
		t->other_covered += covered;
	}
}

static void count_baselines(struct tally *t, const struct outcome *o)
{
	unsigned int grows = SCORE_KIND(SEEP_KIND_LEAK) | SCORE_KIND(SEEP_KIND_GROWTH);
	size_t b;

	t->baseline_free += !(o->kinds & grows);
	for (b = 0; b < BASELINES; b++) {
		bool said = o->baselines >> b & 1;

		t->baseline_found[b] += said && o->leaks;
		t->baseline_false[b] += said && !(o->kinds & grows);
	}
}

static void count_one(struct tally *t, const struct outcome *o)
{
	bool undecided = o->kind == SEEP_KIND_UNDECIDED, is_long = o->has_heap && o->n >= LONG;

	t->n++;
	t->right += outcome_right(o);
	t->leaks += o->leaks;
	t->found += o->leaks && o->kind == SEEP_KIND_LEAK;
	t->leak_free += !(o->kinds & SCORE_KIND(SEEP_KIND_LEAK));
	t->false_leaks += outcome_false_leak(o);
	t->undecided += undecided;
	t->long_heap += is_long;
	t->long_heap_undecided += is_long && undecided;
	t->kinds[o->kind]++;
	t->cost += cost_of(o);
	t->contradictions += !o->adds_up;
	count_answers(t, o);
	count_rate(t, o);
	count_baselines(t, o);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct tally tally_count(const struct score_set *set, size_t scenario)
{
	double *widths = calloc(set->n + 1, sizeof(*widths));
	struct tally t = { .width = NAN };
	size_t i, n = 0;

	for (i = 0; i < set->n; i++) {
		const struct outcome *o = &set->outcomes[i];

		if (!o->filled || (scenario != SIZE_MAX && o->scenario != scenario))
			continue;
		count_one(&t, o);
		if (widths && has_rate(o) && o->kind == SEEP_KIND_LEAK)
			widths[n++] = (o->high - o->low) / o->truth;
	}
	if (n) {
		qsort(widths, n, sizeof(*widths), compare);
		t.width = widths[n / 2];
	}
	free(widths);
	return t;
}
