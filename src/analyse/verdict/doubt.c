/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/verdict/doubt.h"

#include "analyse/threshold/thresholds.h"
#include "analyse/verdict/garbage.h"

#include <math.h>

static void suspect(struct seep_site_result *result, enum seep_doubt doubt, double needed)
{
	result->verdict = SEEP_SITE_SUSPECT;
	result->doubt = doubt;
	result->events_needed = needed;
}

/* The mean of the n values of the heap up to index i; adds its squared error to *error2. */
static double read_level(const struct seep_series *heap, size_t i, size_t n, double *error2)
{
	double sum = 0, squares = 0, mean;
	size_t k;

	if (n > i + 1)
		n = i + 1;
	for (k = i + 1 - n; k <= i; k++)
		sum += heap->values[k];
	mean = sum / (double)n;
	for (k = i + 1 - n; k <= i; k++)
		squares += (heap->values[k] - mean) * (heap->values[k] - mean);
	if (n > 1)
		*error2 += squares / (double)(n - 1) / (double)n;
	return mean;
}

/* How far the heap has risen since the event. */
static struct seep_estimate find_rise(const struct seep_evidence *evidence, int64_t event)
{
	const struct seep_series *heap = &evidence->heap;
	struct seep_estimate rise = { 0 };
	double before, error2 = 0;
	size_t i = 0, n;

	if (!heap->n)
		return rise;
	while (i + 1 < heap->n && heap->index[i] < (double)event)
		i++;
	n = (heap->n - i) / 4 > LEVEL_VALUES ? (heap->n - i) / 4 : LEVEL_VALUES;
	before = read_level(heap, i ? i - 1 : 0, n, &error2);
	rise.known = true;
	rise.value = read_level(heap, heap->n - 1, n, &error2) - before;
	rise.low = rise.value - 2 * sqrt(error2);
	rise.high = rise.value + 2 * sqrt(error2);
	return rise;
}

/* Bytes that other sites freed after holding them this long: room for new blocks. */
static double find_room(const struct seep_census *census, int64_t age)
{
	double room = 0;
	size_t i;

	for (i = 0; i < census->n; i++) {
		const struct seep_site *site = census->results[i].site;

		if (site->kind == SEEP_MEMORY_HEAP && site->born_blocks &&
		    !(seep_site_result_leaks(&census->results[i]) && census->cohorts[i].late))
			room += seep_cohort_deaths_from(site, age) * (double)site->born_bytes /
				(double)site->born_blocks;
	}
	return room;
}

/*
 * A site that began late may replace another one: an interpreter has recompiled the code, or a job
 * has reached its next part.  It is a leak if the heap has risen with it.  If the heap is too noisy
 * to show that, it is a leak unless other sites have made room for it.
 */
static bool may_replace(const struct seep_census *census, int64_t began, double kept)
{
	const struct seep_evidence *evidence = census->evidence;
	struct seep_estimate rise = find_rise(evidence, began);
	int64_t lasted = evidence->clock.complete - began;
	int64_t age = (began < lasted ? began : lasted) / 2;

	if (rise.low >= RISEN_WITH_SITES * kept)
		return false;
	return rise.high < RISEN_WITH_SITES * kept ||
	       find_room(census, age > 1 ? age : 1) >= RISEN_WITH_SITES * kept;
}

static void suspect_late(struct seep_census *census)
{
	const struct seep_evidence *evidence = census->evidence;
	enum seep_course course = evidence->heap_trend.course;
	bool rests = evidence->slices && course != SEEP_COURSE_GROWS && course != SEEP_COURSE_OPEN;
	enum seep_doubt doubt = SEEP_DOUBT_REPLACED;
	double kept = 0;
	int64_t began = INT64_MAX;
	size_t i;

	for (i = 0; i < census->n; i++)
		if (seep_site_result_leaks(&census->results[i]) && census->cohorts[i].late) {
			kept += census->cohorts[i].profile.bytes;
			if (census->cohorts[i].began < began)
				began = census->cohorts[i].began;
		}
	if (!(kept > 0))
		return;
	if (!may_replace(census, began, kept)) {
		if (!rests)
			return;
		if (course == SEEP_COURSE_FLAT)
			doubt = SEEP_DOUBT_TOLERATED;
	}
	for (i = 0; i < census->n; i++)
		if (seep_site_result_leaks(&census->results[i]) && census->cohorts[i].late)
			suspect(&census->results[i], doubt, 2 * (double)evidence->clock.complete);
}

/*
 * The sites are known as of the snapshot.  If most of the run came after it, a site leaks only if
 * the heap went on growing accordingly.
 */
static void suspect_old(struct seep_census *census)
{
	const struct seep_evidence *evidence = census->evidence;
	double after = (double)(seep_run_end(evidence->run) - evidence->clock.complete);
	double rate = 0;
	size_t i;

	for (i = 0; i < census->n; i++)
		if (seep_site_result_leaks(&census->results[i]))
			rate += census->results[i].bytes_per_event.value;
	if (after <= SNAPSHOT_OLD * (double)seep_run_end(evidence->run) ||
	    find_rise(evidence, evidence->clock.complete).value >= RISEN_WITH_SITES * rate * after)
		return;
	for (i = 0; i < census->n; i++)
		if (seep_site_result_leaks(&census->results[i]))
			suspect(&census->results[i], SEEP_DOUBT_REPLACED,
				2 * (double)seep_run_end(evidence->run));
}

/*
 * The heap stays level.  A site that has freed old blocks before is replacing them.  A site that
 * never freed any leaks, and something else masks it.
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
		if (seep_site_result_leaks(&census->results[i]))
			low += census->results[i].bytes_per_event.low;
	if (heap->bytes_per_event.high >= LEVEL_STAYS * low)
		return;
	for (i = 0; i < census->n; i++) {
		struct seep_site_result *result = &census->results[i];

		if (seep_site_result_leaks(result) && (evidence->run->n_dumps ||
					(!census->cohorts[i].late &&
					 seep_cohort_aged_deaths(result->site))))
			suspect(result, SEEP_DOUBT_REPLACED, 2 * (double)evidence->clock.complete);
	}
}

/*
 * A site that keeps something in most events may be a cache that evicts at random: its survivors
 * look like those of a leak, but blocks of the same age are freed.  If the heap grows, it leaks.
 */
static void suspect_evicted(struct seep_census *census)
{
	const struct seep_evidence *evidence = census->evidence;
	enum seep_course course = evidence->heap_trend.course;
	size_t i;

	if (course == SEEP_COURSE_GROWS || evidence->run->n_dumps || evidence->clock.restart > 0)
		return;
	for (i = 0; i < census->n; i++) {
		const struct seep_cohort *cohort = &census->cohorts[i];

		if (seep_site_result_leaks(&census->results[i]) &&
		    (course == SEEP_COURSE_OPEN ? cohort->frees_older : cohort->frees_old))
			suspect(&census->results[i], SEEP_DOUBT_EVICTED,
				2 * (double)evidence->clock.complete);
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
		if (seep_site_result_leaks(&census->results[i]))
			suspect(&census->results[i], SEEP_DOUBT_COLLECTOR, evidence->collected_by);
}

/*
 * In slices of time, unless the whole heap grows, a leaking site must keep blocks up to the end.
 * Tables that are built on demand become rarer and rarer.
 */
static void settle_slowed(struct seep_census *census)
{
	const struct seep_evidence *evidence = census->evidence;
	size_t i;

	if (!evidence->slices || evidence->heap_trend.course == SEEP_COURSE_GROWS)
		return;
	for (i = 0; i < census->n; i++) {
		struct seep_site_result *result = &census->results[i];
		const struct seep_cohort *cohort = &census->cohorts[i];

		if (seep_site_result_leaks(result) && !cohort->late && cohort->recent.known &&
		    cohort->recent.value < SLOWED * result->bytes_per_event.value)
			result->verdict = SEEP_SITE_FILLING;
	}
}

void seep_doubt_raise(struct seep_census *census)
{
	settle_slowed(census);
	suspect_old(census);
	suspect_late(census);
	suspect_replaced(census);
	suspect_evicted(census);
	suspect_garbage(census);
}
