/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In which part of the event memory is kept.
 *
 * The named stamps cut the way from one event's begin to the next one's into
 * pieces.  What the pieces add is what the event adds, identically; and since
 * the rate is a weighted sum of those steps, the same weights split it into
 * shares that add up to it.  A phase that frees has a negative share.
 *
 *   begin  HEAD   ...   TAIL  end  begin  HEAD
 *     |-----|------------|-----|-----|-----|--
 *           |<--HEAD --> |<--- TAIL -> HEAD >|
 *
 * The pieces before the first and behind the last stamp of an event belong to
 * the phase from the last stamp to the first of the next event.  With one named
 * stamp that would be everything, so the begin of the event counts as a stamp
 * then.  Without any, the event is split into what happens inside and between
 * events.
 *
 * The phases are those of the most common sequence of stamps.  Pieces of other
 * events go to the phase that starts at the same name, so nothing is lost.
 */
#ifndef SEEP_ANALYSE_CAUSE_PHASE_H
#define SEEP_ANALYSE_CAUSE_PHASE_H

#include "analyse/series/rate.h"
#include "analyse/series/series.h"
#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "model/run.h"

/* Fills verdict->phases from the series and its rate; none if there are less than 2 events. */
void seep_phase_split(struct seep_verdict *verdict, const struct seep_run *run,
		      const struct seep_series *series, const struct seep_rate *rate,
		      struct seep_arena *arena);

/*
 * The same from the sites: every leaking site's rate goes to the phase it
 * allocates in.  For runs whose total is too noisy to be split.
 */
void seep_phase_split_sites(struct seep_verdict *verdict, const struct seep_run *run,
			    const struct seep_series *series, const struct seep_rate *rate,
			    struct seep_arena *arena);

/*
 * What each phase added, over the events: rows of n_bins, one per phase.  A bin is
 * the mean of its events; NAN where it has none that were written whole.
 */
struct seep_phase_matrix {
	struct seep_phase_share *phases; /* their ends and nothing else; none: no phases */
	size_t n_phases;
	size_t n_bins;
	double events_per_bin;   /* the first begins at event 0 */
	double *bytes;           /* per event */
	double *means;           /* per phase: over all events behind the warm-up */
};

/* At most bins_max bins, of whole events. */
void seep_phase_tabulate(struct seep_phase_matrix *matrix, const struct seep_run *run,
			 const struct seep_series *series, int64_t warmup_events, size_t bins_max,
			 struct seep_arena *arena);

/* The one of these with the same ends; NULL: there is none. */
const struct seep_phase_share *seep_phase_find(const struct seep_phase_share *phases, size_t n,
					       const struct seep_phase_share *like);

#endif
