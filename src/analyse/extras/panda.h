/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the PanDA pilot would report of the same run, so that those who know its numbers can
 * compare: an ordinary line through PSS and swap over the time, in the units of prmon.
 *
 * Its recipe: of a series of less than 100 points the first five and the last two are left
 * out, and more than seven must remain.  Of a longer one points are taken away at either end, five
 * at a time, while each step betters chi2 by a quarter and two thirds are left; the last
 * step, which did not, counts as well, and at the left end all of them twice.  chi2 is the sum
 * of the squared relative deviations.  It has no interval and knows no shape but the line.
 */
#ifndef SEEP_ANALYSE_EXTRAS_PANDA_H
#define SEEP_ANALYSE_EXTRAS_PANDA_H

#include "base/arena.h"
#include "model/run.h"

struct seep_panda {
	bool known;              /* else it would report nothing */
	double slope;            /* KiB per second */
	double chi2;
	double intersect;        /* KiB, at the epoch, as its time is */
	size_t points;           /* that the line goes through */
	size_t given;            /* of so many */
	const char *slope_name, *chi2_name, *intersect_name; /* its own names for them */
	const char *unit;        /* of the slope */
	const char *text;        /* a line for people; NULL if it is not known */
};

/* The run must have a gauge "pss"; "swap" is added where it is there. */
void seep_panda_fit(struct seep_panda *panda, const struct seep_run *run,
		    struct seep_arena *arena);

/* The line through n points: x in seconds, y in KiB. */
void seep_panda_fit_points(struct seep_panda *panda, const double *x, const double *y, size_t n);

#endif
