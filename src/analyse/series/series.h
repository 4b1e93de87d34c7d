/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A series: one value per event, taken at the start of the event (its anchor).
 *
 * Only the same stamp of consecutive events closes a cycle: what an event allocates and frees in
 * time cancels, and the difference of two anchors is what the event kept.
 *
 * Values are bytes as double, which is exact up to 9 PB.  An event whose start has no value (the
 * tracker stopped, RSS was not read) is left out, so events[] says which events the values belong
 * to.
 *
 * If the trace does not hold all events, only those at equal distances are anchors.  The early ones
 * are denser in the trace; they would weigh more, and noise between neighbours would look
 * different at the start and at the end.
 */
#ifndef SEEP_ANALYSE_SERIES_SERIES_H
#define SEEP_ANALYSE_SERIES_SERIES_H

#include "base/arena.h"
#include "model/run.h"

enum seep_series_kind {
	SEEP_SERIES_HEAP,        /* live bytes, exact */
	SEEP_SERIES_RSS,         /* resident bytes less the tracker's, in whole pages */
	SEEP_SERIES_TRACKER,     /* the tracker's own bytes */
};

struct seep_series {
	enum seep_series_kind kind;
	size_t n;
	double stride;           /* events from one anchor to the next, if none is lost */
	size_t *events;          /* the place of each anchor in the run's events, rising */
	double *index;           /* the number of its event, as a regressor */
	double *values;          /* bytes at the anchor */
	double *seconds;         /* when */
	bool *restarts;          /* the program restarted counting its events here */
	bool slices;             /* its events are slices of time */
	double quantum;          /* bytes the values come in: 0 for the heap, a page for RSS */
	bool has_closing;
	double closing;          /* the last value known in the run, at any stamp */
};

/* The series of that kind; n is 0 where the run has none.  Lives in the arena. */
void seep_series_build(struct seep_series *series, const struct seep_run *run,
		       enum seep_series_kind kind, struct seep_arena *arena);

/* The value of one stamp; false if it carries none of that kind. */
bool seep_series_value(const struct seep_stamp *stamp, enum seep_series_kind kind, double *bytes);

/* The smallest and the largest of n values, of which there is at least one. */
void seep_series_ends(const double *values, size_t n, double *least, double *most);

/* What event i added. */
static inline double seep_series_step(const double *values, size_t i)
{
	return values[i + 1] - values[i];
}

#endif
