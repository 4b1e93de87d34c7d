/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/site/levels.h"

#include "analyse/series/rate.h"
#include "analyse/series/trend.h"
#include "analyse/threshold/thresholds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SITES_MOST 500           /* most sites that are judged */

/* The site's bytes at each dump, as a series. */
static void build_series(struct seep_series *series, const struct seep_site *site,
			 const struct seep_run *run, struct seep_arena *memory)
{
	size_t n = run->n_dumps, i;

	*series = (struct seep_series){
		.kind = SEEP_SERIES_HEAP,
		.n = n,
		.stride = 1,
		.events = seep_arena_array(memory, n, sizeof(size_t)),
		.index = seep_arena_array(memory, n, sizeof(double)),
		.values = seep_arena_array(memory, n, sizeof(double)),
		.seconds = seep_arena_array(memory, n, sizeof(double)),
		.restarts = seep_arena_array(memory, n, sizeof(bool)),
	};
	for (i = 0; i < n; i++) {
		series->index[i] = (double)run->dumps[i].event;
		series->seconds[i] = (double)run->dumps[i].t_ns * 1e-9;
	}
	for (i = 0; i < site->n_levels; i++)
		series->values[site->levels[i].dump] = site->levels[i].bytes;
	if (n > 1)
		series->stride = (series->index[n - 1] - series->index[0]) / (double)(n - 1);
}

static const struct seep_level *level_at(const struct seep_site *site, size_t dump)
{
	static const struct seep_level nothing;

	for (size_t i = 0; i < site->n_levels; i++)
		if (site->levels[i].dump == dump)
			return &site->levels[i];
	return &nothing;
}

/*
 * What was added between the first dump and the last is known no better than the number of samples
 * it is based on.  What was alive at both dumps is in both samples.
 */
static void widen(struct seep_rate *rate, const struct seep_site *site, size_t n)
{
	const struct seep_level *first = level_at(site, rate->first), *last = level_at(site, n - 1);
	struct seep_estimate *e = &rate->bytes_per_event;
	double variance = last->error_bytes * last->error_bytes -
			  first->error_bytes * first->error_bytes;
	double growth = last->bytes - first->bytes, low, high, scale;

	if (!(growth > 0) || !(variance > 0) || !e->known || !(e->value > 0))
		return;
	scale = e->value / growth;
	seep_rate_bound_count(growth, growth * growth / variance, &low, &high);
	e->low = fmin(e->low, low * scale);
	e->high = fmax(e->high, high * scale);
}

static bool is_sampled(const struct seep_site *site)
{
	for (size_t i = 0; i < site->n_levels; i++)
		if (site->levels[i].error_bytes > 0)
			return true;
	return false;
}

/* One of many sites rises by chance, which must not count if the total need not agree. */
static double doubt_of(const struct seep_run *run)
{
	return run->n_dumps < EVENTS_ALONE ? HEAP_DOUBT : HEAP_DOUBT / (double)run->n_sites;
}

static void judge(struct seep_cohort *cohort, const struct seep_trend *trend,
		  const struct seep_rate *rate, double level)
{
	switch (trend->course) {
	case SEEP_COURSE_GROWS:
		cohort->verdict = rate->bytes_per_event.low > 0 ? SEEP_SITE_LEAK
								      : SEEP_SITE_SUSPECT;
		break;
	case SEEP_COURSE_LEVELS_OFF:
	case SEEP_COURSE_STEP:
		cohort->verdict = SEEP_SITE_FILLING;
		cohort->kept_bytes = trend->rise;
		break;
	case SEEP_COURSE_OPEN:
		cohort->immature = true;
		cohort->event_bytes = level;
		cohort->events_needed = trend->needed;
		break;
	case SEEP_COURSE_FLAT:
	case SEEP_COURSE_TEETH:
		break;
	}
}

void seep_levels_judge(struct seep_cohort *cohort, const struct seep_site *site,
		       const struct seep_run *run, struct seep_arena *memory)
{
	struct seep_series series;
	struct seep_trend trend;
	struct seep_rate rate;
	double events;
	size_t n = run->n_dumps;

	memset(cohort, 0, sizeof(*cohort));
	cohort->verdict = SEEP_SITE_NONE;
	cohort->immature = true;
	cohort->events_needed = VALUES_FOR_RATE;
	if (n < VALUES_FOR_RATE || !site->n_levels)
		return;
	cohort->immature = false;
	cohort->events_needed = 0;
	build_series(&series, site, run, memory);
	seep_rate_estimate(&rate, &series);
	if (is_sampled(site))
		seep_trend_find_line(&trend, &series, &rate, doubt_of(run));
	else
		seep_trend_find(&trend, &series, &rate, doubt_of(run), memory);
	rate.bytes_per_event = trend.bytes_per_event;
	widen(&rate, site, n);
	cohort->bytes_per_event = rate.bytes_per_event;
	judge(cohort, &trend, &rate, series.values[n - 1]);
	events = series.index[n - 1] - series.index[rate.first];
	if (events > 0)
		cohort->objects_per_event = (level_at(site, n - 1)->blocks -
					     level_at(site, rate.first)->blocks) / events;
	cohort->first = (int64_t)series.index[rate.first];
	cohort->end = (int64_t)series.index[n - 1];
}

/* From the first quarter of the dumps to the last. */
static double find_rise(const struct seep_site *site, const struct seep_run *run)
{
	size_t quarter = run->n_dumps / 4 ? run->n_dumps / 4 : 1;
	double rise = 0;

	for (size_t i = 0; i < site->n_levels; i++) {
		if (site->levels[i].dump >= run->n_dumps - quarter)
			rise += site->levels[i].bytes;
		if (site->levels[i].dump < quarter)
			rise -= site->levels[i].bytes;
	}
	return rise / (double)quarter;
}

struct rise {
	double bytes;
	size_t site;
};

static int larger_first(const void *a, const void *b)
{
	const struct rise *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return x->site < y->site ? -1 : 1;
}

const bool *seep_levels_choose(const struct seep_run *run, struct seep_arena *memory)
{
	struct rise *rises;
	bool *chosen;

	if (!run->n_dumps || run->n_sites <= SITES_MOST)
		return NULL;
	rises = seep_arena_array(memory, run->n_sites, sizeof(*rises));
	chosen = seep_arena_array(memory, run->n_sites, sizeof(*chosen));
	for (size_t i = 0; i < run->n_sites; i++)
		rises[i] = (struct rise){ find_rise(&run->sites[i], run), i };
	qsort(rises, run->n_sites, sizeof(*rises), larger_first);
	for (size_t i = 0; i < SITES_MOST && rises[i].bytes > 0; i++)
		chosen[rises[i].site] = true;
	return chosen;
}
