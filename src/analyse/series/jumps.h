/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Series that move in jumps, for which a fit through all values means little.
 *
 *   teeth                     stairs
 *       /|   /|   /|                        ____
 *      / |  / |  / |  /             ___|
 *     /  | /  | /  | /         ____|
 *    /   |/   |/   |/     ____|
 *
 * Teeth: memory is collected now and then.  The troughs show what stays: if they rise, something
 * is kept.  Stairs: most events add nothing, and some add a block; the rate is as certain as the
 * number of steps.
 */
#ifndef SEEP_ANALYSE_SERIES_JUMPS_H
#define SEEP_ANALYSE_SERIES_JUMPS_H

#include "analyse/series/estimate.h"

#include <stddef.h>

struct seep_teeth {
	bool found;
	size_t drops;
	double height;           /* mean size of a drop, bytes */
	double period;           /* mean number of events from one drop to the next */
	struct seep_estimate rate; /* of the troughs; not known if there are fewer than 4 */
	double p_plus;
};

struct seep_stairs {
	bool found;
	size_t steps;
	double height;           /* mean size of a step, bytes */
	struct seep_estimate rate;
};

/* Both may use a scratch of n values. */
void seep_jumps_find_teeth(struct seep_teeth *teeth, const double *y, const double *x, size_t n,
			   double *scratch);
void seep_jumps_find_stairs(struct seep_stairs *stairs, const double *y, const double *x, size_t n,
			    double *scratch);

#endif
