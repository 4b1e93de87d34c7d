/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/verdict/evidence.h"

#include "analyse/verdict/grown.h"
#include "analyse/site/levels.h"
#include "analyse/site/survival.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_PLENTY 32
#define SAMPLES_SHAPE 50
#define MEAN_LEAST 1000.0
#define MEAN_MOST 512000.0
#define RSS_DOUBT .01            /* RSS wanders like a leak more often than its interval says */
#define HEAP_DOUBT .025

#define RANK_REST 3
#define CLEAN_EVENTS 20
#define CONTRADICTED_EVENTS 10
#define BALANCED .2              /* of what the sites keep: the total does not grow by it */
#define MATERIAL_BYTES 65536.0
#define MATERIAL_PART .01

static int rank_of(const struct seep_site_result *result)
{
	switch (result->verdict) {
	case SEEP_SITE_LEAK:
		return result->site->kind == SEEP_SITE_HEAP ? 0 : 1;
	case SEEP_SITE_REALLOC_GROWTH:
	case SEEP_SITE_BACKLOG:
		return 0;
	case SEEP_SITE_FILLING:
	case SEEP_SITE_DRAINING:
	case SEEP_SITE_WEAK:
		return 2;
	case SEEP_SITE_NONE:
		break;
	}
	return RANK_REST;
}

static int compare(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int compare_sites(const void *a, const void *b)
{
	const struct seep_site_result *x = a, *y = b;
	int order = rank_of(x) - rank_of(y);

	if (!order && rank_of(x) < RANK_REST)
		order = compare(x->bytes_per_event.value, y->bytes_per_event.value);
	if (!order)
		order = compare((double)x->live_bytes, (double)y->live_bytes);
	if (!order)
		order = compare((double)x->site->born_bytes, (double)y->site->born_bytes);
	if (!order)
		order = x->site->id < y->site->id ? -1 : x->site->id > y->site->id;
	return order;
}

static void count_live(struct seep_site_result *result)
{
	const struct seep_cohorts *c = &result->site->cohorts;
	size_t b;

	result->live_blocks = c->early_blocks;
	result->live_bytes = c->early_bytes;
	for (b = 0; b < c->n_bins; b++) {
		result->live_blocks += c->live_blocks[b];
		result->live_bytes += c->live_bytes[b];
	}
	if (result->live_blocks)
		result->object_bytes = (double)result->live_bytes / (double)result->live_blocks;
}

void seep_evidence_add_rate(struct seep_estimate *sum, const struct seep_estimate *one)
{
	sum->known = true;
	sum->value += one->value;
	sum->low += one->low;
	sum->high += one->high;
}

/* Outside the heap. */
static void note_other(struct seep_evidence *evidence, const struct seep_site *site,
		       const struct seep_cohort *cohort)
{
	if (cohort->verdict != SEEP_SITE_LEAK)
		return;
	evidence->others[evidence->n_others++] =
		(struct seep_driver_leak){ site, cohort->first, cohort->end };
	seep_evidence_add_rate(&evidence->others_rate, &cohort->bytes_per_event);
	evidence->others_died += site->died_blocks;
}

static void note_leak(struct seep_evidence *evidence, const struct seep_site *site,
		      const struct seep_cohort *cohort)
{
	evidence->leaks[evidence->n_leaks++] =
		(struct seep_driver_leak){ site, cohort->first, cohort->end };
	seep_evidence_add_rate(&evidence->leak_rate, &cohort->bytes_per_event);
	evidence->mature += cohort->mature;
	evidence->surviving += cohort->surviving;
	evidence->leak_born += site->born_blocks;
	evidence->leak_died += site->died_blocks;
}

/* What it keeps per event is a sum of many that are known badly: their errors add up as squares. */
static void note_clean(struct seep_evidence *evidence, const struct seep_estimate *rate)
{
	struct seep_estimate *kept = &evidence->kept;
	double error = kept->high - kept->value, more = rate->high - rate->value;

	kept->value += rate->value;
	kept->high = kept->value + sqrt(error * error + more * more);
}

static void note_bytes(struct seep_evidence *evidence, const struct seep_cohort *cohort)
{
	bool filling = cohort->verdict == SEEP_SITE_FILLING;

	if (filling && cohort->still_fills)
		evidence->still_filling_bytes += cohort->kept_bytes;
	if (filling) {
		evidence->filling_bytes += cohort->kept_bytes;
		seep_evidence_add_rate(&evidence->filling_rate, &cohort->recent);
	}
	else if (cohort->verdict == SEEP_SITE_WEAK || cohort->immature)
		evidence->open_bytes += cohort->event_bytes;
	else if (cohort->verdict == SEEP_SITE_NONE)
		note_clean(evidence, &cohort->bytes_per_event);
	if (cohort->evicts && cohort->verdict != SEEP_SITE_LEAK)
		evidence->evicting_bytes += cohort->event_bytes;
}

static void note_site(struct seep_evidence *evidence, const struct seep_site_result *result,
		      const struct seep_cohort *cohort)
{
	double doubled = 2 * (double)evidence->clock.complete, needed = cohort->events_needed;

	note_bytes(evidence, cohort);
	switch (cohort->verdict) {
	case SEEP_SITE_LEAK:
		note_leak(evidence, result->site, cohort);
		return;
	case SEEP_SITE_FILLING:
		evidence->filling++;
		needed = doubled; /* it must be seen to stop */
		break;
	case SEEP_SITE_DRAINING:
		evidence->draining++;
		needed = doubled;
		break;
	case SEEP_SITE_WEAK:
		evidence->weak++;
		break;
	default:
		if (!cohort->immature || !result->live_blocks)
			return;
		evidence->immature++;
	}
	evidence->sites_needed = fmax(evidence->sites_needed, needed);
}

static void fill_survival(struct seep_site_result *result, int64_t complete)
{
	struct seep_survival survival;

	seep_survival_estimate(&survival, result->site, complete);
	result->kept = survival.kept;
	result->kept_age = survival.age;
}

/* The event in which the program began anew for the last time, if growth is told by such parts. */
static int64_t find_restart(const struct seep_evidence *evidence)
{
	const struct seep_series *heap = &evidence->heap;
	size_t i = heap->n;

	if (evidence->heap_trend.told_by != SEEP_TOLD_BY_RESTARTS)
		return 0;
	while (i-- > 0)
		if (heap->restarts[i])
			return (int64_t)heap->index[i];
	return 0;
}

static void judge_site(struct seep_cohort *cohort, const struct seep_site *site,
		       const struct seep_evidence *evidence, bool chosen)
{
	struct seep_arena scratch;

	if (!evidence->run->n_dumps) {
		seep_cohort_judge(cohort, site, evidence->clock);
		return;
	}
	if (!chosen) {
		memset(cohort, 0, sizeof(*cohort));
		cohort->verdict = SEEP_SITE_NONE;
		return;
	}
	seep_arena_init(&scratch);
	seep_levels_judge(cohort, site, evidence->run, &scratch);
	seep_arena_release(&scratch);
}

static void take_from(struct seep_estimate *sum, const struct seep_estimate *one)
{
	sum->value -= one->value;
	sum->low -= one->low;
	sum->high -= one->high;
}

/* What it has come to counts, as it does for a leak that gets faster. */
static void slow_down(struct seep_cohort *cohort)
{
	struct seep_estimate *e = &cohort->bytes_per_event;

	e->value = cohort->recent.value;
	e->low = fmin(e->low, cohort->recent.low);
	e->high = fmax(e->high, cohort->recent.high);
}

/*
 * A site that keeps a little less than it did looks as if it filled up.  It does not, if the
 * heap goes on, at the end as well, surely by more than the leaking sites and half of that one.
 */
static void accuse_filling(struct seep_evidence *evidence)
{
	const struct seep_trend *heap = &evidence->heap_trend;
	struct seep_cohort cohort;
	size_t i;

	if (!evidence->n_leaks || !evidence->filling || evidence->run->n_dumps ||
	    heap->course != SEEP_COURSE_GROWS)
		return;
	for (i = 0; i < evidence->run->n_sites; i++) {
		struct seep_site_result *result = &evidence->sites[i];

		if (result->verdict != SEEP_SITE_FILLING || result->site->kind != SEEP_SITE_HEAP)
			continue;
		seep_cohort_judge(&cohort, result->site, evidence->clock);
		if (cohort.verdict != SEEP_SITE_FILLING || !cohort.still_fills ||
		    heap->bytes_per_event.low <=
			    evidence->leak_rate.high + cohort.recent.value / 2)
			continue;
		result->verdict = SEEP_SITE_LEAK;
		slow_down(&cohort);
		result->bytes_per_event = cohort.bytes_per_event;
		note_leak(evidence, result->site, &cohort);
		evidence->filling--;
		evidence->filling_bytes -= cohort.kept_bytes;
		evidence->still_filling_bytes -= cohort.kept_bytes;
		take_from(&evidence->filling_rate, &cohort.recent);
	}
}

static void judge_sites(struct seep_evidence *evidence, struct seep_arena *arena)
{
	const struct seep_run *run = evidence->run;
	const bool *chosen = seep_levels_choose(run, arena);
	size_t i;

	evidence->sites = seep_arena_array(arena, run->n_sites, sizeof(*evidence->sites));
	evidence->leaks = seep_arena_array(arena, run->n_sites, sizeof(*evidence->leaks));
	evidence->others = seep_arena_array(arena, run->n_sites, sizeof(*evidence->others));
	evidence->clock = seep_cohort_read_clock(run);
	evidence->clock.restart = find_restart(evidence);
	for (i = 0; i < run->n_sites; i++) {
		struct seep_site_result *result = &evidence->sites[i];
		struct seep_cohort cohort;

		result->site = &run->sites[i];
		count_live(result);
		judge_site(&cohort, result->site, evidence, !chosen || chosen[i]);
		result->verdict = cohort.verdict;
		result->bytes_per_event = cohort.bytes_per_event;
		result->objects_per_event = cohort.objects_per_event;
		result->mature_age = cohort.mature_age;
		if (!run->n_dumps)
			fill_survival(result, evidence->clock.complete);
		if (seep_grown_take(evidence, result, &cohort))
			continue;
		if (result->site->kind == SEEP_SITE_HEAP)
			note_site(evidence, result, &cohort);
		else
			note_other(evidence, result->site, &cohort);
	}
	accuse_filling(evidence);
	seep_grown_settle(evidence);
	if (run->n_sites)
		qsort(evidence->sites, run->n_sites, sizeof(*evidence->sites), compare_sites);
}

/* A level that was estimated from few samples has the shape of these. */
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
			  &evidence->rss_rate);
}

void seep_evidence_gather(struct seep_evidence *evidence, const struct seep_run *run,
			  struct seep_arena *arena)
{
	struct seep_series tracker;

	memset(evidence, 0, sizeof(*evidence));
	evidence->run = run;
	evidence->from_heap = run->has_heap;
	seep_series_build(&evidence->heap, run, SEEP_SERIES_HEAP, arena);
	seep_series_build(&evidence->rss, run, SEEP_SERIES_RSS, arena);
	seep_rate_estimate(&evidence->heap_rate, &evidence->heap);
	if (run->sampling.mean_bytes)
		seep_rate_widen(&evidence->heap_rate, (double)run->sampling.mean_bytes);
	seep_rate_estimate(&evidence->rss_rate, &evidence->rss);
	seep_series_build(&tracker, run, SEEP_SERIES_TRACKER, arena);
	seep_rate_estimate(&evidence->tracker_rate, &tracker);
	evidence->series = evidence->from_heap ? &evidence->heap : &evidence->rss;
	evidence->rate = evidence->from_heap ? &evidence->heap_rate : &evidence->rss_rate;
	find_trends(evidence, arena);
	evidence->trend = evidence->from_heap ? &evidence->heap_trend : &evidence->rss_trend;
	judge_sites(evidence, arena);
}

bool seep_evidence_is_coarse(const struct seep_rate *rate)
{
	return rate->unseen > seep_trend_tolerance(rate) * seep_trend_events(rate);
}

double seep_evidence_finer_mean(const struct seep_rate *rate)
{
	double most = seep_trend_tolerance(rate) * seep_trend_events(rate) / SAMPLES_PLENTY;
	double mean = MEAN_LEAST;

	while (2 * mean <= most && 2 * mean <= MEAN_MOST)
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
	double slack = .1 * sites->value;

	return total->known && sites->known && sites->low - slack <= total->high &&
	       sites->high + slack >= total->low;
}

bool seep_evidence_is_clean(const struct seep_evidence *evidence, double except,
			    struct seep_estimate *bound)
{
	double events = seep_trend_events(&evidence->heap_rate), kept;

	*bound = evidence->kept;
	bound->known = true;
	bound->low = 0;
	bound->high += evidence->open_bytes / events;
	/* what was kept is known to the byte, unless it was sampled */
	kept = evidence->run->sampling.mean_bytes
		? bound->high : bound->value + evidence->open_bytes / events;
	return evidence->run->n_sites && !evidence->run->n_dumps && !evidence->n_leaks &&
	       !evidence->grown &&
	       evidence->clock.complete >= CLEAN_EVENTS &&
	       kept - except / events < evidence->heap_trend.tolerance;
}

bool seep_evidence_is_contradicted(const struct seep_evidence *evidence)
{
	const struct seep_trend *heap = &evidence->heap_trend;

	return evidence->heap.n >= CONTRADICTED_EVENTS && heap->course == SEEP_COURSE_FLAT &&
	       heap->bytes_per_event.high < BALANCED * evidence->leak_rate.low;
}

bool seep_evidence_is_material(const struct seep_evidence *evidence)
{
	const char *source = evidence->run->event_source;
	double leaked = evidence->leak_rate.value * seep_trend_events(&evidence->heap_rate);

	return !source || strcmp(source, "time") || leaked >= MATERIAL_BYTES ||
	       leaked >= MATERIAL_PART * evidence->heap_rate.level;
}
