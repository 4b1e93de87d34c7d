/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The footprints of two runs, whether they grow or not: peak memory, memory at the end, and the
 * work that growing blocks cause.  A fix that stops a leak may make these worse.
 *
 * Peaks are the highest values in the trace: at its stamps, anchors and samples.
 */
#ifndef SEEP_ANALYSE_COMPARE_COMPARE_FOOTPRINT_H
#define SEEP_ANALYSE_COMPARE_COMPARE_FOOTPRINT_H

#include "model/run.h"

/* NAN: unknown. */
struct seep_compare_footprint_pair {
	double before, after;
};

struct seep_compare_footprint {
	struct seep_compare_footprint_pair peak_heap; /* highest live bytes */
	struct seep_compare_footprint_pair peak_rss; /* highest RSS; both exclude the tracker */
	struct seep_compare_footprint_pair end_rss; /* the last known RSS */
	struct seep_compare_footprint_pair moves; /* blocks copied to a new address */
	struct seep_compare_footprint_pair copied_bytes; /* bytes copied by these moves */
	const char *per;         /* for the last two: "event" or "s"; NULL: over the whole run */
};

void seep_compare_footprint_of(struct seep_compare_footprint *footprint,
			       const struct seep_run *before,
			       const struct seep_run *after);

#endif
