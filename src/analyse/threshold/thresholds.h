/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The thresholds of the verdict: every number in src/analyse that decides something.
 *
 * Each has a name, a value, a unit, a meaning and the place where it was measured:
 *
 *     coverage                 bench/coverage.c; its tables are in docs/accuracy.md
 *     development set          tuned on that set of tests/score
 *     held-out set, third set  added after these sets had shown a kind of mistake
 *     by definition            follows from what the number means
 *     judgement, not measured  an estimate that no measurement supports
 *
 * or a test, or another program whose behaviour it describes.  REAL is a double, COUNT a whole
 * number.  One meaning has one name, no matter how many files use it.
 *
 * Structural constants are not thresholds and stay in their files: sizes of arrays and grids, the
 * number of parts that a run is cut into, limits on the work that is done, ranks in a table, the
 * grain of the data, guards against rounding, and digits of printed numbers.
 */
#ifndef SEEP_ANALYSE_THRESHOLD_THRESHOLDS_H
#define SEEP_ANALYSE_THRESHOLD_THRESHOLDS_H

#include "analyse/threshold/thresholds_cause.h"
#include "analyse/threshold/thresholds_report.h"
#include "analyse/threshold/thresholds_series.h"
#include "analyse/threshold/thresholds_site.h"
#include "analyse/threshold/thresholds_verdict.h"

#define SEEP_THRESHOLDS(REAL, COUNT) \
	SEEP_THRESHOLDS_SERIES(REAL, COUNT) \
	SEEP_THRESHOLDS_SITE(REAL, COUNT) \
	SEEP_THRESHOLDS_CAUSE(REAL, COUNT) \
	SEEP_THRESHOLDS_VERDICT(REAL, COUNT) \
	SEEP_THRESHOLDS_REPORT(REAL, COUNT)

#ifdef SEEP_SENSITIVITY

/* Variables, so that the scoreboard can try other values. */
#define SEEP_THRESHOLD_REAL(name, value, unit, meaning, measured) extern double name;
#define SEEP_THRESHOLD_COUNT(name, value, unit, meaning, measured) extern unsigned int name;

SEEP_THRESHOLDS(SEEP_THRESHOLD_REAL, SEEP_THRESHOLD_COUNT)

#else

#define SEEP_THRESHOLD_REAL(name, value, unit, meaning, measured) static const double name = value;
#define SEEP_THRESHOLD_COUNT(name, value, unit, meaning, measured) name = value,
#define SEEP_THRESHOLD_NONE(name, value, unit, meaning, measured)

SEEP_THRESHOLDS(SEEP_THRESHOLD_REAL, SEEP_THRESHOLD_NONE)

enum seep_threshold_count {
	SEEP_THRESHOLDS(SEEP_THRESHOLD_NONE, SEEP_THRESHOLD_COUNT)
};

#endif

/* The confidence of every interval. */
#define SEEP_CONFIDENCE (1 - 2 * INTERVAL_TAIL)

#endif
