/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The unit of rates and spans: the events of the program.  The run of a program that marks none is
 * cut into slices of time.  Their length is seep's choice and means nothing to the user, so
 * such a run is described per second and in seconds.
 */
#ifndef SEEP_ANALYSE_WORDS_UNIT_H
#define SEEP_ANALYSE_WORDS_UNIT_H

#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "model/run.h"

struct seep_unit {
	const struct seep_run *run;
	bool time;               /* the unit is seconds, not events */
	double per_s;            /* events per second; 0: not known, and time is false */
	const char *per;         /* "event" or "second" */
};

struct seep_unit seep_unit_of(const struct seep_run *run, const struct seep_verdict *verdict);

/* Events per second, from the first to the last; 0: not known. */
double seep_unit_count_per_s(const struct seep_run *run);

/* From bytes per event to bytes in the unit. */
double seep_unit_scale(const struct seep_unit *unit, double per_event);

/* "196 events", "1 event"; or "19.6 s". */
const char *seep_unit_span(const struct seep_unit *unit, double events, struct seep_arena *arena);

/* "196" or "19.6 s": for a span that follows another one. */
const char *seep_unit_short_span(const struct seep_unit *unit, double events,
				 struct seep_arena *arena);

/*
 * What the rate is about: "over 196 events after 4 of warm-up"; "over the last 30 of 300 events"
 * if growth started, or changed its pace, during the run.
 */
const char *seep_unit_covered(const struct seep_unit *unit, const struct seep_verdict *verdict,
			      struct seep_arena *arena);

/* A moment of the run: "event 60" or "6.0 s". */
const char *seep_unit_moment(const struct seep_unit *unit, double event, struct seep_arena *arena);

#endif
