/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which phases are accused of the growth.
 *
 * The intervals of all m phases are to hold at the same time, so each may miss its truth in
 * 5 % / m (Bonferroni; Holm's steps would tell which phases add, but not how much at least).
 *
 * Accused is the smallest set of phases that surely has half of the growth: those with the
 * largest lower ends, each above 0, until they add up to half of the rate.  Where page
 * faults come now before a stamp and now behind it, what one phase has too much its
 * neighbour has too little (the correlation of their steps is below -.5): neither is known
 * well, both together are.  So neighbours of that kind make a group with an interval of its
 * own, and if it takes fewer of them to have half, groups are accused as a whole.
 */
#ifndef SEEP_ANALYSE_CAUSE_ACCUSE_H
#define SEEP_ANALYSE_CAUSE_ACCUSE_H

#include "analyse/cause/phase.h"
#include "analyse/series/rate.h"
#include "analyse/series/series.h"
#include "base/arena.h"

/*
 * levels: a row for each phase, of the rate's n anchors.  The values of the phases are
 * there; fills their intervals, groups and guilt.
 */
void seep_accuse_by_levels(struct seep_phase_share *phases, size_t n, const double *levels,
			   const struct seep_series *series, const struct seep_rate *rate,
			   struct seep_arena *arena);

/* The intervals are there, and each phase stands for itself. */
void seep_accuse_by_intervals(struct seep_phase_share *phases, size_t n,
			      struct seep_arena *arena);

#endif
