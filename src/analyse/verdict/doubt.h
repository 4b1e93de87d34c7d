/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sites that seem to leak and become suspects, because of what the whole heap does. */
#ifndef SEEP_ANALYSE_VERDICT_DOUBT_H
#define SEEP_ANALYSE_VERDICT_DOUBT_H

#include "analyse/verdict/census.h"

void seep_doubt_raise(struct seep_census *census);

#endif
