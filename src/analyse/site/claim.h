/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What deserves the word leak.
 *
 * Exact books make the growth of every site certain, and in a process with 60,000 sites
 * something always grows a little.  Certain is not enough: it must be expected to go on, and
 * either matter or be kept in nearly every event.  What fails is suspect: listed, not accused,
 * with the events that would settle it.
 */
#ifndef SEEP_ANALYSE_SITE_CLAIM_H
#define SEEP_ANALYSE_SITE_CLAIM_H

#include "analyse/site/cohort.h"

/* A leak by its cohorts becomes suspect, if there is a doubt.  Its profile must be there. */
void seep_claim_weigh(struct seep_cohort *cohort, const struct seep_cohort_clock *clock);

#endif
