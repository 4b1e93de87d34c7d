/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the growth is proportional to.
 *
 * For every counter of the run, the growth is explained by the counter alone
 * and by the counter with a constant part per event; the better of the two (by
 * BIC, under the noise of analyse/glsmix.h) is compared with a constant part
 * alone.  A counter counts as a driver if it beats that clearly.  Counters
 * that explain the growth equally well are all reported, best first: they
 * cannot be told apart with this many events.
 *
 * The growth is taken from the survivors of the leaking sites where there are
 * any, which is exact, else from the series, on its levels and not on its
 * increments, because noise of a level makes increments anti-correlated.
 */
#ifndef SEEP_ANALYSE_DRIVER_H
#define SEEP_ANALYSE_DRIVER_H

#include "analyse/rate.h"
#include "analyse/series.h"
#include "analyse/verdict.h"
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
