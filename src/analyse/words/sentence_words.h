/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files sentence*.c share. */
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

/* "2.14 MB per event", "2.14 MB per second".  bytes is always per event. */
const char *seep_sentence_per(double bytes, const struct seep_unit *unit,
			      struct seep_arena *arena);

/* "2.14 MB per event (95 %: 2.13 MB to 2.15 MB)" */
const char *seep_sentence_range(const struct seep_estimate *e, const struct seep_unit *unit,
				struct seep_arena *arena);

/* The same for a queue or an array.  One that doubles has bounds instead of an interval. */
const char *seep_sentence_grown_rate(const struct seep_verdict *verdict,
				     const struct seep_evidence *evidence,
				     const struct seep_unit *unit, struct seep_arena *arena);

/* Saturating, cache, step, sawtooth. */
const char *seep_sentence_course(const struct seep_verdict *verdict,
				 const struct seep_evidence *evidence,
				 const struct seep_unit *unit, struct seep_arena *arena);

/* Retention, fragmentation, and other memory outside live blocks. */
const char *seep_sentence_outside(const struct seep_verdict *verdict,
				  const struct seep_evidence *evidence,
				  const struct seep_unit *unit, struct seep_arena *arena);

/* A queue or few blocks that grow. */
const char *seep_sentence_grown(const struct seep_verdict *verdict,
				const struct seep_evidence *evidence, const struct seep_unit *unit,
				struct seep_arena *arena);

/* Flat, because nearly everything that was allocated has been freed. */
const char *seep_sentence_clean(const struct seep_verdict *verdict,
				const struct seep_evidence *evidence, const struct seep_unit *unit,
				struct seep_arena *arena);

/* The sample is too coarse for a verdict. */
const char *seep_sentence_coarse(const struct seep_verdict *verdict,
				 const struct seep_evidence *evidence,
				 const struct seep_unit *unit, struct seep_arena *arena);

/* "sampled 1 per 512 kB: ", which opens the sentence if the heap was sampled; else "". */
const char *seep_sentence_sampling(const struct seep_verdict *verdict, const struct seep_run *run,
				   struct seep_arena *arena);

/* What is added to any sentence: RSS, gauges, a runtime with its own heap; or "". */
const char *seep_sentence_beside(const struct seep_verdict *verdict, const struct seep_unit *unit,
				 struct seep_arena *arena);

#endif
