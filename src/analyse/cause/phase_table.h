/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The phases of a run, for phase.c and phase_sites.c.
 *
 * A cycle is the stamps from the start of one event to the start of the next.  The most common
 * sequence of names among the cycles defines the phases.
 */
#ifndef SEEP_ANALYSE_CAUSE_PHASE_TABLE_H
#define SEEP_ANALYSE_CAUSE_PHASE_TABLE_H

#include "analyse/cause/phase.h"

#define SEEP_PHASE_TABLE_NONE SIZE_MAX

/* The phases of a run, and how to find the one between two stamps. */
struct seep_phase_table {
	struct seep_phase_share *phases;
	size_t n;
	size_t wrap;             /* the phase that contains the start of an event */
	size_t between;          /* the phase after the end of an event, if there is one */
	size_t *by_from;         /* per name, its first phase */
	size_t *next;            /* per phase, the next one with the same from */
	size_t n_names;
	bool begin_cuts;         /* the start of an event counts as a stamp */
};

/* The stamps from one start of an event to the next, in the step after an anchor. */
struct seep_phase_cycle {
	const struct seep_stamp *stamps;
	size_t n;
	size_t step;
	double before, after;    /* at the two starts */
};

/* The cycles of all steps of the rate, in order. */
struct seep_phase_cycles {
	struct seep_phase_cycle *items;
	size_t n;
	bool sampled;            /* not all are there: each stands for others of its step */
};

/* False if the run has no phases. */
bool seep_phase_table_find(struct seep_phase_table *table, struct seep_phase_cycles *cycles,
			   const struct seep_run *run, const struct seep_series *series,
			   const struct seep_rate *rate, struct seep_arena *arena);

/* Whether the stamp ends a piece: it has a name and a value.  A name out of range is damage. */
bool seep_phase_table_cuts(const struct seep_run *run, const struct seep_series *series,
			   const struct seep_stamp *stamp);

/* The phase with these ends; it is added if it is not there.  There is room for all names. */
size_t seep_phase_table_add(struct seep_phase_table *table, uint32_t from, uint32_t to);

/* Which phase a piece belongs to; 0 is the start of an event. */
size_t seep_phase_table_place(const struct seep_phase_table *table, uint32_t from, uint32_t to);

/* Sets the share of each phase, and returns all of them. */
void seep_phase_table_share(struct seep_phase_share **phases, size_t *n_phases,
			    const struct seep_phase_table *table);

#endif
