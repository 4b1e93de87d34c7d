/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All sites of a run, each judged by its survivors, and what they add up to.
 *
 *   cohorts of each site -> verdict of each -> corrections that need the whole heap -> sums
 *
 * The heap corrects a site in four cases: one that began late while the heap stays level
 * replaces another; one that fills a little slower while the heap goes on does not stop; one
 * that holds most of the growth in few blocks is an array or a queue; and of one whose blocks
 * a garbage collector may still free nothing can be said.
 */
#ifndef SEEP_ANALYSE_VERDICT_CENSUS_H
#define SEEP_ANALYSE_VERDICT_CENSUS_H

#include "analyse/verdict/evidence.h"

/* What the later steps know of a site besides its result. */
struct seep_census {
	struct seep_evidence *evidence;
	struct seep_site_result *results; /* in an order that does not depend on the trace */
	struct seep_cohort *cohorts;      /* of these */
	size_t n;
};

/* Series and trends must be there. */
void seep_census_take(struct seep_evidence *evidence, struct seep_arena *arena);

#endif
