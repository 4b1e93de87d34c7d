/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a process holds besides its memory, each as a series of its own: the gauges that the
 * program gives (seep_gauge), open descriptors and threads.
 *
 * A heap that does not grow says nothing about them.  A program that loses one descriptor in each
 * event ends as surely as one that loses memory.
 */
#ifndef SEEP_ANALYSE_CAUSE_GAUGES_H
#define SEEP_ANALYSE_CAUSE_GAUGES_H

#include "analyse/series/estimate.h"
#include "base/arena.h"
#include "model/run.h"

enum seep_gauge_unit {
	SEEP_GAUGE_BYTES,        /* given by the program */
	SEEP_GAUGE_DESCRIPTORS,
	SEEP_GAUGE_THREADS,
};

struct seep_gauge_result {
	const char *name;        /* the program's, or that of the unit */
	enum seep_gauge_unit unit;
	double first, last;      /* values in the program's life */
	struct seep_estimate per_event; /* behind the warm-up, at 95 % confidence */
	double per_s;            /* 0: not known */
	bool rises;              /* for certain, by an amount that matters, and goes on */
};

/*
 * Gauges in the order of the run, then descriptors, then threads; those that the run has no
 * values of are left out.  Lives in the arena.
 */
void seep_gauges_judge(struct seep_gauge_result **gauges, size_t *n, const struct seep_run *run,
		       struct seep_arena *arena);

/* "bytes", "descriptors", "threads" */
const char *seep_gauges_unit_name(enum seep_gauge_unit unit);

#endif
