/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The evidence in one sentence, in words a user can check.  Sizes are decimal:
 * 1 kB is 1000 B.
 */
#ifndef SEEP_ANALYSE_WORDS_SENTENCE_H
#define SEEP_ANALYSE_WORDS_SENTENCE_H

#include "analyse/verdict/evidence.h"
#include "analyse/verdict/verdict.h"
#include "base/arena.h"

/* How the verdict was reached, where the kind alone does not tell. */
enum seep_reason {
	SEEP_REASON_TOTAL,       /* the total shows it */
	SEEP_REASON_SITES,       /* the sites show it, the total is noisy or of something else */
	SEEP_REASON_NO_EVENTS,
	SEEP_REASON_FEW_EVENTS,
	SEEP_REASON_DISAGREE,    /* few events, and sites and total do not agree */
	SEEP_REASON_NO_SITE,     /* the total grows and no site is found guilty */
	SEEP_REASON_DOUBLES,     /* an array does, now and then, and the total shows steps only */
	SEEP_REASON_GROWN,       /* the total grows in few blocks, or in a queue */
	SEEP_REASON_OUTSIDE,     /* memory in no live block */
	SEEP_REASON_NOISE,       /* growth can be neither shown nor excluded */
	SEEP_REASON_COARSE,      /* growth that matters would have no block in the sample */
};

const char *seep_sentence_write(const struct seep_verdict *verdict,
				const struct seep_evidence *evidence, enum seep_reason reason,
				struct seep_arena *arena);

/* "2.14 MB", "384 B"; three digits, or whole bytes below 10 kB. */
const char *seep_sentence_size(double bytes, struct seep_arena *arena);

#endif
