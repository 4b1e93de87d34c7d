/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Live memory in both runs: of a site, of a function, or of everything.
 */
#ifndef SEEP_ANALYSE_COMPARE_COMPARE_LIVE_H
#define SEEP_ANALYSE_COMPARE_COMPARE_LIVE_H

#include "analyse/compare/compare.h"

struct seep_compare_live {
	double bytes, blocks;
	double variance;         /* of bytes, due to sampling */
	double settled_bytes;    /* part of bytes, in stacks that hold the same in both runs */
	double settled_variance;
};

/* Before and after. */
struct seep_compare_live_pair {
	struct seep_compare_live side[2];
};

/* What each site of a run holds at the end, in the order of run->sites. */
struct seep_compare_live *seep_compare_live_read(const struct seep_run *run,
						 struct seep_arena *arena);

/* Finds the stacks that are the same sample in both runs. */
void seep_compare_live_settle(const struct seep_run *const *runs,
			      struct seep_compare_live *const *lives,
			      struct seep_arena *arena);

void seep_compare_live_add(struct seep_compare_live *sum, const struct seep_compare_live *more);

/* The pair with its intervals.  means: bytes per sample for each side; 0: all blocks counted. */
struct seep_compare_pair seep_compare_live_compare(const struct seep_compare_live_pair *live,
						   const double *means);

/*
 * Whether the difference would be significant if all blocks of the smaller side were also part
 * of the larger one.  stretch as in seep_compare_stretch.
 */
bool seep_compare_live_may_differ(const struct seep_compare_live_pair *live, double stretch);

#endif
