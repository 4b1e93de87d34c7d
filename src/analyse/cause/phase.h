/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In which part of the event memory is kept.
 *
 * A phase is the interval between two stamps.  The named stamps cut the time from the start of one
 * event to the start of the next into pieces.  What the pieces add is exactly what the event adds.
 * The rate is a weighted sum of these steps, so the same weights split it into shares that add up
 * to it.  A phase that frees has a negative share.
 *
 *   begin  HEAD   ...   TAIL  end  begin  HEAD
 *     |-----|------------|-----|-----|-----|--
 *           |<--HEAD --> |<--- TAIL -> HEAD >|
 *
 * The pieces before the first stamp and after the last one belong to the phase from the last stamp
 * to the first of the next event.  With one named stamp that would be everything, so the start of
 * the event then counts as a stamp too.  Without any named stamp, the two phases are inside and
 * between events.
 *
 * The phases are those of the most common sequence of stamps.  Pieces of other
 * events go to the phase that starts at the same name, so nothing is lost.
 *
 * If events overlap, what the heap adds between two stamps is the work of several events.  Then
 * only sites can be split, as each block has the phase of its own thread.
 */
#ifndef SEEP_ANALYSE_CAUSE_PHASE_H
#define SEEP_ANALYSE_CAUSE_PHASE_H

#include "analyse/series/estimate.h"
#include "analyse/series/rate.h"
#include "analyse/series/series.h"
#include "analyse/site/site_result.h"
#include "base/arena.h"
#include "model/run.h"

struct seep_phase_share {
	uint32_t from, to;       /* names; 0: the start of the event (to: of the next one) */
	bool between_events;     /* no names: from the end of an event to the next start */
	bool outside;            /* no names: of threads that had none of several open events */
	struct seep_estimate bytes_per_event;
	double share;            /* of the rate; all add up to 1, or are 0 if nothing grows */
	double gross;            /* bytes per event that come and go in it; NAN: not known */
	bool accused;            /* the accused phases together certainly have half of the growth */
	size_t group_first, group_n; /* it jitters against neighbours: these phases; else 0, 0 */
	struct seep_estimate group_bytes_per_event; /* of them together */
};

/* Finds the phases from the series and its rate; none if there are fewer than 2 events. */
void seep_phase_split(struct seep_phase_share **phases, size_t *n_phases,
		      const struct seep_run *run, const struct seep_series *series,
		      const struct seep_rate *rate, struct seep_arena *arena);

/*
 * The same from the sites that grow: the rate of each goes to the phase it allocates in.  For
 * runs whose total is too noisy to be split.  Only sites of the heap count, or only the others.
 */
struct seep_phase_sites {
	const struct seep_site_result *results;
	size_t n;
	bool of_heap;
};

void seep_phase_split_sites(struct seep_phase_share **phases, size_t *n_phases,
			    const struct seep_phase_sites *sites, const struct seep_run *run,
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

/* At most bins_max bins, of whole events.  Nothing if events overlap. */
void seep_phase_tabulate(struct seep_phase_matrix *matrix, const struct seep_run *run,
			 const struct seep_series *series, int64_t warmup_events, size_t bins_max,
			 struct seep_arena *arena);

/* The one of these with the same ends; NULL: there is none. */
const struct seep_phase_share *seep_phase_find(const struct seep_phase_share *phases, size_t n,
					       const struct seep_phase_share *like);

#endif
