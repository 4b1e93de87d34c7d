/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the growth is proportional to.
 *
 * Every counter of the run, its running maximum and the time are tried as explanations of the
 * growth: alone, with a constant part per event, and in pairs; no part may be negative.  By BIC
 * under coloured noise (subset.h), one of them is a driver if it clearly beats a constant part, and
 * two are if they beat each one alone.  All that explain the growth equally well are reported, best
 * first: this many events cannot tell them apart.  The estimates come from glsmix.h.
 *
 * A running maximum drives what an allocator keeps: memory for the largest event so far.
 *
 * The growth is taken from the survivors of the leaking sites if there are any, which is exact.
 * Otherwise it is taken from the levels of the series, not from its increments: noise of a level
 * makes increments anti-correlated.
 */
#ifndef SEEP_ANALYSE_CAUSE_DRIVER_H
#define SEEP_ANALYSE_CAUSE_DRIVER_H

#include "analyse/series/estimate.h"
#include "analyse/series/rate.h"
#include "analyse/series/series.h"
#include "base/arena.h"
#include "model/run.h"

/* A leaking site and the events first .. end - 1 whose survivors are counted. */
struct seep_driver_leak {
	const struct seep_site *site;
	int64_t first, end;
};

/* What the growth follows: the sum of a counter, its running maximum, or the time in seconds. */
struct seep_driver {
	size_t counter;          /* index into run->counters; not for time */
	bool time, running_maximum;
	struct seep_estimate bytes_per_unit;
	bool combined;           /* together with a second one, and not alone */
	size_t second_counter;
	bool second_time, second_running_maximum;
	struct seep_estimate second_bytes_per_unit;
	double r2;
	bool proportional;       /* the part that does not depend on it may be 0 */
};

struct seep_driver_question {
	const struct seep_run *run;
	const struct seep_driver_leak *leaks; /* may be none: then the series is asked */
	size_t n_leaks;
	const struct seep_series *series;
	const struct seep_rate *rate;
	bool from_start;         /* the growth came early: warm-up is part of it */
};

/* The drivers, best first, in the arena. */
void seep_driver_find(struct seep_driver **drivers, size_t *n_drivers,
		      const struct seep_driver_question *question, struct seep_arena *arena);

#endif
