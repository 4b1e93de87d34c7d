/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the verdict was reached, step by step, with the numbers that decided it. */
#ifndef SEEP_ANALYSE_WORDS_EXPLAIN_H
#define SEEP_ANALYSE_WORDS_EXPLAIN_H

#include "analyse/verdict/evidence.h"
#include "analyse/verdict/verdict.h"
#include "base/arena.h"

/* Fills verdict->reasoning. */
void seep_explain(struct seep_verdict *verdict, const struct seep_evidence *evidence,
		  struct seep_arena *arena);

#endif
