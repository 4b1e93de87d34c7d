/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/verdict/evidence.h"

#include "analyse/threshold/thresholds.h"
#include "analyse/verdict/census.h"

#include <math.h>
#include <string.h>

#define STEADY_PARTS 16
#define STEADY_START 4           /* of these parts are the start, or the end */

void seep_evidence_add_rate(struct seep_estimate *sum, const struct seep_estimate *one)
{
	sum->known = true;
	sum->value += one->value;
	sum->low += one->low;
	sum->high += one->high;
}

bool seep_evidence_is_coarse(const struct seep_rate *rate)
{
	return rate->unseen > seep_trend_tolerance(rate) * seep_trend_events(rate);
}

double seep_evidence_finer_mean(const struct seep_rate *rate)
{
	double most = seep_trend_tolerance(rate) * seep_trend_events(rate) / SAMPLES_PLENTY;
	double mean = SAMPLE_MEAN_LEAST;

	while (2 * mean <= most && 2 * mean <= SAMPLE_MEAN_MOST)
		mean *= 2;
	return mean <= most ? mean : 0;
}

uint64_t seep_evidence_samples(const struct seep_evidence *evidence)
{
	uint64_t n = 0;
	size_t i, b;

	for (i = 0; i < evidence->run->n_sites; i++) {
		const struct seep_cohorts *c = &evidence->run->sites[i].cohorts;

		for (b = 0; c->samples && b < c->n_bins; b++)
			n += c->samples[b];
	}
	return n;
}

bool seep_evidence_grows(const struct seep_rate *rate, enum seep_series_kind kind)
{
	return rate->bytes_per_event.known && rate->bytes_per_event.low > 0 &&
	       rate->p_plus < (kind == SEEP_SERIES_RSS ? RSS_DOUBT : HEAP_DOUBT);
}

bool seep_evidence_agrees(const struct seep_evidence *evidence)
{
	const struct seep_estimate *total = &evidence->heap_rate.bytes_per_event;
	const struct seep_estimate *sites = &evidence->leak_rate;
	double slack = SITES_AGREE * sites->value;

	return total->known && sites->known && sites->low - slack <= total->high &&
	       sites->high + slack >= total->low;
}

/* A level estimated from few samples has their shape, not its own. */
static bool is_rough(const struct seep_series *heap, double mean)
{
	double low = INFINITY, high = -INFINITY;
	size_t i;

	for (i = 1; i < heap->n; i++) {
		low = fmin(low, heap->values[i]);
		high = fmax(high, heap->values[i]);
	}
	return mean > 0 && high - low < SAMPLES_SHAPE * mean;
}

static void find_trends(struct seep_evidence *evidence, struct seep_arena *arena)
{
	if (is_rough(&evidence->heap, (double)evidence->run->sampling.mean_bytes))
		seep_trend_find_line(&evidence->heap_trend, &evidence->heap,
				     &evidence->heap_rate, HEAP_DOUBT);
	else
		seep_trend_find(&evidence->heap_trend, &evidence->heap, &evidence->heap_rate,
				HEAP_DOUBT, arena);
	seep_trend_find(&evidence->rss_trend, &evidence->rss, &evidence->rss_rate, RSS_DOUBT,
			arena);
	seep_outside_find(&evidence->outside, evidence->run, &evidence->rss_trend,
			  &evidence->rss_rate,
			  evidence->rss_rate.n
				  ? (int64_t)evidence->rss.index[evidence->rss_rate.first] : 0);
}

static void find_rates(struct seep_evidence *evidence, struct seep_arena *arena)
{
	const struct seep_run *run = evidence->run;
	struct seep_series tracker;

	seep_series_build(&evidence->heap, run, SEEP_SERIES_HEAP, arena);
	seep_series_build(&evidence->rss, run, SEEP_SERIES_RSS, arena);
	seep_rate_estimate(&evidence->heap_rate, &evidence->heap);
	if (run->sampling.mean_bytes)
		seep_rate_widen(&evidence->heap_rate, (double)run->sampling.mean_bytes);
	seep_rate_estimate(&evidence->rss_rate, &evidence->rss);
	seep_series_build(&tracker, run, SEEP_SERIES_TRACKER, arena);
	seep_rate_estimate(&evidence->tracker_rate, &tracker);
}

static void close_sum(struct seep_evidence *evidence)
{
	bool heap = evidence->run->has_heap;
	const struct seep_rate *rate = heap ? &evidence->heap_rate : &evidence->rss_rate;
	const struct seep_series *series = heap ? &evidence->heap : &evidence->rss;
	struct seep_sum_question question = {
		.run = evidence->run,
		.first_event = rate->n ? (int64_t)series->index[rate->first] : 0,
		.rss = &evidence->rss_rate,
		.heap = &evidence->heap_rate,
		.tracker = &evidence->tracker_rate,
	};

	seep_sum_close(&evidence->sum, &question);
}

/*
 * The level may vary too much to show that the heap does not grow.  Does the death of nearly
 * everything show it, apart from sites that fill up?  except: bytes known to be kept once.
 */
static bool is_clean(const struct seep_evidence *evidence, double except)
{
	double events = seep_trend_events(&evidence->heap_rate), kept;
	const struct seep_estimate *bound = &evidence->clean_rate;

	/* what was kept is known to the byte, unless it was sampled */
	kept = evidence->run->sampling.mean_bytes
		? bound->high : bound->value + evidence->open_bytes / events;
	if (seep_evidence_is_coarse(&evidence->heap_rate))
		return false; /* what the sample may have missed is not known to have died */
	return evidence->run->n_sites && !evidence->run->n_dumps && !evidence->n_leaks &&
	       !evidence->grown && evidence->clock.complete >= CLEAN_EVENTS &&
	       kept - except / events < evidence->heap_trend.tolerance;
}

static void find_clean(struct seep_evidence *evidence)
{
	double events = seep_trend_events(&evidence->heap_rate);

	evidence->clean_rate = evidence->kept;
	evidence->clean_rate.known = true;
	evidence->clean_rate.low = 0;
	evidence->clean_rate.high += evidence->open_bytes / events;
	evidence->clean = is_clean(evidence, 0);
	evidence->clean_but_step = evidence->heap_trend.likely == SEEP_COURSE_STEP &&
				   is_clean(evidence, evidence->heap_trend.rise);
}

/*
 * The memory of a job that runs once has no steady level.  The means over equal parts of the run
 * differ by a good part of the largest one and of the whole process, they rarely change direction,
 * and the last ones differ too.
 */
static bool find_unsteady(const struct seep_series *series, double process)
{
	double means[STEADY_PARTS], least = INFINITY, most = 0, turn = 0;
	size_t i, k, turns = 0;

	if (!series->slices || series->n < STEADY_PARTS * 4)
		return false;
	for (k = 0; k < STEADY_PARTS; k++) {
		size_t first = k * series->n / STEADY_PARTS;
		size_t end = (k + 1) * series->n / STEADY_PARTS;

		means[k] = 0;
		for (i = first; i < end; i++)
			means[k] += series->values[i] / (double)(end - first);
		if (k >= STEADY_START) {
			least = fmin(least, means[k]);
			most = fmax(most, means[k]);
		}
	}
	for (k = STEADY_START + 1; k < STEADY_PARTS; k++) {
		double step = means[k] - means[k - 1];

		turns += step * turn < 0;
		turn = fabs(step) > 0 ? step : turn;
	}
	return most - least > UNSTEADY_PART * fmax(most, process) && turns <= UNSTEADY_TURNS &&
	       fabs(means[STEADY_PARTS - 1] - means[STEADY_PARTS - 1 - STEADY_START]) >
		       UNSTEADY_LAST * (most - least);
}

/* A part of the live heap; in slices of time, a part of the whole process. */
static double find_material(const struct seep_evidence *evidence)
{
	double part = MATERIAL_PART * evidence->heap_rate.level;

	if (evidence->slices)
		part = MATERIAL_PART_SLICES *
		       fmax(evidence->heap_rate.level, evidence->rss_rate.level);
	return fmax(part, MATERIAL_LEAST);
}

void seep_evidence_gather(struct seep_evidence *evidence, const struct seep_run *run,
			  double material_bytes, struct seep_arena *arena)
{
	memset(evidence, 0, sizeof(*evidence));
	evidence->run = run;
	evidence->slices = seep_run_has_slices(run);
	evidence->runtime = seep_runtime_find(run);
	find_rates(evidence, arena);
	evidence->material_bytes = material_bytes > 0 ? material_bytes : find_material(evidence);
	find_trends(evidence, arena);
	close_sum(evidence);
	seep_census_take(evidence, arena);
	find_clean(evidence);
	evidence->unsteady = find_unsteady(&evidence->heap, evidence->rss_rate.level);
	evidence->rss_unsteady = find_unsteady(&evidence->rss, 0);
}
