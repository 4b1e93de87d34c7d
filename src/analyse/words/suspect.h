/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sites that keep memory but lack the evidence or the size to be called a leak: how much they keep,
 * and in plain words why they are only suspect.
 */
#ifndef SEEP_ANALYSE_WORDS_SUSPECT_H
#define SEEP_ANALYSE_WORDS_SUSPECT_H

#include "analyse/verdict/verdict.h"
#include "analyse/words/unit.h"
#include "base/arena.h"
#include "model/run.h"

struct seep_suspect {
	const struct seep_site_result *result;
	size_t rank;             /* in the report, from 1 on */
	double blocks, bytes;    /* kept: allocated during events, and still alive */
	double events;           /* upper bound of the events that kept something */
	double since;            /* events from the first one that kept something to the end */
	double heap_rise;        /* bytes by which the live heap grew in heap_events; 0: unknown */
	double heap_events;
	double tolerated;        /* bytes that the heap may grow by in this run */
};

/* All of them, most bytes first; in the arena. */
struct seep_suspect *seep_suspect_list(const struct seep_run *run,
					     const struct seep_verdict *verdict,
					     struct seep_arena *arena, size_t *n);

/* "kept in only 7 events" */
const char *seep_suspect_tell(const struct seep_suspect *suspect, const struct seep_unit *unit,
			      struct seep_arena *arena);

/* "about 2300 more would settle it", to follow the reason; "" if that is not known. */
const char *seep_suspect_need(const struct seep_suspect *suspect, const struct seep_unit *unit,
			      struct seep_arena *arena);

#endif
