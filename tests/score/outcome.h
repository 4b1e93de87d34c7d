/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What became of one case: the verdict beside the truth. */
#ifndef SEEP_TESTS_SCORE_OUTCOME_H
#define SEEP_TESTS_SCORE_OUTCOME_H

#include "score.h"

#include <stdio.h>

enum answer { NOT_ASKED, WRONG, RIGHT };

struct outcome {
	bool filled;
	size_t scenario;         /* its place in the set */
	uint64_t seed;
	size_t n;
	bool has_heap;
	unsigned int kinds;      /* of the truth */
	bool leaks;
	enum seep_kind kind;     /* of the verdict */
	double truth, value, low, high; /* bytes per event; NAN where not known */
	enum answer phase, site, driver, driver_set;
	unsigned int baselines;  /* bits of those that say leak */
	bool adds_up;            /* the run does not contradict itself */
};

static inline bool outcome_right(const struct outcome *o)
{
	return o->kinds & SCORE_KIND(o->kind);
}

static inline bool outcome_false_leak(const struct outcome *o)
{
	return o->kind == SEEP_KIND_LEAK && !(o->kinds & SCORE_KIND(SEEP_KIND_LEAK));
}

/* Runs the generator on this seed and asks for the verdict. */
void outcome_find(struct outcome *o, const struct score_scenario *scenario, uint64_t seed,
		  size_t low, size_t high);

/* The same, printed: series, sites, truth and verdict. */
void outcome_dump(const struct score_scenario *scenario, uint64_t seed, size_t low, size_t high);

/* The case of a seed; the caller releases it. */
void outcome_make(struct score_case *c, const struct score_scenario *scenario, uint64_t seed,
		  size_t low, size_t high);

/* table.c */
struct score_set {
	const char *name;
	const struct score_scenario *scenarios;
	size_t n_scenarios;
	const struct outcome *outcomes;
	size_t n;
};

void table_print(const struct score_set *set, bool verbose);
void table_write_json(FILE *out, const struct score_set *set);

/* Sums over a set, or over one scenario of it. */
struct tally {
	size_t n, right, leaks, found, leak_free, false_leaks, undecided;
	size_t long_heap, long_heap_undecided; /* n >= 200, with heap data */
	size_t rates, covered, other_rates, other_covered; /* of leaks, of other growth */
	double width;            /* median relative width over the leaks found */
	size_t phases, phases_right, sites, sites_right, drivers, drivers_right, in_set;
	size_t baseline_found[16], baseline_false[16], baseline_free;
	double cost;
	size_t contradictions;   /* runs that no program could have made */
	size_t kinds[SEEP_KIND_UNDECIDED + 1];
};

/* scenario: SIZE_MAX for all. */
struct tally tally_count(const struct score_set *set, size_t scenario);
double tally_upper(size_t hits, size_t n); /* 95 % bound of the rate, one-sided */

/* coverage.c */
int coverage_print(size_t runs, uint64_t seed);

#endif
