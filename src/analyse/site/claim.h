/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What deserves the word leak.
 *
 * The growth of every site is counted exactly, and in a process with 60,000 sites something
 * always grows a little.  Certainty is not enough: the growth must be expected to go on, and either
 * matter or come in nearly every event.  Other sites are suspect: listed but not accused, with the
 * number of events that would settle it.
 */
#ifndef SEEP_ANALYSE_SITE_CLAIM_H
#define SEEP_ANALYSE_SITE_CLAIM_H

#include "analyse/site/cohort.h"

/* Makes a site that leaks by its cohorts suspect if there is doubt.  Needs its profile. */
void seep_claim_weigh(struct seep_cohort *cohort, const struct seep_cohort_clock *clock);

#endif
