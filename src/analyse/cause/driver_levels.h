/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The growth that needs a driver: levels in bytes, each taken at the start of an event, with the
 * number and the time of that event.
 */
#ifndef SEEP_ANALYSE_CAUSE_DRIVER_LEVELS_H
#define SEEP_ANALYSE_CAUSE_DRIVER_LEVELS_H

#include "analyse/cause/driver.h"

struct seep_driver_levels {
	size_t n;                /* levels; 0 if there is nothing to go by */
	double *bytes;
	double *events;          /* their numbers */
	double *seconds;
	double quantum;          /* bytes come in multiples of this; 0: exact */
};

/* Survivors of all the leaks by cohort; lives in the arena. */
void seep_driver_levels_by_survivors(struct seep_driver_levels *growth, const struct seep_run *run,
				     const struct seep_driver_leak *leaks, size_t n_leaks,
				     struct seep_arena *arena);

/* Levels of a series: behind the warm-up, or from_start, behind the first event. */
void seep_driver_levels_by_series(struct seep_driver_levels *growth,
				  const struct seep_series *series,
				  const struct seep_rate *rate, bool from_start);

#endif
