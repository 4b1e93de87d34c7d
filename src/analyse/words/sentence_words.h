/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two files of sentences share. */
#ifndef SEEP_ANALYSE_WORDS_SENTENCE_WORDS_H
#define SEEP_ANALYSE_WORDS_SENTENCE_WORDS_H

#include "analyse/verdict/evidence.h"
#include "analyse/verdict/verdict.h"
#include "analyse/words/unit.h"
#include "base/arena.h"

/* "3 sites" */
const char *seep_sentence_count(size_t n, const char *thing, struct seep_arena *arena);

/* "live heap" or "RSS" */
const char *seep_sentence_series(const struct seep_verdict *verdict);

/* "2.14 MB per event", "2.14 MB per second"; the bytes are per event in any case. */
const char *seep_sentence_per(double bytes, const struct seep_unit *unit,
			      struct seep_arena *arena);

/* "2.14 MB per event (95 %: 2.13 MB to 2.15 MB)" */
const char *seep_sentence_range(const struct seep_estimate *e, const struct seep_unit *unit,
				struct seep_arena *arena);

/* The same of a queue or an array; that of one that doubles has bounds, and no interval. */
const char *seep_sentence_grown_rate(const struct seep_verdict *verdict,
				     const struct seep_evidence *evidence,
				     const struct seep_unit *unit, struct seep_arena *arena);

/* Saturating, cache, step, sawtooth. */
const char *seep_sentence_course(const struct seep_verdict *verdict,
				 const struct seep_evidence *evidence,
				 const struct seep_unit *unit, struct seep_arena *arena);

/* Retention, fragmentation, and what else is in no live block. */
const char *seep_sentence_outside(const struct seep_verdict *verdict,
				  const struct seep_evidence *evidence,
				  const struct seep_unit *unit, struct seep_arena *arena);

/* A queue or few blocks that grow. */
const char *seep_sentence_grown(const struct seep_verdict *verdict,
				const struct seep_evidence *evidence, const struct seep_unit *unit,
				struct seep_arena *arena);

/* Flat, because nearly all that was allocated has died. */
const char *seep_sentence_clean(const struct seep_verdict *verdict,
				const struct seep_evidence *evidence, const struct seep_unit *unit,
				struct seep_arena *arena);

/* A sample that is too coarse to tell. */
const char *seep_sentence_coarse(const struct seep_verdict *verdict,
				 const struct seep_evidence *evidence,
				 const struct seep_unit *unit, struct seep_arena *arena);

/* "sampled 1 per 512 kB: ", for whoever reads on should know; only the heap is. */
const char *seep_sentence_sampling(const struct seep_verdict *verdict, const struct seep_run *run,
				   struct seep_arena *arena);

/* What is added to any of them: RSS, gauges, a runtime with a heap of its own; or "". */
const char *seep_sentence_beside(const struct seep_verdict *verdict, const struct seep_unit *unit,
				 struct seep_arena *arena);

#endif
