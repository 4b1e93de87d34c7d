/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which phases are accused of the growth.
 *
 * The intervals of all m phases must hold at the same time, so each may miss the truth in 5 % / m
 * of all runs (Bonferroni; Holm's steps would show which phases add, but not how much at least).
 *
 * Accused is the smallest set of phases that certainly has half of the growth: those with the
 * largest lower ends, each above 0, until they add up to half of the rate.  If page faults come
 * sometimes before a stamp and sometimes after it, what one phase has too much its neighbour has
 * too little (the correlation of their steps is below -.5).  Neither is known well, but their sum
 * is.  Such neighbours form a group with its own interval, and if fewer groups than phases are
 * needed for half of the growth, groups are accused as a whole.
 */
#ifndef SEEP_ANALYSE_CAUSE_ACCUSE_H
#define SEEP_ANALYSE_CAUSE_ACCUSE_H

#include "analyse/cause/phase.h"
#include "analyse/series/rate.h"
#include "analyse/series/series.h"
#include "base/arena.h"

/*
 * levels: a row for each phase, of the rate's n anchors.  The values of the phases are
 * known; fills in their intervals, groups and accusations.
 */
void seep_accuse_by_levels(struct seep_phase_share *phases, size_t n, const double *levels,
			   const struct seep_series *series, const struct seep_rate *rate,
			   struct seep_arena *arena);

/* The intervals are known, and there are no groups. */
void seep_accuse_by_intervals(struct seep_phase_share *phases, size_t n,
			      struct seep_arena *arena);

#endif
