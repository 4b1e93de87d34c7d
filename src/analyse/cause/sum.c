/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/cause/sum.h"

#include "analyse/threshold/thresholds.h"

#include <math.h>

enum term { RSS, HEAP, ALLOCATOR, NON_HEAP, TRACKER, TERMS };

/* Sums over the anchors that are used, for slopes over the events. */
struct slopes {
	size_t n;
	uint16_t known;          /* flags that all of them have */
	double event, squares, mean[TERMS], products[TERMS];
};

static void read_terms(const struct seep_anchor *anchor, double *terms)
{
	terms[RSS] = (double)anchor->rss_bytes;
	terms[HEAP] = (double)anchor->live_bytes;
	terms[ALLOCATOR] = (double)anchor->allocator_bytes;
	terms[NON_HEAP] = (double)anchor->non_heap_resident_bytes;
	terms[TRACKER] = (double)anchor->tracker_bytes;
}

bool seep_sum_uses(const struct seep_run *run, const struct seep_anchor *anchor, int64_t first,
		   uint16_t wanted)
{
	return anchor->event >= first && anchor->event < seep_run_end(run) &&
	       (anchor->flags & wanted) == wanted;
}

static struct slopes fit(const struct seep_run *run, int64_t first, uint16_t wanted)
{
	struct slopes s = { .known = UINT16_MAX };
	double terms[TERMS], d;
	size_t i, k;

	for (i = 0; i < run->n_anchors; i++) {
		if (!seep_sum_uses(run, &run->anchors[i], first, wanted))
			continue;
		read_terms(&run->anchors[i], terms);
		s.known &= run->anchors[i].flags;
		s.n++;
		/* Welford's update keeps the digits of levels that are much above their changes. */
		d = (double)run->anchors[i].event - s.event;
		s.event += d / (double)s.n;
		s.squares += d * ((double)run->anchors[i].event - s.event);
		for (k = 0; k < TERMS; k++) {
			s.products[k] += d * (terms[k] - s.mean[k]) * (double)(s.n - 1) /
					 (double)s.n;
			s.mean[k] += (terms[k] - s.mean[k]) / (double)s.n;
		}
	}
	return s;
}

static bool close_by_anchors(struct seep_closing_sum *sum, const struct seep_run *run,
			     int64_t first)
{
	const uint16_t needed = SEEP_ANCHOR_BEGIN | SEEP_ANCHOR_RSS;
	struct slopes s = fit(run, first, needed);

	if (s.n < VALUES_FOR_RATE || s.squares <= 0)
		return false;
	sum->known = true;
	sum->rss = s.products[RSS] / s.squares;
	sum->heap_live = s.products[HEAP] / s.squares;
	sum->tracker = s.products[TRACKER] / s.squares;
	sum->slack_known = s.known & SEEP_ANCHOR_ALLOCATOR;
	if (sum->slack_known)
		sum->allocator_slack = (s.products[ALLOCATOR] - s.products[HEAP]) / s.squares;
	sum->non_heap_known = s.known & SEEP_ANCHOR_RESIDENT;
	if (sum->non_heap_known)
		sum->non_heap = s.products[NON_HEAP] / s.squares;
	return true;
}

static void close_by_stamps(struct seep_closing_sum *sum, const struct seep_sum_question *question)
{
	const struct seep_estimate *rss = &question->rss->bytes_per_event;

	if (!rss->known)
		return;
	sum->known = true;
	sum->tracker = question->tracker->bytes_per_event.value;
	sum->rss = rss->value + sum->tracker;
	sum->heap_live = question->heap->bytes_per_event.value;
}

static bool is_clear(const struct seep_closing_sum *sum, const struct seep_estimate *rss)
{
	double terms = fabs(sum->heap_live) + fabs(sum->allocator_slack) + fabs(sum->non_heap) +
		       fabs(sum->tracker) + fabs(sum->residual);

	return sum->known && ((rss->known && (rss->low > 0 || rss->high < 0)) ||
			      terms <= SUM_CANCELS * fabs(sum->rss));
}

static void finish(struct seep_closing_sum *sum, const struct seep_estimate *rss)
{
	sum->residual = sum->rss - sum->heap_live - sum->allocator_slack - sum->non_heap -
			sum->tracker;
	sum->clear = is_clear(sum, rss);
}

void seep_sum_close(struct seep_closing_sum *sum, const struct seep_sum_question *question)
{
	*sum = (struct seep_closing_sum){ 0 };
	if (!close_by_anchors(sum, question->run, question->first_event))
		close_by_stamps(sum, question);
	finish(sum, &question->rss->bytes_per_event);
}

void seep_sum_close_since(struct seep_closing_sum *sum, const struct seep_run *run, int64_t first)
{
	const struct seep_estimate unknown = { 0 };

	*sum = (struct seep_closing_sum){ 0 };
	if (close_by_anchors(sum, run, first))
		finish(sum, &unknown);
}
