/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * RSS that rose behind the warm-up by more than the heap did.
 *
 * A rise is a fact about this run and no verdict: it may have come to its end, and a few events
 * do not tell.  But a page that says that the heap is flat must not keep it quiet.
 */
#ifndef SEEP_ANALYSE_CAUSE_RSS_RISE_H
#define SEEP_ANALYSE_CAUSE_RSS_RISE_H

#include "analyse/cause/sum.h"
#include "analyse/series/rate.h"
#include "analyse/series/series.h"
#include "model/run.h"

enum seep_rss_part {
	SEEP_RSS_PART_NONE,      /* not known */
	SEEP_RSS_PART_SLACK,
	SEEP_RSS_PART_NON_HEAP,
	SEEP_RSS_PART_REST,
};

struct seep_rss_rise {
	bool known;              /* it rose, clearly and by an amount that matters */
	double bytes;            /* beyond the heap, without the tracker */
	enum seep_rss_part part; /* the largest term of the closing sum, if it is most of it */
	double part_per_event;   /* bytes */
};

struct seep_rss_question {
	const struct seep_run *run;
	const struct seep_series *rss, *heap;
	const struct seep_rate *rate;   /* of rss: where its warm-up ends */
	const struct seep_closing_sum *sum;
};

void seep_rss_rise_find(struct seep_rss_rise *rise, const struct seep_rss_question *question);

/* Where the part is: "free in the allocator"; NULL for none. */
const char *seep_rss_rise_place(enum seep_rss_part part);

#endif
