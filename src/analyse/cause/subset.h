/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which columns explain a level: all sets of one and of two of them are compared by BIC
 * under coloured noise, with coefficients that must not be negative.
 *
 * Hundreds of sets would take too long in series/glsmix.c, which estimates.  Here the columns are
 * whitened once for each of twelve models of noise, and a set costs one residual per model.
 * glsmix.c then estimates the sets that were chosen.
 */
#ifndef SEEP_ANALYSE_CAUSE_SUBSET_H
#define SEEP_ANALYSE_CAUSE_SUBSET_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

#define SEEP_SUBSET_COLUMNS 26
#define SEEP_SUBSET_ROWS 400     /* longer series are averaged into at most this many rows */

struct seep_subset_data {
	const double *y;         /* bytes, in the order of time */
	double *columns[SEEP_SUBSET_COLUMNS];
	size_t n_columns;
	size_t rows;
	double quantum;          /* y comes in multiples of this; 0: exact */
};

/* BIC of each set; INFINITY if a coefficient would be negative or columns coincide. */
struct seep_subset {
	double none;             /* a level and noise */
	double one[SEEP_SUBSET_COLUMNS];
	double two[SEEP_SUBSET_COLUMNS][SEEP_SUBSET_COLUMNS];
};

/* pairs: sets of two as well.  The arena is for scratch. */
void seep_subset_judge(struct seep_subset *out, const struct seep_subset_data *data, bool pairs,
		       struct seep_arena *arena);

#endif
