/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What two runs took, whether they grow or not: the most they had, what was left at the end, and
 * the work of blocks that grew.  A fix that stops a leak may pay for it here.
 *
 * Highest means: of the moments that are in the trace, which are its stamps, anchors and samples.
 */
#ifndef SEEP_ANALYSE_COMPARE_COMPARE_FOOTPRINT_H
#define SEEP_ANALYSE_COMPARE_COMPARE_FOOTPRINT_H

#include "model/run.h"

/* NAN: not known. */
struct seep_compare_footprint_pair {
	double before, after;
};

struct seep_compare_footprint {
	struct seep_compare_footprint_pair peak_heap; /* highest live bytes */
	struct seep_compare_footprint_pair peak_rss; /* highest RSS; both without the tracker */
	struct seep_compare_footprint_pair end_rss; /* the last that is known */
	struct seep_compare_footprint_pair moves; /* blocks copied to a new address */
	struct seep_compare_footprint_pair copied_bytes; /* by that */
	const char *per;         /* of these two: "event" or "s"; NULL: in the whole run */
};

void seep_compare_footprint_of(struct seep_compare_footprint *footprint,
			       const struct seep_run *before,
			       const struct seep_run *after);

#endif
