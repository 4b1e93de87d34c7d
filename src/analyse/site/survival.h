/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long the blocks of a site live, in events: the estimator of Kaplan and Meier.
 *
 * A block that is alive at the end shows only that it did not die before its present age (it is
 * censored).  To leave such blocks out, or to count them as kept forever, would both be wrong.  The
 * height of the curve at the largest age that enough events have reached is the part that is never
 * freed.
 *
 *   alive
 *     1 |\
 *       | \____
 *       |      \___________  <- kept: the curve does not fall any more
 *     0 +------------------> age
 */
#ifndef SEEP_ANALYSE_SITE_SURVIVAL_H
#define SEEP_ANALYSE_SITE_SURVIVAL_H

#include "analyse/site/site_result.h"

struct seep_survival {
	bool known;              /* false: no block was old enough */
	size_t n;                /* bins of ages that were reached */
	double alive[SEEP_TRACE_AGE_BINS]; /* part that lives beyond ages of the bin */
	struct seep_estimate kept; /* part that is not freed within age events, by Greenwood */
	int64_t age;             /* the largest age that the curve covers */
};

/* complete: events that ended before the snapshot. */
void seep_survival_estimate(struct seep_survival *survival, const struct seep_site *site,
			    int64_t complete);

#endif
