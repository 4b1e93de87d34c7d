/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/driver.h"

#include "analyse/glsmix.h"

#include <math.h>
#include <stdlib.h>

#define ROWS_MIN 6               /* levels, that is five steps */
#define BIC_CLEAR 6              /* odds of about 20 to 1 */
#define CONSTANT_SMALL 1e-3      /* part of the growth below which a constant is none */

/* Levels of the growth at the same moments as the sums of events and of counters. */
struct growth {
	size_t n;
	double *bytes;
	double *events;
	double quantum;
};

struct candidate {
	struct seep_driver driver;
	double bic;
};

static double sum_counts(const struct seep_run *run, const struct seep_counter *counter,
			 int64_t first, int64_t end)
{
	double sum = 0;
	size_t i;

	for (i = seep_run_place(run, first); i < run->n_events && run->events[i].number < end; i++)
		sum += counter->values[i];
	return sum;
}

/* The level growth->bytes[i] holds in front of the event growth->events[i]. */
static double *sum_counter(const struct growth *growth, const struct seep_run *run,
			   const struct seep_counter *counter, struct seep_arena *arena)
{
	double *sums = seep_arena_array(arena, growth->n, sizeof(double));
	size_t i;

	for (i = 0; i + 1 < growth->n; i++)
		sums[i + 1] = sums[i] + sum_counts(run, counter, (int64_t)growth->events[i],
						   (int64_t)growth->events[i + 1]);
	return sums;
}

static uint64_t survivors(const struct seep_site *site, int64_t first, int64_t end)
{
	const struct seep_cohorts *c = &site->cohorts;
	uint64_t bytes = 0;
	size_t b;

	for (b = 0; b < c->n_bins; b++) {
		int64_t start = c->first_event + (int64_t)b * c->events_per_bin;

		if (start >= first && start < end)
			bytes += c->live_bytes[b];
	}
	return bytes;
}

/* Do bins of all the sites begin at this event? */
static bool is_boundary(const struct seep_driver_leak *leaks, size_t n_leaks, int64_t event)
{
	size_t i;

	for (i = 0; i < n_leaks; i++) {
		const struct seep_cohorts *c = &leaks[i].site->cohorts;

		if ((event - c->first_event) % c->events_per_bin)
			return false;
	}
	return true;
}

/* Where the next bin of the first site begins, or the end, which comes but once. */
static int64_t next_boundary(const struct seep_driver_leak *leaks, int64_t event, int64_t end)
{
	const struct seep_cohorts *c = &leaks[0].site->cohorts;
	int64_t into = (event - c->first_event) % c->events_per_bin, next;

	next = event + c->events_per_bin - (into < 0 ? into + c->events_per_bin : into);
	return next > end && event < end ? end : next;
}

/* Survivors of all the leaks by cohort.  The last cohort may be short if all end there. */
static void grow_by_survivors(struct growth *growth, const struct seep_run *run,
			      const struct seep_driver_leak *leaks, size_t n_leaks,
			      struct seep_arena *arena)
{
	int64_t first = 0, end = n_leaks ? leaks[0].end : 0, event, before = -1, width;
	bool same_end = true;
	size_t i, room = 0;

	for (i = 0; i < n_leaks; i++) {
		if (leaks[i].site->cohorts.events_per_bin < 1)
			return;
		same_end = same_end && leaks[i].end == leaks[0].end;
		first = leaks[i].first > first ? leaks[i].first : first;
		end = leaks[i].end < end ? leaks[i].end : end;
	}
	if (end <= first)
		return;
	width = leaks[0].site->cohorts.events_per_bin;
	room = (size_t)((end - first) / width) + 3;
	if (room > run->n_events + SEEP_TRACE_COHORT_BINS)
		return; /* more cohorts than there can be: damage */
	growth->bytes = seep_arena_array(arena, room, sizeof(double));
	growth->events = seep_arena_array(arena, room, sizeof(double));
	for (event = first; event <= end; event = next_boundary(leaks, event, end)) {
		if (!is_boundary(leaks, n_leaks, event) && !(event == end && same_end))
			continue;
		if (growth->n)
			growth->bytes[growth->n] = growth->bytes[growth->n - 1];
		for (i = 0; i < n_leaks && growth->n; i++)
			growth->bytes[growth->n] +=
				(double)survivors(leaks[i].site, before, event);
		growth->events[growth->n++] = (double)event;
		before = event;
	}
}

static void grow_by_series(struct growth *growth, const struct seep_series *series,
			   const struct seep_rate *rate)
{
	growth->n = rate->n;
	growth->bytes = series->values + rate->first;
	growth->events = series->index + rate->first;
	growth->quantum = series->quantum;
}

static double bic_of(const struct seep_glsmix *fit, size_t p)
{
	if (!fit->known)
		return INFINITY;
	return -2 * fit->log_ml + (double)p * log((double)fit->rows);
}

/* The part of the variance of the steps that the fit explains. */
static double explained(const struct growth *g, const double *counts, double per_unit,
			double per_event)
{
	double left = 0, all = 0, mean;
	size_t i, n = g->n;

	mean = (g->bytes[n - 1] - g->bytes[0]) / (g->events[n - 1] - g->events[0]);
	for (i = 0; i + 1 < n; i++) {
		double step = g->bytes[i + 1] - g->bytes[i];
		double events = g->events[i + 1] - g->events[i];
		double fitted = per_unit * (counts[i + 1] - counts[i]) + per_event * events;

		left += (step - fitted) * (step - fitted);
		all += (step - mean * events) * (step - mean * events);
	}
	return all > 0 ? fmax(1 - left / all, 0) : 0;
}

static void judge(struct candidate *candidate, const struct growth *g, const double *counts)
{
	struct seep_driver *driver = &candidate->driver;
	struct seep_glsmix_data data = {
		.y = g->bytes, .x = { NULL, counts, g->events }, .n = g->n, .quantum = g->quantum,
	};
	struct seep_glsmix alone, with, constant, *fit;
	double total = fabs(g->bytes[g->n - 1] - g->bytes[0]), part;

	data.p = 2;
	data.column = 1;
	seep_glsmix_fit(&alone, &data);
	data.p = 3;
	seep_glsmix_fit(&with, &data);
	data.column = 2;
	seep_glsmix_fit(&constant, &data);
	candidate->bic = INFINITY;
	if (!alone.known || !with.known || !constant.known)
		return; /* the same in every event: this is the constant */
	part = fabs(constant.mean) * (g->events[g->n - 1] - g->events[0]);
	driver->proportional = (constant.low <= 0 && constant.high >= 0) ||
			       part <= CONSTANT_SMALL * total;
	fit = driver->proportional ? &alone : &with;
	if (fit->mean > 0)
		candidate->bic = fmin(bic_of(&alone, 2), bic_of(&with, 3));
	driver->bytes_per_unit = (struct seep_estimate){ true, fit->mean, fit->low, fit->high };
	driver->r2 = explained(g, counts, fit->mean, driver->proportional ? 0 : constant.mean);
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->bic < y->bic || x->bic > y->bic)
		return x->bic < y->bic ? -1 : 1;
	return x->driver.counter < y->driver.counter ? -1 : x->driver.counter > y->driver.counter;
}

static void keep_best(struct seep_verdict *verdict, struct candidate *all, size_t n,
		      double constant_bic, struct seep_arena *arena)
{
	size_t i;

	qsort(all, n, sizeof(*all), compare_candidates);
	verdict->drivers = seep_arena_array(arena, n, sizeof(*verdict->drivers));
	for (i = 0; i < n; i++) {
		if (!(all[i].bic < constant_bic - BIC_CLEAR) ||
		    !(all[i].bic < all[0].bic + BIC_CLEAR))
			break;
		verdict->drivers[verdict->n_drivers++] = all[i].driver;
	}
}

void seep_driver_find(struct seep_verdict *verdict, const struct seep_run *run,
		      const struct seep_driver_leak *leaks, size_t n_leaks,
		      const struct seep_series *series, const struct seep_rate *rate,
		      struct seep_arena *arena)
{
	struct growth growth = { 0 };
	struct candidate *all;
	struct seep_glsmix constant;
	size_t c, n = 0;

	grow_by_survivors(&growth, run, leaks, n_leaks, arena);
	if (growth.n < ROWS_MIN)
		grow_by_series(&growth, series, rate);
	if (growth.n < ROWS_MIN)
		return;
	all = seep_arena_array(arena, run->n_counters, sizeof(*all));
	for (c = 0; c < run->n_counters; c++) {
		const struct seep_counter *counter = &run->counters[c];

		if (counter->gauge || !counter->given)
			continue;
		all[n].driver.counter = c;
		judge(&all[n++], &growth, sum_counter(&growth, run, counter, arena));
	}
	if (!n)
		return;
	seep_glsmix_trend(&constant, growth.bytes, growth.events, growth.n, growth.quantum);
	keep_best(verdict, all, n, bic_of(&constant, 2), arena);
}
