/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The closing sum: the growth of RSS in terms of what it consists of.
 *
 * The anchors tell all terms at the same moments.  Each term's rate is its slope over
 * the anchors behind the warm-up by least squares, which is linear: what adds up in
 * every anchor adds up in the rates, and what no term explains is the residual.
 *
 * A run without enough anchors has the rates of its stamps: heap, tracker, and the rest.
 */
#ifndef SEEP_ANALYSE_CAUSE_SUM_H
#define SEEP_ANALYSE_CAUSE_SUM_H

#include "analyse/verdict/evidence.h"
#include "analyse/verdict/verdict.h"

void seep_sum_close(struct seep_closing_sum *sum, const struct seep_evidence *evidence);

#endif
