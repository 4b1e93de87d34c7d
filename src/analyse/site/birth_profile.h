/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the survivors of a site are spread over the run.
 *
 *   regular      # # # # # # # #     rare         . # . . # . . #
 *   ended        # # # # . . . .     stretches    # # . . . # # .
 *   began late   . . . . . # # #
 *
 * A count of survivors says what was kept.  Their spread says whether to expect more: what
 * was kept in nearly every event, up to the last, will be kept in the next one too.
 */
#ifndef SEEP_ANALYSE_SITE_BIRTH_PROFILE_H
#define SEEP_ANALYSE_SITE_BIRTH_PROFILE_H

#include "analyse/site/cohort_table.h"

struct seep_birth_profile {
	double events;           /* in the window, from first to end */
	double since;            /* events since the first survivor in the window */
	double filled;           /* cohorts that kept something: a lower bound of such events */
	double distinct;         /* events that kept something, if all kept the same number */
	double occurrences;      /* upper bound of the events that kept something */
	double coverage;         /* part of the events that kept something */
	double spread;           /* part of at most 32 equal bins that have survivors */
	double trailing;         /* part of the window, at its end, with hardly any survivors */
	double widest;           /* the widest gap between two survivors, as a part of the window */
	double pause;            /* the same in time, if work comes in bursts; else 0 */
	double blocks, bytes;    /* kept in it */
};

/* Reads the cohorts first .. end - 1; only the gap at the end is that of all cohorts. */
void seep_birth_profile_read(struct seep_birth_profile *profile, const struct seep_cohort_table *c,
			     size_t first, size_t end);

/* The survivors stopped coming: the gap at the end is long, and no accident. */
bool seep_birth_profile_has_ended(const struct seep_birth_profile *profile);

/* They came in a few stretches with long pauses between them. */
bool seep_birth_profile_has_stretches(const struct seep_birth_profile *profile);

#endif
