/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/verdict/doubt.h"

#include "analyse/thresholds.h"
#include "analyse/verdict/garbage.h"

#include <math.h>

static bool is_leak(const struct seep_site_result *result)
{
	return result->verdict == SEEP_SITE_LEAK && result->site->kind == SEEP_SITE_HEAP;
}

static void suspect(struct seep_site_result *result, enum seep_doubt doubt, double needed)
{
	result->verdict = SEEP_SITE_SUSPECT;
	result->doubt = doubt;
	result->events_needed = needed;
}

/* The mean of the last few values of the heap up to the one at i; adds how far they lie apart. */
static double read_level(const struct seep_series *heap, size_t i, double *apart)
{
	size_t n = i + 1 < LEVEL_VALUES ? i + 1 : LEVEL_VALUES, k;
	double low = INFINITY, high = -INFINITY, sum = 0;

	for (k = i + 1 - n; k <= i; k++) {
		low = fmin(low, heap->values[k]);
		high = fmax(high, heap->values[k]);
		sum += heap->values[k];
	}
	*apart += high - low;
	return sum / (double)n;
}

/* Can the heap have risen by so much since the event, as far as its noise lets one see? */
static bool may_have_risen(const struct seep_evidence *evidence, int64_t event, double bytes)
{
	const struct seep_series *heap = &evidence->heap;
	double before, now, apart = 0;
	size_t i = 0;

	if (!heap->n)
		return false;
	while (i + 1 < heap->n && heap->index[i] < (double)event)
		i++;
	before = read_level(heap, i ? i - 1 : 0, &apart);
	now = read_level(heap, heap->n - 1, &apart);
	return now - before + apart >= bytes;
}

/*
 * A site that began late is a leak only if the heap has risen with it.  Else it takes the place
 * of another one: an interpreter has changed the code, a job has come to its next part.
 */
static void suspect_late(struct seep_census *census)
{
	const struct seep_evidence *evidence = census->evidence;
	enum seep_course course = evidence->heap_trend.course;
	bool rests = evidence->slices && course != SEEP_COURSE_GROWS && course != SEEP_COURSE_OPEN;
	double kept = 0;
	int64_t first = INT64_MAX;
	size_t i;

	for (i = 0; i < census->n; i++)
		if (is_leak(&census->results[i]) && census->cohorts[i].late) {
			kept += census->cohorts[i].profile.bytes;
			if (census->cohorts[i].began < first)
				first = census->cohorts[i].began;
		}
	if (!(kept > 0) || (may_have_risen(evidence, first, RISEN_WITH_SITES * kept) && !rests))
		return;
	for (i = 0; i < census->n; i++)
		if (is_leak(&census->results[i]) && census->cohorts[i].late)
			suspect(&census->results[i], SEEP_DOUBT_REPLACED,
				2 * (double)evidence->clock.complete);
}

/*
 * The sites are known as they were at the snapshot.  If most of the run came after it, what they
 * did before is a leak only if the heap went on like that.
 */
static void suspect_old(struct seep_census *census)
{
	const struct seep_evidence *evidence = census->evidence;
	double after = (double)(seep_run_end(evidence->run) - evidence->clock.complete);
	double rate = 0;
	size_t i;

	for (i = 0; i < census->n; i++)
		if (is_leak(&census->results[i]))
			rate += census->results[i].bytes_per_event.value;
	if (after <= SNAPSHOT_OLD * (double)seep_run_end(evidence->run) ||
	    may_have_risen(evidence, evidence->clock.complete, RISEN_WITH_SITES * rate * after))
		return;
	for (i = 0; i < census->n; i++)
		if (is_leak(&census->results[i]))
			suspect(&census->results[i], SEEP_DOUBT_REPLACED,
				2 * (double)seep_run_end(evidence->run));
}

/*
 * The heap is known to stay where it is.  What has been freed at a good age before takes the place
 * of others.  What was kept and never freed is a leak that something else masks.
 */
static void suspect_replaced(struct seep_census *census)
{
	const struct seep_evidence *evidence = census->evidence;
	const struct seep_trend *heap = &evidence->heap_trend;
	double low = 0;
	size_t i;

	if (evidence->heap.n < EVENTS_ALONE || heap->course != SEEP_COURSE_FLAT)
		return;
	for (i = 0; i < census->n; i++)
		if (is_leak(&census->results[i]))
			low += census->results[i].bytes_per_event.low;
	if (heap->bytes_per_event.high >= LEVEL_STAYS * low)
		return;
	for (i = 0; i < census->n; i++) {
		struct seep_site_result *result = &census->results[i];

		if (is_leak(result) && (evidence->run->n_dumps ||
					(!census->cohorts[i].late &&
					 seep_cohort_aged_deaths(result->site))))
			suspect(result, SEEP_DOUBT_REPLACED, 2 * (double)evidence->clock.complete);
	}
}

static void suspect_garbage(struct seep_census *census)
{
	struct seep_evidence *evidence = census->evidence;
	size_t i;

	evidence->collectable = seep_garbage_may_wait(census, &evidence->collected_by);
	if (!evidence->collectable)
		return;
	for (i = 0; i < census->n; i++)
		if (is_leak(&census->results[i]))
			suspect(&census->results[i], SEEP_DOUBT_COLLECTOR, evidence->collected_by);
}

void seep_doubt_raise(struct seep_census *census)
{
	suspect_old(census);
	suspect_late(census);
	suspect_replaced(census);
	suspect_garbage(census);
}
