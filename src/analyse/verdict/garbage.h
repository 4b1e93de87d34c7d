/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Garbage that a collector has not had to free yet looks like a leak. */
#ifndef SEEP_ANALYSE_VERDICT_GARBAGE_H
#define SEEP_ANALYSE_VERDICT_GARBAGE_H

#include "analyse/verdict/census.h"

/* May everything that seems to leak be garbage?  *events: when it must have been freed. */
bool seep_garbage_may_wait(const struct seep_census *census, double *events);

#endif
