/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sites in the order of the report, and the share that each has in the verdict. */
#ifndef SEEP_ANALYSE_VERDICT_RANKING_H
#define SEEP_ANALYSE_VERDICT_RANKING_H

#include "analyse/verdict/evidence.h"
#include "analyse/verdict/verdict.h"

/* The sites, those first that the kind of the verdict is about. */
void seep_ranking_order(struct seep_verdict *verdict, const struct seep_evidence *evidence,
			struct seep_arena *arena);

void seep_ranking_share(struct seep_verdict *verdict, const struct seep_evidence *evidence);

#endif
