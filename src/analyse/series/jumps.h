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
 * Teeth: memory is collected now and then.  What stays shows in the troughs: if
 * they rise, something is kept.  Stairs: nothing happens in most events, and some add a
 * block; the rate's certainty is that of the number of steps.
 */
#ifndef SEEP_ANALYSE_SERIES_JUMPS_H
#define SEEP_ANALYSE_SERIES_JUMPS_H

#include "analyse/series/estimate.h"

#include <stddef.h>

struct seep_teeth {
	bool found;
	size_t drops;
	double height;           /* mean of what a drop gives back, bytes */
	double period;           /* events from one drop to the next, in the mean */
	struct seep_estimate rate; /* of the troughs; not known where they are less than 4 */
	double p_plus;
};

struct seep_stairs {
	bool found;
	size_t steps;
	double height;           /* in the mean, bytes */
	struct seep_estimate rate;
};

/* Both may use a scratch of n values. */
void seep_jumps_find_teeth(struct seep_teeth *teeth, const double *y, const double *x, size_t n,
			   double *scratch);
void seep_jumps_find_stairs(struct seep_stairs *stairs, const double *y, const double *x, size_t n,
			    double *scratch);

#endif
