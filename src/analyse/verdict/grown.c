/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/verdict/grown.h"

#include "analyse/site/moves.h"

#include <math.h>

#define GROWN_PART .5            /* of the growth that a single site must hold to be all of it */
#define GROWN_BLOCKS .05         /* per event: fewer are single blocks that grow */
#define GROWN_FEW 4
#define GROWN_MOVES 3
#define RISE_EVENTS 20

/* Were its blocks made larger, by realloc or by others that took their place? */
static bool has_moved(const struct seep_site_result *result)
{
	const struct seep_site *site = result->site;

	return site->moved_blocks >= GROWN_MOVES ||
	       (site->died_blocks >= GROWN_MOVES &&
		result->object_bytes * (double)site->died_blocks >= 2 * (double)site->died_bytes);
}

/* The last value of the heap that is not behind the snapshot of the sites; 0: there is none. */
static size_t find_snapshot(const struct seep_evidence *evidence)
{
	const struct seep_series *heap = &evidence->heap;
	size_t last = heap->n;

	while (last > 0 && heap->index[last - 1] > (double)evidence->clock.complete)
		last--;
	return last ? last - 1 : 0;
}

/* By how much the heap rose up to there. */
static double rise_of_heap(const struct seep_evidence *evidence)
{
	size_t last = find_snapshot(evidence);

	return last > 1 && evidence->heap.n >= RISE_EVENTS
		? evidence->heap.values[last] - evidence->heap.values[1] : 0;
}

/* A heap that has hardly grown since then has no array that has doubled since then. */
static enum seep_moves_climb ask_moves(const struct seep_evidence *evidence,
				       const struct seep_site_result *result,
				       struct seep_estimate *rate)
{
	const struct seep_series *heap = &evidence->heap;
	double until = (double)evidence->clock.complete;

	if (heap->n && heap->values[heap->n - 1] - heap->values[find_snapshot(evidence)] <
			       GROWN_PART * (double)result->live_bytes)
		until = fmax(until, heap->index[heap->n - 1]);
	return seep_moves_climb(result->site, evidence->clock.complete, until, rate);
}

/*
 * The heap grows, and most of it lies at one site: in a queue, or in few blocks, which then
 * must grow themselves.
 */
static bool is_grown(const struct seep_evidence *evidence, const struct seep_site_result *result,
		     const struct seep_cohort *cohort)
{
	double events = seep_trend_events(&evidence->heap_rate);
	double rise = evidence->heap_trend.bytes_per_event.value * events;
	struct seep_estimate ignored;

	if (evidence->run->n_dumps || result->site->kind != SEEP_SITE_HEAP ||
	    cohort->verdict == SEEP_SITE_LEAK ||
	    evidence->heap_trend.course != SEEP_COURSE_GROWS ||
	    (double)result->live_bytes < GROWN_PART * rise)
		return false;
	if (!cohort->queues && ask_moves(evidence, result, &ignored) == SEEP_CLIMB_STOPS)
		return false;
	if (cohort->queues || seep_moves_is_growth(result->site, evidence->clock.complete))
		return true;
	return evidence->heap_trend.bytes_per_event.value > evidence->heap_trend.tolerance &&
	       (double)result->live_blocks <= fmax(GROWN_FEW, GROWN_BLOCKS * events) &&
	       has_moved(result);
}

/* A better value near the old one; the interval stays as wide as it is. */
static void centre(struct seep_estimate *e, double value)
{
	double by = value - e->value;

	if (fabs(by) > e->high - e->low)
		return;
	e->value += by;
	e->low += by;
	e->high += by;
}

static void note_grown(struct seep_evidence *evidence, struct seep_site_result *result,
		       const struct seep_cohort *cohort)
{
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

/*
 * An array that doubles makes a few large steps, which no trend takes for growth that goes on.
 */
static void find_climbing(struct seep_evidence *evidence)
{
	double rise = rise_of_heap(evidence);
	double least = fmax(GROWN_PART * rise, evidence->filling_bytes);
	struct seep_site_result *largest = NULL;
	struct seep_estimate rate;
	bool goes_on = false;
	size_t i;

	for (i = 0; i < evidence->run->n_sites && rise > 0 && !evidence->n_leaks; i++) {
		struct seep_site_result *result = &evidence->sites[i];
		enum seep_moves_climb climb;

		if (result->site->kind != SEEP_SITE_HEAP || (double)result->live_bytes <= least)
			continue;
		climb = ask_moves(evidence, result, &rate);
		if (climb < SEEP_CLIMB_MAY_GO_ON || rate.value < evidence->heap_trend.tolerance)
			continue;
		least = (double)result->live_bytes;
		largest = result;
		goes_on = climb == SEEP_CLIMB_GOES_ON;
		evidence->grown_rate = rate;
	}
	if (!largest)
		return;
	evidence->grown_by_sizes = true;
	evidence->may_grow = !goes_on;
	evidence->grown = goes_on ? largest->site : NULL;
	largest->verdict = goes_on ? SEEP_SITE_REALLOC_GROWTH : SEEP_SITE_WEAK;
	largest->bytes_per_event = evidence->grown_rate;
}

/* The table of a cache grows with it, and no longer. */
static void drop_table(struct seep_evidence *evidence)
{
	size_t i;

	for (i = 0; i < evidence->run->n_sites; i++) {
		struct seep_site_result *result = &evidence->sites[i];

		if (result->site != evidence->grown ||
		    result->verdict != SEEP_SITE_REALLOC_GROWTH || evidence->n_leaks ||
		    evidence->filling_bytes < (double)result->live_bytes)
			continue;
		result->verdict = SEEP_SITE_FILLING;
		result->bytes_per_event.known = false;
		evidence->filling++;
		evidence->filling_bytes += (double)result->live_bytes;
		evidence->grown = NULL;
		return;
	}
}

/* What leaks elsewhere is no part of what a queue or an array grows by. */
static void split_grown(struct seep_evidence *evidence)
{
	const double leaks = evidence->leak_rate.value;
	size_t i;

	for (i = 0; i < evidence->run->n_sites && evidence->n_leaks; i++) {
		struct seep_site_result *result = &evidence->sites[i];

		if (result->site != evidence->grown)
			continue;
		result->bytes_per_event.value = fmax(result->bytes_per_event.value - leaks, 0);
		result->bytes_per_event.low = fmax(result->bytes_per_event.low - leaks, 0);
		result->bytes_per_event.high = fmax(result->bytes_per_event.high - leaks, 0);
		seep_evidence_add_rate(&evidence->leak_rate, &result->bytes_per_event);
	}
}

bool seep_grown_take(struct seep_evidence *evidence, struct seep_site_result *result,
		     const struct seep_cohort *cohort)
{
	if (!is_grown(evidence, result, cohort))
		return false;
	note_grown(evidence, result, cohort);
	return true;
}

/* Few blocks that have grown, and less than would be accused: an array beside what leaks. */
static void note_swelling(struct seep_evidence *evidence)
{
	double events = fmax((double)evidence->clock.complete, 1);
	size_t i;

	for (i = 0; i < evidence->run->n_sites; i++) {
		const struct seep_site_result *result = &evidence->sites[i];

		if (result->site->kind == SEEP_SITE_HEAP &&
		    !seep_verdict_site_grows(result->verdict) && has_moved(result) &&
		    (double)result->live_blocks <= fmax(GROWN_FEW, GROWN_BLOCKS * events))
			evidence->swelling += (double)result->live_bytes / events;
	}
}

void seep_grown_settle(struct seep_evidence *evidence)
{
	note_swelling(evidence);
	drop_table(evidence);
	if (evidence->grown)
		split_grown(evidence);
	else
		find_climbing(evidence);
}
