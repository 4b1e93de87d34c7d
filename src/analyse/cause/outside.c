/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The anchors give all parts of the memory at the same moments.  The change from the first anchors
 * after the warm-up to the last says which part grew; the probe, if the allocator was asked to give
 * back its free memory, separates retention from fragmentation.
 */
#include "analyse/cause/outside.h"

#include "analyse/cause/sum.h"
#include "analyse/threshold/thresholds.h"

#include <math.h>
#include <string.h>

#define ENDS 3                   /* anchors that are averaged at each end */

enum term { RSS, LIVE, SLACK, HELD, FILES, SHARED, MAPPED, TERMS };

/* Only the C library's allocator is asked at anchors. */
static bool knows_slack(const struct seep_run *run)
{
	size_t i;

	for (i = 0; i < run->n_anchors; i++)
		if (run->anchors[i].flags & SEEP_ANCHOR_ALLOCATOR)
			return true;
	return false;
}

/* Doubles, because integers may overflow if the trace was tampered with. */
static double slack_of(const struct seep_anchor *anchor)
{
	return (double)anchor->allocator_bytes - (double)anchor->live_bytes;
}

static void read_terms(const struct seep_anchor *anchor, double *terms)
{
	terms[RSS] += ((double)anchor->rss_bytes - (double)anchor->tracker_bytes) / ENDS;
	terms[LIVE] += (double)anchor->live_bytes / ENDS;
	if (anchor->flags & SEEP_ANCHOR_ALLOCATOR)
		terms[SLACK] += slack_of(anchor) / ENDS;
	if (anchor->flags & SEEP_ANCHOR_RESIDENT)
		terms[HELD] += (double)anchor->non_heap_resident_bytes / ENDS;
	if (anchor->flags & SEEP_ANCHOR_RESIDENT)
		terms[MAPPED] += (double)anchor->non_heap_bytes / ENDS;
	terms[SHARED] += (double)anchor->rss_shmem_bytes / ENDS;
	terms[FILES] += ((double)anchor->rss_file_bytes + (double)anchor->rss_shmem_bytes) / ENDS;
}

static bool is_used(const struct seep_run *run, const struct seep_anchor *anchor, int64_t first)
{
	return seep_sum_uses(run, anchor, first, SEEP_ANCHOR_BEGIN | SEEP_ANCHOR_RSS);
}

/* How far each part rose from the first anchors after the warm-up to the last. */
static bool measure(const struct seep_run *run, double *rises, double *untouched)
{
	double first[TERMS] = { 0 }, last[TERMS] = { 0 };
	int64_t warm = seep_run_marked(run) / WARM_PARTS;
	size_t i, n = 0, k;

	if (warm < 1)
		warm = 1;
	for (i = 0; i < run->n_anchors && n < ENDS; i++)
		if (is_used(run, &run->anchors[i], warm)) {
			read_terms(&run->anchors[i], first);
			n++;
		}
	if (n < ENDS)
		return false;
	for (k = 0; i < run->n_anchors; i++)
		k += is_used(run, &run->anchors[i], warm);
	if (k < ENDS)
		return false; /* the ends would overlap */
	for (i = run->n_anchors, n = 0; i-- > 0 && n < ENDS;)
		if (is_used(run, &run->anchors[i], warm)) {
			read_terms(&run->anchors[i], last);
			n++;
		}
	for (k = 0; k < TERMS; k++)
		rises[k] = last[k] - first[k];
	*untouched = last[MAPPED] - last[HELD];
	return true;
}

/*
 * Does the slack rise throughout, rather than come and go?  Counts some pairs of anchors between
 * which it changes by more than a little.
 */
static bool rises_steadily(const struct seep_run *run)
{
	size_t step = run->n_anchors / 256 + 1, i, j;
	double low = INFINITY, high = -INFINITY, up = 0, down = 0;

	for (i = 0; i < run->n_anchors; i += step)
		if (is_used(run, &run->anchors[i], 1)) {
			low = fmin(low, slack_of(&run->anchors[i]));
			high = fmax(high, slack_of(&run->anchors[i]));
		}
	for (i = 0; i < run->n_anchors; i += step)
		for (j = i + step; j < run->n_anchors; j += step) {
			double d = slack_of(&run->anchors[j]) - slack_of(&run->anchors[i]);

			if (!is_used(run, &run->anchors[i], 1) ||
			    !is_used(run, &run->anchors[j], 1))
				continue;
			up += d > SLACK_LITTLE * (high - low);
			down += -d > SLACK_LITTLE * (high - low);
		}
	return up - down > SLACK_STEADY * (up + down);
}

/* A probe after the clean-up only describes the heap that was left. */
static void read_probe(struct seep_outside *outside, const struct seep_run *run)
{
	const struct seep_probe *probe = &run->probe;
	double given = (double)(probe->rss_before_bytes - probe->rss_after_bytes);

	/* a probe behind the last collection came when functions had ended, too */
	outside->asked = probe->done && !(run->cleaned_up &&
					  (probe->at_end || (run->collected_last &&
							     !run->collected_sites)));
	if (!outside->asked)
		return;
	outside->free_resident = fmax((double)(probe->heap_resident_bytes - probe->live_bytes), 0);
	outside->given_back = fmin(fmax(given, 0), outside->free_resident);
	if (outside->free_resident > 0)
		outside->gain = outside->given_back / outside->free_resident;
}

/* How far RSS has certainly risen, by its own course. */
static double rise_of(const struct seep_trend *rss, double events)
{
	switch (rss->course) {
	case SEEP_COURSE_GROWS:
		return rss->bytes_per_event.low * events;
	case SEEP_COURSE_LEVELS_OFF:
	case SEEP_COURSE_STEP:
		return rss->rise;
	default:
		return 0;
	}
}

/* ... or by its shape, if that is clear although the slope at the end is not. */
static double likely_rise(const struct seep_trend *rss)
{
	return rss->course == SEEP_COURSE_OPEN && rss->likely != SEEP_COURSE_OPEN ? rss->rise : 0;
}

/*
 * How far mapped memory, and the touched part of it, rose while RSS did.  What a program maps as it
 * starts says nothing about what it does later.  The whole run if there are no anchors.
 */
static void measure_late(struct seep_outside *outside, const struct seep_run *run, int64_t first)
{
	const struct seep_anchor *from = NULL, *to = NULL;
	size_t i;

	for (i = 0; i < run->n_anchors; i++) {
		const struct seep_anchor *anchor = &run->anchors[i];

		if (!is_used(run, anchor, first) || !(anchor->flags & SEEP_ANCHOR_RESIDENT))
			continue;
		if (!from)
			from = anchor;
		to = anchor;
	}
	outside->late_mapped = outside->mapped;
	outside->late_held = outside->rise;
	if (from == to)
		return;
	outside->late_mapped = (double)to->non_heap_bytes - (double)from->non_heap_bytes;
	outside->late_held = (double)to->non_heap_resident_bytes -
			     (double)from->non_heap_resident_bytes;
}

/* Both levels are known, and the clean-up has not begun. */
static bool is_of_life(const struct seep_run *run, const struct seep_stamp *stamp)
{
	const unsigned int both = SEEP_STAMP_HEAP | SEEP_STAMP_RSS;

	return (stamp->flags & both) == both && stamp->event >= 0 &&
	       run->events[stamp->event].number < seep_run_end(run);
}

/* Does the address space grow with RSS?  Not all that is mapped passes the tracker. */
static bool maps_more(const struct seep_outside *outside, const struct seep_run *run, int64_t warm)
{
	const struct seep_stamp *first = NULL, *last = NULL;
	size_t i;

	for (i = 0; i < run->n_stamps; i++) {
		const struct seep_stamp *stamp = &run->stamps[i];

		if (!is_of_life(run, stamp) || run->events[stamp->event].number < warm)
			continue;
		if (!first)
			first = stamp;
		last = stamp;
	}
	return (outside->maps_known && outside->late_mapped >= TOUCHED_MAPPED * outside->rise) ||
	       (first && (double)last->vm_bytes - (double)first->vm_bytes >=
				 TOUCHED_MAPPED * outside->rise);
}

/*
 * Memory that was mapped at the start becomes resident as it is touched, up to its size: shared
 * buffers, the heap of a virtual machine, the pages of programs and libraries.  But it is growth if
 * events read on and on in a mapped file, or if the program maps more and more of them.
 */
static void find_touched(struct seep_outside *outside, const struct seep_run *run, int64_t warm)
{
	bool slices = seep_run_has_slices(run);
	bool files = outside->kind == SEEP_OUTSIDE_FILES;
	bool held = outside->kind == SEEP_OUTSIDE_HELD ||
		    (files && outside->shared > FILES_SHARED * outside->files);
	bool early = outside->maps_known &&
		     outside->late_mapped < TOUCHED_MAPPED * outside->late_held;

	if (held && early) {
		outside->kind = SEEP_OUTSIDE_TOUCHED;
		outside->bounded = outside->untouched > 0;
	} else if (files && slices && !maps_more(outside, run, warm)) {
		outside->kind = SEEP_OUTSIDE_TOUCHED;
	}
}

/* If less is resident than the live blocks need, some of them are untouched. */
static void find_touched_blocks(struct seep_outside *outside, const struct seep_run *run,
				int64_t warm)
{
	size_t i = run->n_stamps;
	const struct seep_stamp *last;

	while (i && !is_of_life(run, &run->stamps[i - 1]))
		i--;
	if (!i || outside->kind != SEEP_OUTSIDE_REST || maps_more(outside, run, warm))
		return;
	last = &run->stamps[i - 1];
	outside->untouched = (double)last->live_bytes -
			     ((double)last->rss_bytes - (double)last->tracker_bytes);
	if (!(outside->untouched > 0))
		return;
	outside->kind = SEEP_OUTSIDE_TOUCHED;
	outside->in_blocks = outside->bounded = true;
}

/* steady: what the allocator keeps is known without looking at RSS. */
static void choose(struct seep_outside *outside, const struct seep_trend *rss, double events,
		   bool steady)
{
	double shown = rise_of(rss, events), least = OUTSIDE_MATTERS * rss->tolerance * events;
	/* freed blocks add to the slack, but not to the process */
	double more = outside->slack + fmin(outside->live, 0);
	double slack = fmin(more, steady ? outside->free_resident : fmax(shown, likely_rise(rss)));
	double held = fmin(outside->held, shown), unexplained;
	double files = fmax(fmin(outside->files, shown), 0);
	double rest, all, risen = outside->anchored ? fmin(shown, fmax(outside->rss, 0)) : shown;

	unexplained = risen - fmax(outside->live, 0) - fmax(fmax(held, files), 0);
	if (!outside->slack_known && outside->asked) /* then it is what was free at the probe */
		slack = fmin(unexplained, outside->free_resident);
	all = fmax(fmax(slack, 0) + fmax(held, 0), risen - fmax(outside->live, 0));
	rest = all - fmax(slack, 0) - fmax(fmax(held, files), 0);
	if (slack > least && slack >= PLACE_NAMED * all) {
		outside->kind = SEEP_OUTSIDE_SLACK;
		outside->rise = slack;
		if (outside->asked)
			outside->kind = outside->gain >= GAIN_RETENTION
				? SEEP_OUTSIDE_RETENTION : SEEP_OUTSIDE_FRAGMENTATION;
	} else if (files > least && files >= PLACE_NAMED * all) {
		outside->kind = SEEP_OUTSIDE_FILES;
		outside->rise = files;
	} else if (held > least && held >= PLACE_NAMED * all) {
		outside->kind = SEEP_OUTSIDE_HELD;
		outside->rise = held;
	} else if (rss->course == SEEP_COURSE_GROWS && rest > least && rest >= PLACE_NAMED * all &&
		   (!outside->anchored || outside->rss > least)) {
		outside->kind = SEEP_OUTSIDE_REST;
		outside->rise = rest;
	}
}

void seep_outside_find(struct seep_outside *outside, const struct seep_run *run,
		       const struct seep_trend *rss, const struct seep_rate *rss_rate, int64_t warm)
{
	double rises[TERMS] = { 0 }, events;

	memset(outside, 0, sizeof(*outside));
	if (!rss_rate->n)
		return;
	events = seep_trend_events(rss_rate);
	read_probe(outside, run);
	/* else what grows is the rest */
	outside->anchored = measure(run, rises, &outside->untouched);
	outside->rss = rises[RSS];
	outside->live = rises[LIVE];
	outside->slack = rises[SLACK];
	outside->slack_known = outside->anchored && knows_slack(run);
	outside->held = rises[HELD];
	outside->files = rises[FILES];
	outside->maps_known = outside->untouched >= 0;
	outside->mapped = rises[MAPPED];
	outside->shared = rises[SHARED];
	choose(outside, rss, events, outside->asked && rises_steadily(run));
	measure_late(outside, run, warm);
	find_touched(outside, run, warm);
	find_touched_blocks(outside, run, warm);
}
