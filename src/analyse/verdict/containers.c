/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/verdict/containers.h"

#include "analyse/site/realloc_growth.h"
#include "analyse/threshold/thresholds.h"

#include <math.h>

/* Did its blocks grow, by realloc or because larger ones replaced them? */
static bool has_moved(const struct seep_site_result *result)
{
	const struct seep_site *site = result->site;

	return site->moved_blocks >= GROWN_MOVES ||
	       (site->died_blocks >= GROWN_MOVES &&
		result->object_bytes * (double)site->died_blocks >=
			GROWN_LARGER * (double)site->died_bytes);
}

/* The last value of the heap before the snapshot of the sites; 0: there is none. */
static size_t find_snapshot(const struct seep_evidence *evidence)
{
	const struct seep_series *heap = &evidence->heap;
	size_t last = heap->n;

	while (last > 0 && heap->index[last - 1] > (double)evidence->clock.complete)
		last--;
	return last ? last - 1 : 0;
}

/* How far the heap had risen by then. */
static double rise_of_heap(const struct seep_evidence *evidence)
{
	size_t last = find_snapshot(evidence);

	return last > 1 && evidence->heap.n >= GROWN_EVENTS
		? evidence->heap.values[last] - evidence->heap.values[1] : 0;
}

/* If the heap has hardly grown since, no array has doubled since. */
static enum seep_realloc_growth_climb ask_moves(const struct seep_evidence *evidence,
						const struct seep_site_result *result,
						struct seep_estimate *rate)
{
	const struct seep_series *heap = &evidence->heap;
	double until = (double)evidence->clock.complete;

	if (heap->n && heap->values[heap->n - 1] - heap->values[find_snapshot(evidence)] <
			       GROWN_SINCE * (double)result->live_bytes)
		until = fmax(until, heap->index[heap->n - 1]);
	return seep_realloc_growth_climb(result->site, evidence->clock.complete, until, rate);
}

/*
 * The heap grows, and most of the growth is at one site: in a queue, or in few blocks, which then
 * must grow themselves.
 */
static bool is_grown(const struct seep_evidence *evidence, const struct seep_site_result *result,
		     const struct seep_cohort *cohort)
{
	double events = seep_trend_events(&evidence->heap_rate);
	double rise = evidence->heap_trend.bytes_per_event.value * events;
	struct seep_estimate ignored;

	if (evidence->run->n_dumps || result->site->kind != SEEP_MEMORY_HEAP ||
	    (evidence->slices && (double)result->live_bytes <
					 GROWN_MATTERS * evidence->material_bytes) ||
	    result->verdict == SEEP_SITE_LEAK ||
	    evidence->heap_trend.course != SEEP_COURSE_GROWS ||
	    (double)result->live_bytes < GROWN_HOLDS * rise)
		return false;
	/* a growing queue was filled during the run; a full cache only replaces */
	if (cohort->queues && rise < QUEUE_CAME * cohort->event_bytes)
		return false;
	if (!cohort->queues && ask_moves(evidence, result, &ignored) == SEEP_CLIMB_STOPS)
		return false;
	if (cohort->queues || seep_realloc_growth_is_growth(result->site, evidence->clock.complete))
		return true;
	return evidence->heap_trend.bytes_per_event.value > evidence->heap_trend.tolerance &&
	       (double)result->live_blocks <= fmax(GROWN_FEW, GROWN_BLOCKS * events) &&
	       has_moved(result);
}

/* Moves the estimate to a better value and keeps the width of its interval. */
static void centre(struct seep_estimate *e, double value)
{
	double by = value - e->value;

	if (fabs(by) > e->high - e->low)
		return;
	e->value += by;
	e->low += by;
	e->high += by;
}

static void take_grown(struct seep_evidence *evidence, struct seep_site_result *result,
		       const struct seep_cohort *cohort)
{
	evidence->grown_queues = cohort->queues;
	result->verdict = cohort->queues ? SEEP_SITE_BACKLOG : SEEP_SITE_REALLOC_GROWTH;
	result->bytes_per_event = evidence->heap_trend.bytes_per_event;
	if (cohort->queues) /* all of it came in the run, and is counted */
		centre(&result->bytes_per_event,
		       cohort->event_bytes / (double)evidence->clock.complete);
	if (cohort->queues && result->object_bytes > 0)
		result->objects_per_event = result->bytes_per_event.value / result->object_bytes;
	evidence->grown = result->site;
	evidence->grown_rate = result->bytes_per_event;
}

/* The sites are sorted by what they hold, so the first match is the largest. */
void seep_containers_find(struct seep_census *census)
{
	size_t i;

	for (i = 0; i < census->n; i++)
		if (is_grown(census->evidence, &census->results[i], &census->cohorts[i])) {
			take_grown(census->evidence, &census->results[i], &census->cohorts[i]);
			return;
		}
}

/* An array that doubles makes a few large steps, which no trend takes for lasting growth. */
static void find_climbing(struct seep_census *census)
{
	struct seep_evidence *evidence = census->evidence;
	double rise = rise_of_heap(evidence);
	double least = fmax(GROWN_HOLDS * rise, evidence->filling_bytes);
	size_t i;

	for (i = 0; i < census->n && rise > 0 && !evidence->n_leaks; i++) {
		struct seep_site_result *result = &census->results[i];
		enum seep_realloc_growth_climb climb;
		struct seep_estimate rate;

		if (result->site->kind != SEEP_MEMORY_HEAP || (double)result->live_bytes <= least)
			continue;
		climb = ask_moves(evidence, result, &rate);
		if (climb < SEEP_CLIMB_MAY_GO_ON || rate.value < evidence->heap_trend.tolerance)
			continue;
		evidence->grown_by_sizes = true;
		evidence->grown_rate = rate;
		evidence->may_grow = climb != SEEP_CLIMB_GOES_ON;
		evidence->grown = evidence->may_grow ? NULL : result->site;
		result->verdict = evidence->may_grow ? SEEP_SITE_SUSPECT : SEEP_SITE_REALLOC_GROWTH;
		result->doubt = evidence->may_grow ? SEEP_DOUBT_FEW : SEEP_DOUBT_NONE;
		result->events_needed = evidence->may_grow
			? 2 * seep_trend_events(&evidence->heap_rate) : 0;
		result->bytes_per_event = rate;
		return; /* the largest one, because they are sorted */
	}
}

/* The site that seep_containers_find() chose, or NULL. */
static struct seep_site_result *find_taken(const struct seep_census *census)
{
	size_t i;

	for (i = 0; i < census->n && census->evidence->grown; i++)
		if (census->results[i].site == census->evidence->grown)
			return &census->results[i];
	return NULL;
}

/* The table of a cache grows only as long as the cache does. */
static bool is_table(const struct seep_evidence *evidence, const struct seep_site_result *result)
{
	return result->verdict == SEEP_SITE_REALLOC_GROWTH && !evidence->n_leaks &&
	       evidence->filling_bytes >= (double)result->live_bytes;
}

static void drop_table(struct seep_evidence *evidence, struct seep_site_result *result)
{
	result->verdict = SEEP_SITE_FILLING;
	result->bytes_per_event.known = false;
	evidence->filling++;
	evidence->filling_bytes += (double)result->live_bytes;
	evidence->grown = NULL;
}

/* Takes what leaks elsewhere out of the growth of a queue or an array. */
static void split_grown(struct seep_evidence *evidence, struct seep_site_result *result)
{
	const double leaks = evidence->leak_rate.value;
	struct seep_estimate *rate = &result->bytes_per_event;

	if (!evidence->n_leaks)
		return;
	rate->value = fmax(rate->value - leaks, 0);
	rate->low = fmax(rate->low - leaks, 0);
	rate->high = fmax(rate->high - leaks, 0);
	seep_evidence_add_rate(&evidence->leak_rate, rate);
}

/* Few blocks that grew, by too little to be accused: an array besides a leak. */
static void find_swelling(struct seep_census *census)
{
	double events = fmax((double)census->evidence->clock.complete, 1);
	size_t i;

	for (i = 0; i < census->n; i++) {
		const struct seep_site_result *result = &census->results[i];

		if (result->site->kind == SEEP_MEMORY_HEAP && !seep_site_result_grows(result) &&
		    has_moved(result) &&
		    (double)result->live_blocks <= fmax(GROWN_FEW, GROWN_BLOCKS * events))
			census->evidence->swelling += (double)result->live_bytes / events;
	}
}

void seep_containers_settle(struct seep_census *census)
{
	struct seep_evidence *evidence = census->evidence;
	struct seep_site_result *taken = find_taken(census);

	find_swelling(census);
	if (taken && is_table(evidence, taken))
		drop_table(evidence, taken);
	if (evidence->grown)
		split_grown(evidence, taken);
	else
		find_climbing(census);
}
