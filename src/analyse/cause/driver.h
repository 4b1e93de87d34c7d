/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the growth is proportional to.
 *
 * Every counter of the run, its running maximum and the time try to explain the
 * growth: alone, with a constant part per event, and in pairs; none may have a negative part.  By
 * BIC under coloured noise (subset.h) one of them is a driver if it beats a constant part
 * alone clearly, and two of them are if they beat each one alone.  What explains the
 * growth equally well is all reported, best first: it cannot be told apart with this many
 * events.  The estimates are those of analyse/series/glsmix.h.
 *
 * A running maximum drives what an allocator keeps: memory for the largest event so far.
 *
 * The growth is taken from the survivors of the leaking sites where there are
 * any, which is exact, else from the series, on its levels and not on its
 * increments, because noise of a level makes increments anti-correlated.
 */
#ifndef SEEP_ANALYSE_CAUSE_DRIVER_H
#define SEEP_ANALYSE_CAUSE_DRIVER_H

#include "analyse/series/rate.h"
#include "analyse/series/series.h"
#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "model/run.h"

/* A leaking site and the events first .. end - 1 whose survivors are counted. */
struct seep_driver_leak {
	const struct seep_site *site;
	int64_t first, end;
};

/* Fills verdict->drivers.  leaks may be none. */
void seep_driver_find(struct seep_verdict *verdict, const struct seep_run *run,
		      const struct seep_driver_leak *leaks, size_t n_leaks,
		      const struct seep_series *series, const struct seep_rate *rate,
		      struct seep_arena *arena);

#endif
