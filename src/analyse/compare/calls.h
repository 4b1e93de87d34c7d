/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The live memory of two runs, by function and by call.
 *
 * flat is what a function allocates itself; cum includes the functions that it calls.  Frames of
 * the allocator are left out, or malloc would allocate everything.  A function that occurs more
 * than once in a stack counts once, by its innermost frame.
 */
#ifndef SEEP_ANALYSE_COMPARE_CALLS_H
#define SEEP_ANALYSE_COMPARE_CALLS_H

#include "analyse/compare/compare.h"
#include "analyse/compare/compare_live.h"
#include "base/arena.h"

struct seep_calls_function {
	const char *name;
	struct seep_compare_live_pair flat, cum;
	enum seep_compare_change flat_change, cum_change;
};

struct seep_calls_edge {
	size_t caller, callee;   /* indices in functions */
	struct seep_compare_live_pair bytes;
};

struct seep_calls {
	struct seep_calls_function *functions; /* largest difference in flat first */
	size_t n_functions;
	struct seep_calls_edge *edges; /* largest difference first */
	size_t n_edges;
	struct seep_compare_live_pair total;
};

/* The sites of both verdicts must have function names. */
void seep_calls_compare(struct seep_calls *calls, const struct seep_compare_side *before,
			const struct seep_compare_side *after, struct seep_arena *arena);

static inline double seep_calls_difference(const struct seep_compare_live_pair *pair)
{
	return pair->side[1].bytes - pair->side[0].bytes;
}

#endif
