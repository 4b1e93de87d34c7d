/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was alive in both runs, of one thing or of several added up: a site, a function, all.
 */
#ifndef SEEP_ANALYSE_COMPARE_COMPARE_LIVE_H
#define SEEP_ANALYSE_COMPARE_COMPARE_LIVE_H

#include "analyse/compare/compare.h"

struct seep_compare_live {
	double bytes, blocks;
	double variance;         /* of the bytes, by sampling */
	double settled_bytes;    /* of these, in a stack that holds the same in the other run */
	double settled_variance;
};

/* Before and after. */
struct seep_compare_live_pair {
	struct seep_compare_live side[2];
};

/* What each site of a side holds at the end, by its place in run->sites. */
struct seep_compare_live *seep_compare_live_read(const struct seep_run *run,
						 struct seep_arena *arena);

/* Finds what is the same sample in both. */
void seep_compare_live_settle(const struct seep_run *const *runs,
			      struct seep_compare_live *const *lives,
			      struct seep_arena *arena);

void seep_compare_live_add(struct seep_compare_live *sum, const struct seep_compare_live *more);

/* The pair with its intervals; means: bytes per sample of each side, 0 for all blocks. */
struct seep_compare_pair seep_compare_live_compare(const struct seep_compare_live_pair *live,
						   const double *means);

/*
 * Whether the difference would be shown if all blocks of the smaller side were in the larger
 * one; stretch as in seep_compare_stretch.
 */
bool seep_compare_live_may_differ(const struct seep_compare_live_pair *live, double stretch);

#endif
