/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues and arrays that the heap grows by: one site, and few blocks or a growing wait. */
#ifndef SEEP_ANALYSE_VERDICT_CONTAINERS_H
#define SEEP_ANALYSE_VERDICT_CONTAINERS_H

#include "analyse/verdict/census.h"

/* The site that holds most of the growth of the heap gets its verdict; before the sums. */
void seep_containers_find(struct seep_census *census);

/* Arrays that double in large steps, and those that grow beside what leaks; behind the sums. */
void seep_containers_settle(struct seep_census *census);

#endif
