/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What gates, comparisons and sentences ask.  See thresholds.h. */
#ifndef SEEP_ANALYSE_THRESHOLD_THRESHOLDS_REPORT_H
#define SEEP_ANALYSE_THRESHOLD_THRESHOLDS_REPORT_H

#define SEEP_THRESHOLDS_REPORT(REAL, COUNT) \
	/* gate */ \
	REAL(BUDGET_HOPELESS, 100, "times the events", \
	     "a run that long is not worth suggesting", "judgement, not measured") \
	REAL(BUDGET_SAME_PART, .01, "part of the baseline's rate", \
	     "by which two equal runs may differ", "judgement, not measured") \
	COUNT(CALIBRATE_ROWS, 12, "events", \
	      "least number for three unknowns and more than one level", \
	      "tests/unit/analyse/gate/test_calibrate.c") \
	REAL(CALIBRATE_WIDTH, .05, "gain", \
	     "width of an interval that is narrow enough to be useful", \
	     "tests/unit/analyse/gate/test_calibrate.c") \
	REAL(CALIBRATE_GRAIN, .001, "gain", \
	     "by which whole pages change the gain of RSS", "judgement, not measured") \
	REAL(CALIBRATE_ROOM, .008, "gain", \
	     "room for what an allocator adds to a block of 1 MiB: two pages", "by definition") \
	REAL(CALIBRATE_ROOM_BYTES, 16, "bytes", \
	     "that an allocator adds to any block", "by definition") \
	REAL(CALIBRATE_UNIT_NEAR, .002, "gain", \
	     "by which a mistake of units may be missed", "judgement, not measured") \
	REAL(CALIBRATE_UNIT_WIDTH, .012, "gain", \
	     "half of what 1000 / 1024 is away from 1", "by definition") \
	REAL(WITHOUT_STEADY, .001, "part of a bin", \
	     "by which other bins of a site may differ from it", "judgement, not measured") \
	/* compare */ \
	REAL(COMPARE_UNSEEN, 3.689, "samples", \
	     "that may exist although none was seen (97.5 %)", "by definition") \
	/* words */ \
	COUNT(CALL_RETURNS, 50, "returns", \
	      "of a call in a run, if it is to be proposed as the start of events", \
	      "judgement, not measured") \
	COUNT(CALL_SLICES, 20, "slices of time", "in which it returned, likewise", \
	      "judgement, not measured") \
	REAL(CALL_GAP, .25, "part of the run", "that it may be missing in, likewise", \
	     "judgement, not measured") \
	REAL(CALL_RATE, 1e5, "returns per second", \
	     "that would cost too much time as events", "judgement, not measured") \
	REAL(IDLE_TOLD, .15, "part of the run", \
	     "at the end without any change of the heap: it may have been idle", \
	     "judgement, not measured") \
	REAL(WINDOW_TOLD, .1, "part of the events", \
	     "if the rate leaves out more, the report says what it covers", \
	     "judgement, not measured") \
	REAL(WORDS_NOTHING, .005, "bytes", "less is written as 0", "by definition") \
	COUNT(WORDS_FEW_EVENTS, 100, "events", \
	      "up to here a cache that fills looks like a leak", "judgement, not measured") \
	REAL(WORDS_LONG_S, 99.5, "seconds", \
	     "from here on minutes are easier to read", "judgement, not measured")

#endif
