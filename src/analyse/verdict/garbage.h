/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a garbage collector has had no reason to free yet looks like a leak. */
#ifndef SEEP_ANALYSE_VERDICT_GARBAGE_H
#define SEEP_ANALYSE_VERDICT_GARBAGE_H

#include "analyse/verdict/census.h"

/* May all that seems to leak be such garbage?  *events: after so many it must have been freed. */
bool seep_garbage_may_wait(const struct seep_census *census, double *events);

#endif
