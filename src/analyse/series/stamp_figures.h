/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was measured at each stamp, as plain numbers: how far memory is above the start of the
 * event, and how far it has risen since the same stamp of the event before.  No judgement: these
 * are the figures behind one.
 */
#ifndef SEEP_ANALYSE_SERIES_STAMP_FIGURES_H
#define SEEP_ANALYSE_SERIES_STAMP_FIGURES_H

#include "base/arena.h"
#include "model/run.h"

/* n numbers; sd divides by n, as for all that there are. */
struct seep_stamp_figures_spread {
	size_t n;
	double mean, sd, min, max;
};

/* One stamp of the event: a name, and where it comes several times, which time. */
struct seep_stamp_figures_row {
	uint32_t name;           /* in names; 0: the begin or end of the event */
	uint16_t flags;          /* SEEP_STAMP_BEGIN or _END for those */
	size_t repeat;           /* from 0 */
	size_t column;           /* of the cells */
	size_t n;                /* events that have it */
	double seconds;          /* since the start of the event, on average */
	struct seep_stamp_figures_spread rss, heap; /* bytes above the start of the event */
	double first_rss, first_heap; /* rise from the first event to the next; NAN: not known */
	struct seep_stamp_figures_spread rss_rise, heap_rise; /* ... from each later one on */
};

struct seep_stamp_figures {
	struct seep_stamp_figures_row *rows; /* in the order of the events */
	size_t n_rows;
	size_t *cells;           /* events by columns: a stamp of the run and one, or 0 */
	size_t *events;          /* their places in the run's events */
	size_t n_events;         /* that were written whole */
};

void seep_stamp_figures_find(struct seep_stamp_figures *stamps, const struct seep_run *run,
			     struct seep_arena *arena);

/* The stamp of an event at a row, or NULL. */
const struct seep_stamp *seep_stamp_figures_get(const struct seep_stamp_figures *stamps,
						const struct seep_run *run, size_t event,
						size_t row);

/* A line through y by least squares, against 0, 1, 2 ...; what Opticks' scripts print. */
void seep_stamp_figures_fit_line(const double *y, size_t n, double *slope, double *intercept);

#endif
