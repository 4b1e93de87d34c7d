/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The closing sum: the growth of RSS in terms of what it consists of.
 *
 * The anchors give all terms at the same moments.  The rate of each term is its slope over the
 * anchors after the warm-up by least squares, which is linear: what adds up in every anchor adds up
 * in the rates, and what no term explains is the residual.
 *
 * A run without enough anchors has the rates of its stamps: heap, tracker, and the rest.
 */
#ifndef SEEP_ANALYSE_CAUSE_SUM_H
#define SEEP_ANALYSE_CAUSE_SUM_H

#include "analyse/series/rate.h"
#include "model/run.h"

/* The rate of RSS split up; the terms add up to rss, residual takes what is left. */
struct seep_closing_sum {
	bool known;
	bool slack_known, non_heap_known; /* else they are 0, and part of the residual */
	bool clear;              /* else the terms are noise that cancels */
	bool mean;               /* over all events; the rate of the verdict differs */
	double rss, heap_live, allocator_slack, non_heap, tracker, residual;
};

struct seep_sum_question {
	const struct seep_run *run;
	int64_t first_event;     /* earlier anchors are warm-up */
	const struct seep_rate *rss, *heap, *tracker;
};

void seep_sum_close(struct seep_closing_sum *sum, const struct seep_sum_question *question);

/*
 * Whether the anchor has these flags (SEEP_ANCHOR_*) and was taken from event first on, before
 * the program cleaned up.  Only the same place in every event closes a cycle, so one of the flags
 * should be SEEP_ANCHOR_BEGIN.
 */
bool seep_sum_uses(const struct seep_run *run, const struct seep_anchor *anchor, int64_t first,
		   uint16_t wanted);

/* The same for the events from first on; not known if they have too few anchors. */
void seep_sum_close_since(struct seep_closing_sum *sum, const struct seep_run *run, int64_t first);

#endif
