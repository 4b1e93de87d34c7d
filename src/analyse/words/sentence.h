/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The evidence in one sentence that a user can check.  Sizes are decimal: 1 kB is 1000 B.
 */
#ifndef SEEP_ANALYSE_WORDS_SENTENCE_H
#define SEEP_ANALYSE_WORDS_SENTENCE_H

#include "analyse/verdict/evidence.h"
#include "analyse/verdict/verdict.h"
#include "base/arena.h"

const char *seep_sentence_write(const struct seep_verdict *verdict,
				const struct seep_evidence *evidence, struct seep_arena *arena);

/* "2.14 MB", "384 B"; three digits, or whole bytes below 10 kB. */
const char *seep_sentence_size(double bytes, struct seep_arena *arena);

#endif
