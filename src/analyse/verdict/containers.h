/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growth in a single container: an array (one site, few blocks) or a queue. */
#ifndef SEEP_ANALYSE_VERDICT_CONTAINERS_H
#define SEEP_ANALYSE_VERDICT_CONTAINERS_H

#include "analyse/verdict/census.h"

/* Judges the site that holds most of the growth.  Called before the sums. */
void seep_containers_find(struct seep_census *census);

/* Finds arrays that double, and those that grow besides a leak.  Called after the sums. */
void seep_containers_settle(struct seep_census *census);

#endif
