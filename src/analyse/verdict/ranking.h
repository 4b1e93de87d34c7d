/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the sites in the report, and the share of each in the growth. */
#ifndef SEEP_ANALYSE_VERDICT_RANKING_H
#define SEEP_ANALYSE_VERDICT_RANKING_H

#include "analyse/verdict/evidence.h"
#include "analyse/verdict/verdict.h"

/* Sorts the sites: first those that the kind of the verdict is about. */
void seep_ranking_order(struct seep_verdict *verdict, const struct seep_evidence *evidence,
			struct seep_arena *arena);

void seep_ranking_share(struct seep_verdict *verdict, const struct seep_evidence *evidence);

#endif
