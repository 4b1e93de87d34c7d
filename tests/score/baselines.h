/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What others would say of the same run: is there a leak?  Tests of a trend are one-sided
 * at 2.5 %, as one side of seep's 95 % interval is.
 */
#ifndef SEEP_TESTS_SCORE_BASELINES_H
#define SEEP_TESTS_SCORE_BASELINES_H

#include "model/run.h"

enum baseline {
	LINE_RSS,                /* least squares, Student's t */
	LINE_HEAP,
	MANN_KENDALL_RSS,
	MANN_KENDALL_HEAP,
	HAMED_RAO_RSS,           /* Mann-Kendall, for noise that remembers its past */
	HAMED_RAO_HEAP,
	SCALENE,                 /* a site that rarely frees, in a heap that grew by 1 % */
	IN_A_ROW,                /* the live heap rises four times in a row, as in Chromium */
	BASELINES,
};

const char *baseline_name(enum baseline baseline);

/* A bit per baseline that says leak. */
unsigned int baselines_ask(const struct seep_run *run);

#endif
