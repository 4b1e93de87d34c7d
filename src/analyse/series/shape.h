/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which curve a series follows.
 *
 *     flat      line      step       curve     bend       kink
 *                  /         ____      _____      ___/        /
 *    ------      /          |        /          /           /
 *              /        ____|       |          |       ____/
 *
 * A curve rises ever slower towards a level; a bend does so on top of a line; a kink is
 * two lines, of which the second may be level.  The one with the smallest BIC is chosen,
 * each judged under the noise that suits it best (glsmix.h), so that a
 * series that merely wanders does not get a shape.  What matters in the end is the
 * slope at the end of the series.
 */
#ifndef SEEP_ANALYSE_SERIES_SHAPE_H
#define SEEP_ANALYSE_SERIES_SHAPE_H

#include "analyse/series/estimate.h"

#include <stddef.h>

enum seep_shape {
	SEEP_SHAPE_FLAT,
	SEEP_SHAPE_LINE,
	SEEP_SHAPE_STEP,
	SEEP_SHAPE_STEP_LINE,
	SEEP_SHAPE_CURVE,
	SEEP_SHAPE_BEND,
	SEEP_SHAPE_KINK,
	SEEP_SHAPES,
};

struct seep_shape_fit {
	bool known;
	enum seep_shape shape;
	double bic[SEEP_SHAPES]; /* the best of each; INFINITY where it was not tried */
	double at;               /* step, kink: the event */
	double tau;              /* curve, bend: events in which 63 % of the way is gone */
	double height;           /* of the step; or of the whole way to the level, bytes */
	struct seep_estimate rate; /* bytes per event at the end */
	double p_plus;           /* probability that this is not above 0 */
	double before;           /* kink: bytes per event before it */
};

/* y over x, both n; quantum as in glsmix.h.  Not known below 10 values. */
void seep_shape_choose(struct seep_shape_fit *fit, const double *y, const double *x, size_t n,
		       double quantum);

#endif
