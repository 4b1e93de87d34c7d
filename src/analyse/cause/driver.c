/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Columns are candidates: the number of events, the time, and each counter, as a sum and as a
 * running maximum.  subset.c compares all sets of one and two of them by BIC; the sets that win
 * clearly become models, and glsmix.c estimates those that are about as good as the best.
 */
#include "analyse/cause/driver.h"

#include "analyse/cause/driver_levels.h"
#include "analyse/cause/subset.h"
#include "analyse/series/average.h"
#include "analyse/series/glsmix.h"
#include "analyse/threshold/thresholds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS_MAX 12          /* compared together; of more, those that fit best alone */
#define DRIVERS_MOST 8

/* A candidate.  The first one is the constant part: the number of events. */
struct column {
	size_t counter;
	bool events, time, maximum;
};

struct columns {
	size_t n;
	size_t first;            /* of the counters: sums, then as many maxima, if any */
	struct column items[SEEP_SUBSET_COLUMNS];
};

/* One column, or two if both is set. */
struct model {
	size_t one, two;
	bool both;
	double bic;
};

/* The level growth->bytes[i] holds in front of the event growth->events[i]. */
static void sum_up(double *to, const struct seep_driver_levels *growth, const struct seep_run *run,
		   const double *values)
{
	size_t i, at = seep_run_place(run, (int64_t)growth->events[0]);
	double sum = 0;

	for (i = 0; i < growth->n; i++) {
		while (at < run->n_events && (double)run->events[at].number < growth->events[i])
			sum += values[at++];
		to[i] = sum;
	}
}

/* The largest of all events before that, from the start of the run on. */
static void take_maximum(double *to, const struct seep_driver_levels *growth,
			 const struct seep_run *run,
			 const double *values)
{
	double most = run->n_events ? values[0] : 0;
	size_t i, at = 0;

	for (i = 0; i < growth->n; i++) {
		for (; at < run->n_events && (double)run->events[at].number < growth->events[i];
		     at++)
			most = fmax(most, values[at]);
		to[i] = most;
	}
}

/* The values of a column; into scratch, if they are not there already. */
static const double *read_column(double *scratch, const struct seep_driver_levels *growth,
				 const struct seep_run *run, const struct column *column)
{
	if (column->events)
		return growth->events;
	if (column->time)
		return growth->seconds;
	if (column->maximum)
		take_maximum(scratch, growth, run, run->counters[column->counter].values);
	else
		sum_up(scratch, growth, run, run->counters[column->counter].values);
	return scratch;
}

/* If events are slices of time, time says the same as their number. */
static bool has_time(const struct seep_run *run)
{
	return !seep_run_has_slices(run);
}

/* The maximum of an event that is not in the trace is not known. */
static void list_columns(struct columns *columns, const struct seep_run *run,
			 const size_t *counters, size_t n, bool maxima)
{
	size_t i;

	memset(columns, 0, sizeof(*columns));
	columns->items[columns->n++].events = true;
	if (has_time(run))
		columns->items[columns->n++].time = true;
	columns->first = columns->n;
	for (i = 0; i < n; i++)
		columns->items[columns->n++].counter = counters[i];
	for (i = 0; i < n && maxima && run->stride <= 1; i++)
		columns->items[columns->n++] = (struct column){
			.counter = counters[i], .maximum = true,
		};
}

static void judge(struct seep_subset *out, const struct seep_driver_levels *growth,
		  const struct seep_run *run, const struct columns *columns, bool pairs,
		  struct seep_arena *arena)
{
	struct seep_subset_data data = {
		.rows = seep_average_count(growth->n, SEEP_SUBSET_ROWS), .n_columns = columns->n,
		.quantum = growth->quantum,
	};
	double *scratch = seep_arena_array(arena, growth->n, sizeof(double));
	double *y = seep_arena_array(arena, data.rows, sizeof(double));
	size_t k;

	seep_average_rows(y, data.rows, growth->bytes, growth->n);
	data.y = y;
	for (k = 0; k < columns->n; k++) {
		data.columns[k] = seep_arena_array(arena, data.rows, sizeof(double));
		seep_average_rows(data.columns[k], data.rows,
				  read_column(scratch, growth, run, &columns->items[k]),
				  growth->n);
	}
	seep_subset_judge(out, &data, pairs, arena);
}

struct score {
	size_t counter;
	double bic;
};

static int compare_scores(const void *a, const void *b)
{
	const struct score *x = a, *y = b;

	if (x->bic < y->bic || x->bic > y->bic)
		return x->bic < y->bic ? -1 : 1;
	return x->counter < y->counter ? -1 : x->counter > y->counter;
}

/* How well each counter explains the growth alone. */
static void score_counters(size_t *counters, size_t n, const struct seep_driver_levels *growth,
			   const struct seep_run *run)
{
	struct seep_arena arena;
	struct score *scores;
	size_t i, k, each;

	seep_arena_init(&arena);
	scores = seep_arena_array(&arena, n, sizeof(*scores));
	for (i = 0; i < n; i += each) {
		struct seep_arena scratch;
		struct columns columns;
		struct seep_subset subset;

		seep_arena_init(&scratch);
		each = n - i < COUNTERS_MAX ? n - i : COUNTERS_MAX;
		list_columns(&columns, run, counters + i, each, growth->n >= DRIVER_ROWS_MAXIMUM);
		judge(&subset, growth, run, &columns, false, &scratch);
		for (k = columns.first; k < columns.n; k++) {
			struct score *score = &scores[i + (k - columns.first) % each];

			if (k < columns.first + each)
				*score = (struct score){ columns.items[k].counter, INFINITY };
			score->bic = fmin(score->bic, subset.one[k]);
		}
		seep_arena_release(&scratch);
	}
	qsort(scores, n, sizeof(*scores), compare_scores);
	for (i = 0; i < n; i++)
		counters[i] = scores[i].counter;
	seep_arena_release(&arena);
}

static size_t pick_counters(size_t *counters, const struct seep_driver_levels *growth,
			    const struct seep_run *run)
{
	size_t c, n = 0;

	for (c = 0; c < run->n_counters; c++)
		if (!run->counters[c].gauge && run->counters[c].given)
			counters[n++] = c;
	if (n <= COUNTERS_MAX)
		return n;
	score_counters(counters, n, growth, run);
	return COUNTERS_MAX;
}

static int compare_models(const void *a, const void *b)
{
	const struct model *x = a, *y = b;

	if (x->bic < y->bic || x->bic > y->bic)
		return x->bic < y->bic ? -1 : 1;
	if (x->one != y->one)
		return x->one < y->one ? -1 : 1;
	return x->two < y->two ? -1 : x->two > y->two;
}

/*
 * One column, with or without a constant part, that beats the constant; or two that beat each one
 * alone.  The more candidates there are, the clearer it must be.
 */
static size_t list_models(struct model *models, const struct seep_subset *subset,
			  const struct columns *columns, bool pairs)
{
	double alone[SEEP_SUBSET_COLUMNS], price[SEEP_SUBSET_COLUMNS];
	double constant = fmin(subset->one[0], subset->none);
	size_t j, k, found = 0, n = columns->n;

	for (k = 1; k < n; k++) {
		price[k] = log((double)(n - 1)) +
			   (columns->items[k].maximum ? DRIVER_MAXIMUM_DOUBT : 0);
		alone[k] = fmin(subset->one[k], subset->two[0][k]) + price[k];
		if (alone[k] < constant - DRIVER_CLEAR)
			models[found++] = (struct model){ .one = k, .bic = alone[k] };
	}
	for (k = 1; k < n && pairs; k++)
		for (j = 1; j < k; j++) {
			double bic = subset->two[j][k] + price[j] + price[k];
			double without = fmin(fmin(alone[j], alone[k]), constant);

			if (bic < without - DRIVER_CLEAR)
				models[found++] = (struct model){ j, k, true, bic };
		}
	qsort(models, found, sizeof(*models), compare_models);
	return found;
}

/* The part of the variance of the steps that the fit explains. */
static double explained(const struct seep_driver_levels *g, const struct seep_glsmix_data *data,
			const double *by)
{
	double left = 0, all = 0, mean;
	size_t i, k, n = g->n;

	mean = (g->bytes[n - 1] - g->bytes[0]) / (g->events[n - 1] - g->events[0]);
	for (i = 0; i + 1 < n; i++) {
		double step = g->bytes[i + 1] - g->bytes[i], fitted = 0;
		double usual = mean * (g->events[i + 1] - g->events[i]);

		for (k = 1; k < data->p; k++)
			fitted += by[k] * (data->x[k][i + 1] - data->x[k][i]);
		left += (step - fitted) * (step - fitted);
		all += (step - usual) * (step - usual);
	}
	return all > 0 ? fmax(1 - left / all, 0) : 0;
}

/* May the part that comes with every event be nothing? */
static bool is_proportional(const struct seep_driver_levels *g, const struct seep_glsmix_data *data)
{
	double total = fabs(g->bytes[g->n - 1] - g->bytes[0]), part;
	struct seep_glsmix_data with = *data;
	struct seep_glsmix constant;

	with.x[with.p] = g->events;
	with.column = with.p++;
	seep_glsmix_fit(&constant, &with);
	if (!constant.known)
		return true;
	part = fabs(constant.mean) * (g->events[g->n - 1] - g->events[0]);
	return (constant.low <= 0 && constant.high >= 0) || part <= DRIVER_CONSTANT * total;
}

static struct seep_driver start_driver(const struct column *one, const struct column *two)
{
	struct seep_driver driver = {
		.counter = one->counter, .time = one->time, .running_maximum = one->maximum,
	};

	if (!two)
		return driver;
	driver.combined = true;
	driver.second_counter = two->counter;
	driver.second_time = two->time;
	driver.second_running_maximum = two->maximum;
	return driver;
}

/* False if the growth turns out not to follow it. */
static bool describe(struct seep_driver *driver, const struct model *model,
		     const struct columns *columns, const struct seep_driver_levels *g,
		     const struct seep_run *run, double *const scratch[2])
{
	const struct column *items[] = {
		NULL, &columns->items[model->one],
		model->both ? &columns->items[model->two] : NULL,
	};
	struct seep_estimate *estimates[] = {
		NULL, &driver->bytes_per_unit, &driver->second_bytes_per_unit,
	};
	struct seep_glsmix_data data = { .y = g->bytes, .n = g->n, .quantum = g->quantum };
	double by[4] = { 0 };
	size_t k, n_terms = model->both ? 2 : 1;

	*driver = start_driver(items[1], items[2]);
	for (k = 1; k <= n_terms; k++)
		data.x[k] = read_column(scratch[k - 1], g, run, items[k]);
	data.p = 1 + n_terms;
	driver->proportional = is_proportional(g, &data);
	if (!driver->proportional)
		data.x[data.p++] = g->events;
	for (k = 1; k < data.p; k++) {
		struct seep_glsmix fit;

		data.column = k;
		seep_glsmix_fit(&fit, &data);
		by[k] = fit.mean;
		if (k > n_terms)
			continue;
		if (!fit.known || !(fit.mean > 0))
			return false;
		*estimates[k] = (struct seep_estimate){ true, fit.mean, fit.low, fit.high };
	}
	driver->r2 = explained(g, &data, by);
	return true;
}

/* All that are about as good as the best. */
static size_t keep_best(struct seep_driver *drivers, const struct model *models, size_t n,
			const struct columns *columns, const struct seep_driver_levels *growth,
			const struct seep_run *run, struct seep_arena *arena)
{
	double *const scratch[] = {
		seep_arena_array(arena, growth->n, sizeof(double)),
		seep_arena_array(arena, growth->n, sizeof(double)),
	};
	size_t i, kept = 0;

	for (i = 0; i < n && models[i].bic < models[0].bic + DRIVER_CLEAR; i++)
		if (kept < DRIVERS_MOST &&
		    describe(&drivers[kept], &models[i], columns, growth, run, scratch))
			kept++;
	return kept;
}

void seep_driver_find(struct seep_driver **drivers, size_t *n_drivers,
		      const struct seep_driver_question *question, struct seep_arena *arena)
{
	const struct seep_run *run = question->run;
	struct seep_driver_levels growth = { 0 };
	struct model models[SEEP_SUBSET_COLUMNS * SEEP_SUBSET_COLUMNS];
	struct seep_subset subset;
	struct columns columns;
	size_t *counters = seep_arena_array(arena, run->n_counters, sizeof(*counters));
	size_t n;

	seep_driver_levels_by_survivors(&growth, run, question->leaks, question->n_leaks, arena);
	if (growth.n < DRIVER_ROWS)
		seep_driver_levels_by_series(&growth, question->series, question->rate,
					     question->from_start);
	if (growth.n < DRIVER_ROWS)
		return;
	n = pick_counters(counters, &growth, run);
	list_columns(&columns, run, counters, n, growth.n >= DRIVER_ROWS_MAXIMUM);
	judge(&subset, &growth, run, &columns, true, arena);
	n = list_models(models, &subset, &columns, growth.n >= DRIVER_ROWS_TWO);
	if (!n)
		return;
	*drivers = seep_arena_array(arena, DRIVERS_MOST, sizeof(**drivers));
	*n_drivers = keep_best(*drivers, models, n, &columns, &growth, run, arena);
}
