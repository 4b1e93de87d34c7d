/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What follows once a rule holds: the kind, the rate and the series it is of.  Each of these
 * is named by a rule of rules.c.
 */
#ifndef SEEP_ANALYSE_VERDICT_CONCLUDE_H
#define SEEP_ANALYSE_VERDICT_CONCLUDE_H

#include "analyse/verdict/evidence.h"
#include "analyse/verdict/verdict.h"

/* Fills in the rate of the series that decides.  Called before any rule is asked. */
void seep_conclude_start(struct seep_verdict *verdict, const struct seep_evidence *evidence);

/* It rose and has stopped, so it does not grow any more. */
bool seep_conclude_has_ended(const struct seep_trend *trend);

typedef void seep_conclusion(struct seep_verdict *verdict, const struct seep_evidence *evidence);

seep_conclusion seep_conclude_undecided;
seep_conclusion seep_conclude_few_events;
seep_conclusion seep_conclude_others;        /* mappings and stacks */
seep_conclusion seep_conclude_garbage;
seep_conclusion seep_conclude_collected;
seep_conclusion seep_conclude_disagree;
seep_conclusion seep_conclude_leak_total;
seep_conclusion seep_conclude_leak_sites;
seep_conclusion seep_conclude_grown;
seep_conclusion seep_conclude_may_grow;
seep_conclusion seep_conclude_outside;
seep_conclusion seep_conclude_not_asked;
seep_conclusion seep_conclude_touched;
seep_conclusion seep_conclude_rss_trend;
seep_conclusion seep_conclude_flat;
seep_conclusion seep_conclude_filling;
seep_conclusion seep_conclude_no_site;
seep_conclusion seep_conclude_batch;
seep_conclusion seep_conclude_clean_step;
seep_conclusion seep_conclude_clean_filling;
seep_conclusion seep_conclude_clean;
seep_conclusion seep_conclude_coarse;
seep_conclusion seep_conclude_trend;         /* of the heap, or of RSS where there is none */

#endif
