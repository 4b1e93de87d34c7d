/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/series/series.h"

#include <math.h>

#define PAGE_BYTES 4096

bool seep_series_value(const struct seep_stamp *stamp, enum seep_series_kind kind, double *bytes)
{
	if (kind == SEEP_SERIES_HEAP) {
		*bytes = (double)stamp->live_bytes;
		return stamp->flags & SEEP_STAMP_HEAP;
	}
	if (kind == SEEP_SERIES_TRACKER) {
		*bytes = (double)stamp->tracker_bytes;
		return stamp->flags & SEEP_STAMP_HEAP;
	}
	*bytes = (double)stamp->rss_bytes - (double)stamp->tracker_bytes;
	return stamp->flags & SEEP_STAMP_RSS;
}

void seep_series_ends(const double *values, size_t n, double *least, double *most)
{
	size_t i;

	*least = *most = values[0];
	for (i = 1; i < n; i++) {
		*least = fmin(*least, values[i]);
		*most = fmax(*most, values[i]);
	}
}

/* The stamps up to the end of the program's life. */
static size_t count_stamps(const struct seep_run *run)
{
	size_t place = seep_run_place(run, seep_run_end(run));

	return place < run->n_events ? run->events[place].first_stamp + 1 : run->n_stamps;
}

static void find_closing(struct seep_series *series, const struct seep_run *run)
{
	size_t i = count_stamps(run);

	while (i-- > 0 && !series->has_closing)
		series->has_closing =
			seep_series_value(&run->stamps[i], series->kind, &series->closing);
}

/*
 * Its own number for the event is smaller than the one it gave to the anchor before.  Events that
 * overlap have their numbers in any order.
 */
static bool starts_anew(const struct seep_run *run, const size_t *events, size_t i)
{
	return !run->overlapping &&
	       run->events[events[i]].index < run->events[events[i - 1]].index;
}

void seep_series_build(struct seep_series *series, const struct seep_run *run,
		       enum seep_series_kind kind, struct seep_arena *arena)
{
	size_t e, n = run->n_events;

	*series = (struct seep_series){
		.kind = kind,
		.stride = run->stride > 1 ? (double)run->stride : 1,
		.slices = seep_run_has_slices(run),
		.quantum = kind == SEEP_SERIES_RSS ? PAGE_BYTES : 0,
		.events = seep_arena_array(arena, n, sizeof(size_t)),
		.index = seep_arena_array(arena, n, sizeof(double)),
		.values = seep_arena_array(arena, n, sizeof(double)),
		.seconds = seep_arena_array(arena, n, sizeof(double)),
		.restarts = seep_arena_array(arena, n, sizeof(bool)),
	};
	if (kind != SEEP_SERIES_RSS && !run->has_heap)
		return;
	for (e = 0; e < n; e++) {
		const struct seep_stamp *begin = &run->stamps[run->events[e].first_stamp];

		if (run->events[e].number >= seep_run_end(run))
			break; /* what it gives back before it ends is not how it lived */
		if ((run->stride > 1 && run->events[e].number % run->stride) ||
		    !seep_series_value(begin, kind, &series->values[series->n]))
			continue;
		series->events[series->n] = e;
		series->restarts[series->n] =
			series->n && starts_anew(run, series->events, series->n);
		series->index[series->n] = (double)run->events[e].number;
		series->seconds[series->n] = seep_run_seconds(run, begin->t_ns);
		series->n++;
	}
	if ((run->n_dumps || run->sparse) && series->n > 1) /* and none between these */
		series->stride = (series->index[series->n - 1] - series->index[0]) /
				 (double)(series->n - 1);
	find_closing(series, run);
}
