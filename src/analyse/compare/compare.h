/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What changed from one run to another.
 *
 * Two runs that have rates are compared by these: per event, or per second where one of them
 * has time slices for events; and per unit of the counter that drives both, since a run with
 * twice the hits per event grows twice as fast and is no worse.  What has no rate, such as two
 * heap profiles, is compared by what is alive at the end.
 *
 * One rate is never that of the live heap where the other is that of RSS.  If the verdicts are
 * about different series, one series is measured in both runs: the one in which a run grows if
 * the other does not, else the live heap; RSS where a run has no heap.
 *
 * The runs are independent, so the interval of a difference is made of those of its terms
 * by MOVER: what one may be too high and the other too low adds up as squares do.
 *
 * Sites are matched by the functions of their stacks (model/key.h).  Sites of the same
 * functions are paired in the order of their lines where both runs have as many of them, and
 * added up where not.  A new site and one that is gone are perhaps the same where one stack is
 * the other without functions that may have been inlined.  Whether one changed is decided with
 * 95 % for all of them together.
 *
 * In a sampled heap profile, what one stack holds is no better known than the number of its
 * samples.  A stack that holds the very same in both is the same sample, and its
 * error cancels.  Of one that does not, some blocks are alive in both perhaps: it
 * changed for certain if it did with no such block, and perhaps if it did with all of them.
 */
#ifndef SEEP_ANALYSE_COMPARE_COMPARE_H
#define SEEP_ANALYSE_COMPARE_COMPARE_H

#include "analyse/compare/compare_footprint.h"
#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "model/run.h"

struct seep_compare_side {
	const struct seep_run *run;
	const struct seep_verdict *verdict; /* whose sites have their frames resolved */
	bool no_builds;          /* what its objects were built from is not known */
};

enum seep_compare_outcome {
	SEEP_COMPARE_SAME,       /* no difference can be shown */
	SEEP_COMPARE_LESS,
	SEEP_COMPARE_MORE,
	SEEP_COMPARE_GONE,       /* it grew and does not */
	SEEP_COMPARE_NEW,        /* it grows and did not */
	SEEP_COMPARE_NONE,       /* it grows in neither */
	SEEP_COMPARE_OPEN,       /* there is too little to compare */
};

enum seep_compare_change {
	SEEP_CHANGE_SAME,
	SEEP_CHANGE_PERHAPS,     /* what was seen allows both */
	SEEP_CHANGE_MORE,
	SEEP_CHANGE_LESS,
	SEEP_CHANGE_NEW,
	SEEP_CHANGE_GONE,
};

/* The same thing in both runs, and after - before. */
struct seep_compare_pair {
	struct seep_estimate before, after, difference;
};

/* The counter that drives the growth of both. */
struct seep_compare_unit {
	bool known;
	const char *counter;
	struct seep_compare_pair bytes; /* per unit */
	double before_units, after_units; /* per event, or per second as the rates */
	bool same;               /* no difference per unit can be shown */
};

struct seep_compare_phase {
	const char *from, *to;   /* names of stamps; NULL: begin or end of the event */
	bool between_events;
	bool in_before, in_after;
	struct seep_compare_pair rate;
	enum seep_compare_change change;
};

struct seep_compare_site {
	const struct seep_stack *stack; /* as it is after; before where it is gone */
	uint32_t kind;           /* enum seep_memory_kind */
	size_t n_before, n_after; /* sites that were added up; of rates: those that grow */
	size_t rank;             /* of the first in the report of after, or before; from 1 */
	struct seep_compare_pair bytes; /* rate, or what is alive */
	double blocks_before, blocks_after; /* alive */
	enum seep_compare_change change;
	const struct seep_site_result **results[2]; /* of each side, */
	size_t n[2];             /* and how many, whether they grow or not */
};

struct seep_compare {
	bool live;               /* bytes alive are compared, and no rates */
	bool heap;               /* rates are those of the live heap, else of RSS */
	bool mixed;              /* ... and one of the verdicts is about the other one */
	const char *per;         /* of rates: "event" or "s"; else NULL */
	const char *site_per;    /* of those of sites; the counter's name where it drives both */
	struct seep_compare_pair bytes;
	double blocks_before, blocks_after; /* alive at the end */
	struct seep_compare_footprint footprint;
	struct seep_compare_unit unit;
	struct seep_compare_phase *phases;
	size_t n_phases;
	struct seep_compare_site *sites; /* largest difference first */
	size_t n_sites;
	enum seep_compare_outcome outcome;
	const char *summary;     /* one line, in words */
	const char **notes;      /* what the reader should know besides */
	size_t n_notes;
};

/* live: compare what is alive, although there are rates. */
void seep_compare_runs(struct seep_compare *compare, const struct seep_compare_side *before,
		       const struct seep_compare_side *after, bool live,
		       struct seep_arena *arena);

/*
 * Only the sites that grow in one of the runs, of which sides has two.  scales: from per event to
 * what they are compared by.
 */
void seep_compare_site_rates(struct seep_compare *compare, const struct seep_compare_side *sides,
			     const double *scales, struct seep_arena *arena);

/* The difference after - before of estimates that are independent. */
struct seep_compare_pair seep_compare_pair(const struct seep_estimate *before,
					   const struct seep_estimate *after);

/* As in the JSON. */
const char *seep_compare_outcome_name(enum seep_compare_outcome outcome);
const char *seep_compare_change_name(enum seep_compare_change change);

#endif
