/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns sites that seem to leak into suspects if the heap as a whole contradicts them. */
#ifndef SEEP_ANALYSE_VERDICT_DOUBT_H
#define SEEP_ANALYSE_VERDICT_DOUBT_H

#include "analyse/verdict/census.h"

void seep_doubt_raise(struct seep_census *census);

#endif
