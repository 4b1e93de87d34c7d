/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the dumps of another profiler say about one site.
 *
 * A dump shows what is alive but not since when, so there are no cohorts to judge by.  What a site
 * holds from dump to dump is a series, judged like the live heap.  A site that grows and shows no
 * sign of stopping is a leak; a cache that fills at an even rate looks the same, and the sentence
 * says so.
 */
#ifndef SEEP_ANALYSE_SITE_LEVELS_H
#define SEEP_ANALYSE_SITE_LEVELS_H

#include "analyse/site/cohort.h"
#include "base/arena.h"
#include "model/run.h"

/* Fills what is known of a cohort: verdict, rates, events needed.  memory is for scratch. */
void seep_levels_judge(struct seep_cohort *cohort, const struct seep_site *site,
		       const struct seep_run *run, struct seep_arena *memory);

/*
 * Which sites are judged at all, one flag for each site of the run.  To find the shape of a series
 * takes milliseconds, and a large program has a hundred thousand sites, most of which hold next to
 * nothing or always the same.  The few that rise most are judged.  NULL: there are so few sites
 * that all are judged.
 */
const bool *seep_levels_choose(const struct seep_run *run, struct seep_arena *memory);

#endif
