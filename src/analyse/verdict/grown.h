/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues, and arrays that are made larger: the heap grows by them, though nothing is forgotten. */
#ifndef SEEP_ANALYSE_VERDICT_GROWN_H
#define SEEP_ANALYSE_VERDICT_GROWN_H

#include "analyse/site/cohort.h"
#include "analyse/verdict/evidence.h"

/* Is the site what the heap grows by?  Then its verdict and rate are settled here. */
bool seep_grown_take(struct seep_evidence *evidence, struct seep_site_result *result,
		     const struct seep_cohort *cohort);

/* When all sites were asked: what of it is a cache's table, a leak's, or grows by doubling. */
void seep_grown_settle(struct seep_evidence *evidence);

#endif
