/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What grows outside the heap, with what, and in which phase.  See thresholds.h. */
#ifndef SEEP_ANALYSE_THRESHOLD_THRESHOLDS_CAUSE_H
#define SEEP_ANALYSE_THRESHOLD_THRESHOLDS_CAUSE_H

#define SEEP_THRESHOLDS_CAUSE(REAL, COUNT) \
	/* sum.c, rss_rise.c */ \
	REAL(SUM_CANCELS, 3, "times their sum", \
	     "if the absolute terms add up to more, they are noise that cancels", \
	     "judgement, not measured") \
	REAL(SUM_AGREES, .1, "part of the term", \
	     "by which the closing sum and the rate may differ and still agree", \
	     "judgement, not measured") \
	REAL(RSS_RISE_PART, .1, "part of RSS", \
	     "smallest rise of RSS outside the heap that is reported", "judgement, not measured") \
	REAL(RSS_RISE_LEAST, 4e6, "bytes", \
	     "smallest rise of RSS outside the heap that is reported", "judgement, not measured") \
	REAL(PLACE_NAMED, .5, "part of the rise of RSS", \
	     "that must be in one place for the report to name it", "development set") \
	/* outside.c, gauges.c */ \
	COUNT(WARM_PARTS, 50, "parts of the run", \
	      "of which the first is warm-up, for anchors", "development set") \
	REAL(OUTSIDE_MATTERS, 2, "times the tolerated", \
	     "rise outside live blocks that matters", "development set") \
	REAL(GAIN_RETENTION, .5, "part of the free memory", \
	     "given back when asked; from here on it is retention", "development set") \
	REAL(SLACK_STEADY, .6, "part of the pairs", \
	     "of anchors by which rises must outnumber falls", "development set") \
	REAL(SLACK_LITTLE, .1, "part of the range", \
	     "a smaller change between anchors does not count", "development set") \
	REAL(TOUCHED_MAPPED, .25, "part of the rise", \
	     "by which mappings may grow while memory is only touched", "judgement, not measured") \
	REAL(FILES_SHARED, .5, "part of mapped files", \
	     "that must be shared memory for them to count as held", "judgement, not measured") \
	REAL(COUNT_RISE, 8, "descriptors or threads", \
	     "a smaller increase is not a rise", "judgement, not measured") \
	COUNT(COUNT_VALUES, 8, "values", \
	      "after the warm-up that a rise of counts needs", "judgement, not measured") \
	REAL(COUNT_STEP, .5, "part of the rise", \
	     "if one step holds more, it is a step", "judgement, not measured") \
	REAL(COUNT_LATE, .5, "part of the mean rate", \
	     "that must remain in the second half", "judgement, not measured") \
	/* driver.c */ \
	COUNT(DRIVER_ROWS, 6, "levels", "that a driver needs", "coverage") \
	COUNT(DRIVER_ROWS_TWO, 12, "levels", "that two drivers together need", "coverage") \
	COUNT(DRIVER_ROWS_MAXIMUM, 20, "levels", "that a running maximum needs", "coverage") \
	REAL(DRIVER_MAXIMUM_DOUBT, 6, "BIC", \
	     "against running maxima, which fit noise easily", "coverage") \
	REAL(DRIVER_CLEAR, 6, "BIC", \
	     "by which a driver must be better: odds of about 20 to 1", "coverage") \
	REAL(DRIVER_CONSTANT, 1e-3, "part of the growth", \
	     "a smaller constant part counts as 0", "judgement, not measured") \
	/* accuse.c */ \
	REAL(PHASES_ACCUSED, .5, "part of the growth", \
	     "that the accused phases together must certainly add", \
	     "tests/unit/analyse/cause/test_accuse.c") \
	REAL(PHASES_OPPOSED, -.5, "correlation", \
	     "that noise at a stamp causes between the phases on its two sides", "by definition") \
	REAL(PHASES_OPPOSED_SIGMAS, 1.645, "standard errors", \
	     "by which it must be below that (95 %, one-sided)", "by definition") \
	COUNT(PHASES_STEPS, 8, "steps", "fewer give no correlation", "judgement, not measured")

#endif
