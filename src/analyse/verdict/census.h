/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All sites of a run, each judged by its survivors, and what they add up to.
 *
 *   cohorts of each site -> verdict of each -> corrections that need the whole heap -> sums
 *
 * The heap as a whole corrects a site in four cases.  A site that began late while the heap stays
 * level replaces another one.  A site that fills a little more slowly while the heap goes on
 * growing has not stopped.  A site that holds most of the growth in few blocks is an array or a
 * queue.  And a site whose blocks a garbage collector may still free cannot be judged.
 */
#ifndef SEEP_ANALYSE_VERDICT_CENSUS_H
#define SEEP_ANALYSE_VERDICT_CENSUS_H

#include "analyse/verdict/evidence.h"

/* What the later steps know about the sites besides their results. */
struct seep_census {
	struct seep_evidence *evidence;
	struct seep_site_result *results; /* in an order that does not depend on the trace */
	struct seep_cohort *cohorts;      /* of these */
	size_t n;
};

/* Series and trends must have been found. */
void seep_census_take(struct seep_evidence *evidence, struct seep_arena *arena);

#endif
