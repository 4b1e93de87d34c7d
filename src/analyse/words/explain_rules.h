/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rule that decided, in words: its question, and the numbers that answer it.  Then the two
 * earlier rules, at most, whose "no" says most about the verdict.
 */
#ifndef SEEP_ANALYSE_WORDS_EXPLAIN_RULES_H
#define SEEP_ANALYSE_WORDS_EXPLAIN_RULES_H

#include "analyse/verdict/evidence.h"
#include "analyse/verdict/rules.h"
#include "analyse/words/unit.h"
#include "base/arena.h"

#define SEEP_EXPLAIN_BEFORE 2

/* The earlier rules whose "no" explains this one's "yes" best; returns how many there are. */
size_t seep_explain_before(const struct seep_rule *rule, const struct seep_evidence *evidence,
			   const struct seep_rule *before[SEEP_EXPLAIN_BEFORE]);

/* "0 of 812 sites leak, 3 are suspect"; NULL if there are no numbers for the rule. */
const char *seep_explain_numbers(const struct seep_rule *rule,
				 const struct seep_evidence *evidence,
				 const struct seep_unit *unit, struct seep_arena *arena);

#endif
