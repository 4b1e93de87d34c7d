/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What changed from one run to another.
 *
 * If both runs have rates, these are compared: per event, or per second if either run uses time
 * slices as events.  They are also compared per unit of the counter that drives both runs, since
 * a run with twice the hits per event grows twice as fast and is no worse.  If there are no
 * rates, as with two heap profiles, live memory at the end is compared.
 *
 * A rate of the live heap is never compared with a rate of RSS.  If the verdicts are about
 * different series, one series is used for both runs: the one that grows if only one run grows,
 * otherwise the live heap; RSS if either run has no heap data.
 *
 * The runs are independent, so the interval of a difference is computed from the intervals of its
 * terms by MOVER: the error of one upwards and of the other downwards add up as squares.
 *
 * Sites are matched by the functions in their stacks (model/key.h).  Sites with the same functions
 * are paired in the order of their lines if both runs have the same number of them, and added up
 * otherwise.  A new site and one that is gone are marked "perhaps" if one stack is the other
 * without functions that may have been inlined.  The decision which sites changed holds at 95 %
 * confidence for all sites together.
 *
 * In a sampled heap profile, the fewer samples a stack has, the less certain its figures are.  A
 * stack with exactly the same figures in both profiles is the same sample, so its error cancels.
 * For other stacks, some blocks may be alive in both: the stack certainly changed if it did so
 * even with no such block, and perhaps if it did so only with as many of them as possible.
 */
#ifndef SEEP_ANALYSE_COMPARE_COMPARE_H
#define SEEP_ANALYSE_COMPARE_COMPARE_H

#include "analyse/compare/compare_footprint.h"
#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "model/run.h"

struct seep_compare_side {
	const struct seep_run *run;
	const struct seep_verdict *verdict; /* its sites have function names */
	bool no_builds;          /* the builds of its modules are unknown */
};

enum seep_compare_outcome {
	SEEP_COMPARE_SAME,       /* no difference was detected */
	SEEP_COMPARE_LESS,
	SEEP_COMPARE_MORE,
	SEEP_COMPARE_GONE,       /* it grew and no longer does */
	SEEP_COMPARE_NEW,        /* it grows and did not before */
	SEEP_COMPARE_NONE,       /* neither run grows */
	SEEP_COMPARE_OPEN,       /* there is too little data to compare */
};

enum seep_compare_change {
	SEEP_CHANGE_SAME,
	SEEP_CHANGE_PERHAPS,     /* the data do not show whether it changed */
	SEEP_CHANGE_MORE,
	SEEP_CHANGE_LESS,
	SEEP_CHANGE_NEW,
	SEEP_CHANGE_GONE,
};

/* A quantity in both runs, and after - before. */
struct seep_compare_pair {
	struct seep_estimate before, after, difference;
};

/* The counter that drives the growth of both runs. */
struct seep_compare_unit {
	bool known;
	const char *counter;
	struct seep_compare_pair bytes; /* per unit */
	double before_units, after_units; /* units per event or second, as for the rates */
	bool same;               /* no difference per unit was detected */
};

struct seep_compare_phase {
	const char *from, *to;   /* names of stamps; NULL: start or end of the event */
	bool between_events;
	bool in_before, in_after;
	struct seep_compare_pair rate;
	enum seep_compare_change change;
};

struct seep_compare_site {
	const struct seep_stack *stack; /* from the second run; from the first if it is gone */
	uint32_t kind;           /* enum seep_memory_kind */
	size_t n_before, n_after; /* number of sites added up; for rates, growing ones */
	size_t rank;             /* of its first site in the report on after (or before), from 1 */
	struct seep_compare_pair bytes; /* rates, or live bytes */
	double blocks_before, blocks_after; /* live */
	enum seep_compare_change change;
	const struct seep_site_result **results[2]; /* all matching sites of each side, */
	size_t n[2];             /* growing or not, and their number */
};

struct seep_compare {
	bool live;               /* live bytes are compared instead of rates */
	bool heap;               /* rates are of the live heap, else of RSS */
	bool mixed;              /* one of the verdicts is about the other series */
	const char *per;         /* for rates: "event" or "s"; else NULL */
	const char *site_per;    /* for sites; may be the name of the counter that drives both */
	struct seep_compare_pair bytes;
	double blocks_before, blocks_after; /* live at the end */
	struct seep_compare_footprint footprint;
	struct seep_compare_unit unit;
	struct seep_compare_phase *phases;
	size_t n_phases;
	struct seep_compare_site *sites; /* largest difference first */
	size_t n_sites;
	enum seep_compare_outcome outcome;
	const char *summary;     /* one line, in words */
	const char **notes;      /* what else the reader should know */
	size_t n_notes;
};

/* live: compare live memory even if there are rates. */
void seep_compare_runs(struct seep_compare *compare, const struct seep_compare_side *before,
		       const struct seep_compare_side *after, bool live,
		       struct seep_arena *arena);

/*
 * Compares the sites that grow in either run.  sides and scales have two entries each; scales
 * convert rates per event to the unit of the comparison.
 */
void seep_compare_site_rates(struct seep_compare *compare, const struct seep_compare_side *sides,
			     const double *scales, struct seep_arena *arena);

/* The difference after - before of two independent estimates. */
struct seep_compare_pair seep_compare_pair(const struct seep_estimate *before,
					   const struct seep_estimate *after);

/* The name in the JSON. */
const char *seep_compare_outcome_name(enum seep_compare_outcome outcome);
const char *seep_compare_change_name(enum seep_compare_change change);

#endif
