/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/cause/rss_rise.h"

#include "analyse/threshold/thresholds.h"

#include <math.h>

#define ENDS 4                   /* a quarter of the values at each end must not overlap */

const char *seep_rss_rise_place(enum seep_rss_part part)
{
	static const char *const places[] = {
		[SEEP_RSS_PART_NONE] = NULL,
		[SEEP_RSS_PART_SLACK] = "free in the allocator",
		[SEEP_RSS_PART_NON_HEAP] = "in memory that the program maps itself",
		[SEEP_RSS_PART_REST] = "in memory that the tracker does not see",
	};

	return places[part];
}

/*
 * The last value at the start of an event.  Where the program cleaned up in its last events, the
 * first of them still began like all the others.
 */
static double last_value(const struct seep_run *run, const struct seep_series *series)
{
	size_t place = seep_run_place(run, seep_run_end(run));
	double value;

	if (place < run->n_events &&
	    seep_series_value(&run->stamps[run->events[place].first_stamp], series->kind, &value))
		return value;
	return series->values[series->n - 1];
}

/* By how much the least of the last values is above the largest of the first ones. */
static double find_gap(const double *y, size_t n)
{
	double high = -INFINITY, low = INFINITY;
	size_t i, part = (n + ENDS - 1) / ENDS;

	for (i = 0; i < part; i++) {
		high = fmax(high, y[i]);
		low = fmin(low, y[n - 1 - i]);
	}
	return low - high;
}

/* The heap at the event where the warm-up of RSS ends. */
static double heap_at(const struct seep_series *heap, double event)
{
	size_t i = 0;

	while (i + 1 < heap->n && heap->index[i] < event)
		i++;
	return heap->values[i];
}

static void find_part(struct seep_rss_rise *rise, const struct seep_closing_sum *sum)
{
	const double terms[] = {
		[SEEP_RSS_PART_NONE] = 0,
		[SEEP_RSS_PART_SLACK] = sum->slack_known ? sum->allocator_slack : 0,
		[SEEP_RSS_PART_NON_HEAP] = sum->non_heap_known ? sum->non_heap : 0,
		/* else it is all of them */
		[SEEP_RSS_PART_REST] = sum->slack_known && sum->non_heap_known ? sum->residual : 0,
	};
	size_t i;

	for (i = 0; sum->known && i < sizeof(terms) / sizeof(*terms); i++)
		if (terms[i] > rise->part_per_event && terms[i] > PLACE_NAMED * sum->rss) {
			rise->part = (enum seep_rss_part)i;
			rise->part_per_event = terms[i];
		}
}

void seep_rss_rise_find(struct seep_rss_rise *rise, const struct seep_rss_question *question)
{
	const struct seep_series *rss = question->rss, *heap = question->heap;
	const struct seep_rate *rate = question->rate;
	double first, last, heap_rise = 0, least;

	*rise = (struct seep_rss_rise){ 0 };
	if (rate->n < ENDS)
		return;
	first = rss->values[rate->first];
	last = last_value(question->run, rss);
	if (heap->n)
		heap_rise = last_value(question->run, heap) -
			    heap_at(heap, rss->index[rate->first]);
	rise->bytes = last - first - fmax(heap_rise, 0);
	least = fmax(RSS_RISE_LEAST, RSS_RISE_PART * last);
	rise->known = rise->bytes > least &&
		      find_gap(rss->values + rate->first, rate->n) - fmax(heap_rise, 0) > least;
	if (rise->known)
		find_part(rise, question->sum);
}
