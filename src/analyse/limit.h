/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When the memory will be used up.
 */
#ifndef SEEP_ANALYSE_LIMIT_H
#define SEEP_ANALYSE_LIMIT_H

#include "analyse/series.h"
#include "analyse/verdict.h"
#include "model/run.h"

/*
 * The time until RSS meets the smallest limit of the run at this rate, from its
 * last stamp on.  high is INFINITY where the rate may be 0.  Not known without a
 * limit, without a value of RSS, or where nothing grows.
 */
void seep_limit_reach(struct seep_oom *oom, const struct seep_run *run,
		      const struct seep_series *rss,
		      const struct seep_estimate *bytes_per_event, double period_s);

#endif
