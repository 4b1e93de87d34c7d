/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the dumps of another profiler say of one site.
 *
 * A dump tells what is alive and not since when, so there are no cohorts to judge by: what
 * a site holds, from dump to dump, is a series like the live heap and judged like it.  A
 * site that grows and shows no sign of an end is a leak; a cache that fills at
 * an even rate would look the same, which the sentence says.
 */
#ifndef SEEP_ANALYSE_SITE_LEVELS_H
#define SEEP_ANALYSE_SITE_LEVELS_H

#include "analyse/site/cohort.h"
#include "base/arena.h"
#include "model/run.h"

/* Fills what of a cohort can be told: verdict, rates, what is missing.  memory: for a moment. */
void seep_levels_judge(struct seep_cohort *cohort, const struct seep_site *site,
		       const struct seep_run *run, struct seep_arena *memory);

/*
 * Which sites are judged at all, as many as there are in the run: to look for the shape of a
 * series takes milliseconds, and a large program has a hundred thousand sites, most of which
 * hold next to nothing or always the same.  It is the few that rise the most, however many
 * rise by as much.  NULL: there are so few that all are.
 */
const bool *seep_levels_choose(const struct seep_run *run, struct seep_arena *memory);

#endif
