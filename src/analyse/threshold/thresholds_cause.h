/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What grows beside the heap, with what, and in which phase.  See thresholds.h. */
#ifndef SEEP_ANALYSE_THRESHOLD_THRESHOLDS_CAUSE_H
#define SEEP_ANALYSE_THRESHOLD_THRESHOLDS_CAUSE_H

#define SEEP_THRESHOLDS_CAUSE(REAL, COUNT) \
	/* sum.c, rss_rise.c */ \
	REAL(SUM_CANCELS, 3, "times their sum", \
	     "absolute terms that are noise which cancels", "judgement, not measured") \
	REAL(SUM_AGREES, .1, "part of the term", \
	     "by which the closing sum and the rate may differ and still agree", \
	     "judgement, not measured") \
	REAL(RSS_RISE_PART, .1, "part of RSS", \
	     "rise of RSS beside the heap that is told", "judgement, not measured") \
	REAL(RSS_RISE_LEAST, 4e6, "bytes", \
	     "rise of RSS beside the heap that is told", "judgement, not measured") \
	REAL(PLACE_NAMED, .5, "part of the rise of RSS", \
	     "in one place if that place is named", "development set") \
	/* outside.c, gauges.c */ \
	COUNT(WARM_PARTS, 50, "parts of the run", \
	      "of which the first is warm-up, for anchors", "development set") \
	REAL(OUTSIDE_MATTERS, 2, "times the tolerated", \
	     "rise outside of live blocks that matters", "development set") \
	REAL(GAIN_RETENTION, .5, "part of the free memory", \
	     "given back, from which on it is retention", "development set") \
	REAL(SLACK_STEADY, .6, "part of the pairs", \
	     "of anchors by which more rise than fall", "development set") \
	REAL(SLACK_LITTLE, .1, "part of the range", \
	     "a smaller change between anchors does not count", "development set") \
	REAL(TOUCHED_MAPPED, .25, "part of the rise", \
	     "by which mappings may grow while memory is only touched", "judgement, not measured") \
	REAL(FILES_SHARED, .5, "part of mapped files", \
	     "that is shared memory if they count as held", "judgement, not measured") \
	REAL(COUNT_RISE, 8, "descriptors or threads", \
	     "fewer more are not a rise", "judgement, not measured") \
	COUNT(COUNT_VALUES, 8, "values", \
	      "behind the warm-up that a rise of counts needs", "judgement, not measured") \
	REAL(COUNT_STEP, .5, "part of the rise", \
	     "in one step above which it is a step", "judgement, not measured") \
	REAL(COUNT_LATE, .5, "part of the mean rate", \
	     "that must be left in the second half", "judgement, not measured") \
	/* driver.c */ \
	COUNT(DRIVER_ROWS, 6, "levels", "that a driver needs", "coverage") \
	COUNT(DRIVER_ROWS_TWO, 12, "levels", "that two drivers together need", "coverage") \
	COUNT(DRIVER_ROWS_MAXIMUM, 20, "levels", "that a running maximum needs", "coverage") \
	REAL(DRIVER_MAXIMUM_DOUBT, 6, "BIC", \
	     "against running maxima, which fit noise easily", "coverage") \
	REAL(DRIVER_CLEAR, 6, "BIC", \
	     "by which a driver is better: odds of about 20 to 1", "coverage") \
	REAL(DRIVER_CONSTANT, 1e-3, "part of the growth", \
	     "below which a constant part is none", "judgement, not measured") \
	/* accuse.c */ \
	REAL(PHASES_ACCUSED, .5, "part of the growth", \
	     "that accused phases surely add together", "tests/unit/analyse/cause/test_accuse.c") \
	REAL(PHASES_OPPOSED, -.5, "correlation", \
	     "of two phases that noise at the stamp between them makes", "by definition") \
	REAL(PHASES_OPPOSED_SIGMAS, 1.645, "standard errors", \
	     "by which it must be below that (95 %, one-sided)", "by definition") \
	COUNT(PHASES_STEPS, 8, "steps", "fewer have no correlation", "judgement, not measured")

#endif
