/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rate and the course of a series.  See thresholds.h. */
#ifndef SEEP_ANALYSE_THRESHOLD_THRESHOLDS_SERIES_H
#define SEEP_ANALYSE_THRESHOLD_THRESHOLDS_SERIES_H

#define SEEP_THRESHOLDS_SERIES(REAL, COUNT) \
	/* intervals (all rooms) */ \
	REAL(INTERVAL_TAIL, .025, "probability", \
	     "beyond each end of an interval", "by definition") \
	REAL(INTERVAL_SIGMAS, 1.96, "standard errors", \
	     "half the width of an interval if the error is normal", "by definition") \
	REAL(NONE_SEEN, 3, "count", \
	     "that may exist although none was seen (95 %)", "by definition") \
	/* rate.c, warmup.c */ \
	COUNT(VALUES_FOR_RATE, 5, "values", "a shorter series has no rate", "coverage") \
	COUNT(EVENTS_FOR_WARMUP, 10, "events", \
	      "below it, the warm-up is the first event", "coverage") \
	REAL(WARMUP_UNLIKE, 3.2e-5, "probability", \
	     "that steps of the warm-up are like the others: 4 standard deviations", "coverage") \
	REAL(WARMUP_MOST, .5, "part of the run", \
	     "longest warm-up", "judgement, not measured") \
	REAL(QUANTUM_DOUBT, 1.5, "quanta", \
	     "by which rounding may move a rate, over the run", "coverage") \
	COUNT(QUANTUM_EVENTS, 50, "events", \
	      "below it, the quantum widens the interval", "coverage") \
	REAL(SKEW_SIGMAS, 3, "standard errors", \
	     "least distance of the skewness from 0 if steps are lopsided", \
	     "judgement, not measured") \
	REAL(SKEW_STRONG, 2, "skewness", \
	     "from which on it matters in SKEW_FEW events or more", "judgement, not measured") \
	COUNT(SKEW_FEW, 50, "events", "below it, any clear skewness matters", "coverage") \
	COUNT(SKEW_MANY, 1000, "events", \
	      "from here on skewness does not harm the mean", "coverage") \
	REAL(COUNT_FEW, .2, "count", \
	     "the lower bound of a smaller one is 0", "GSL does not converge below it") \
	REAL(COUNT_MANY, 1e3, "count", \
	     "the bounds of a larger one are normal", "GSL does not always converge above it") \
	REAL(NOISE_STAYS, .5, "weight", \
	     "of random walks, from which on an interval shrinks as for one", \
	     "judgement, not measured") \
	/* glsmix.c */ \
	COUNT(NOISE_EVENTS_FEW, 30, "events", \
	      "below it, priors and factors for few events", "coverage") \
	REAL(WHITE_PRIOR, .05, "probability", "that the noise is white", "coverage") \
	REAL(AUTOREGRESSIVE_PRIOR, .15, "probability", \
	     "that the noise is autoregressive", "coverage") \
	REAL(WALK_PRIOR, .80, "probability", "that the noise is a random walk", "coverage") \
	REAL(WALK_WIDENED, 1.16, "factor", \
	     "on the standard error under a random walk", "coverage") \
	REAL(WALK_WIDENED_FEW, 1.25, "factor", "the same for few events", "coverage") \
	REAL(WALK_WIDENED_AVERAGED, 1.28, "factor", \
	     "the same for averaged events and nearly pure walks", "coverage") \
	REAL(WALK_NEARLY_PURE, 1, "ratio of variances", \
	     "from which on a walk is nearly pure", "judgement, not measured") \
	REAL(WALK_NOTICED, .1, "ratio of variances", \
	     "from which on a walk counts as noise that stays", "judgement, not measured") \
	/* shape.c */ \
	COUNT(EVENTS_FOR_SHAPE, 10, "events", \
	      "a shorter series has no shape", "judgement, not measured") \
	COUNT(EVENTS_FOR_CURVE, 30, "events", \
	      "below it, the shape is flat, a line or a step", "judgement, not measured") \
	REAL(SHAPE_TAU_LEAST, .006, "part of the series", \
	     "shortest time scale of a curve that is tried", "development set") \
	REAL(SHAPE_TAU_MOST, .7, "part of the series", \
	     "longest time scale of a curve that is tried", "development set") \
	REAL(SHAPE_BETTER, 10, "BIC", \
	     "by which a shape must be better than flat and line", "held-out set, first score") \
	REAL(SHAPE_WIDENED, 1.3, "factor", \
	     "on the interval of a shape picked from several", \
	     "tests/unit/analyse/series/test_shape_rates.c") \
	REAL(SHAPE_STRAIGHT, 4, "BIC", \
	     "by which curves must be worse for a line to be straight", "development set") \
	/* trend.c */ \
	REAL(TOLERATED_BYTES, 64, "bytes per event", \
	     "growth that never matters", "judgement, not measured") \
	REAL(TOLERATED_PART, .01, "part of the level", \
	     "growth over the run that does not matter", "judgement, not measured") \
	REAL(TOLERATED_SUM, 262144, "bytes", \
	     "growth over the run that does not matter", "judgement, not measured") \
	REAL(STILL_BENDING, .6, "part of the rate", \
	     "left in the last quarter of a curve that goes on bending", "development set") \
	REAL(TAU_SETTLED, .4, "part of the series", \
	     "longest time scale of a curve that has levelled off", "development set") \
	REAL(TAUS_ENOUGH, 3, "time scales", \
	     "after which a curve has levelled off", "development set") \
	REAL(STAIRS_PART, .6, "part of the rise", \
	     "that must be in the steps of stairs", "development set") \
	REAL(EARLY_EVENTS, 8, "events", \
	     "a rise that ends within them is warm-up", "held-out set, first score") \
	REAL(EARLY_PART, .04, "part of the events", \
	     "a rise that ends within it is warm-up", "held-out set, first score") \
	COUNT(FASTER_EVENTS, 8, "events", \
	      "that the last quarter needs for a rate of its own", "development set") \
	COUNT(WARMUP_SHORT, 10, "parts of the run", \
	      "a warm-up longer than one of them belongs to the shape", "development set") \
	REAL(LEFT_OVER, 1, "rises", \
	     "that may follow at the slope left over when a rise has ended", "development set") \
	COUNT(STEPS_MOST, 3, "steps", \
	      "more are stairs", "development set, after the third set's first score") \
	REAL(SMALL_RISE, 32768, "bytes", \
	     "smallest rise of the live heap that is reported though tolerated", \
	     "development set, after the third set's first score") \
	REAL(SMALL_RISE_NOISES, 10, "standard deviations", \
	     "of a single value: smallest size of such a rise", \
	     "development set, after the third set's first score") \
	REAL(SMALL_RISE_BETTER, 30, "BIC", \
	     "by which its shape must be better than flat and line", \
	     "development set, after the third set's first score") \
	REAL(SMALL_RISE_PART, .1, "part of the run", \
	     "that it must last", "development set, after the third set's first score") \
	COUNT(TAIL_SLICES, 50, "slices", \
	      "a shorter run in slices of time has no tail to judge", "judgement, not measured") \
	REAL(TAIL_MOVES, .05, "part of all it moved", \
	     "most that a level may move in its tail if it has come to rest", \
	     "judgement, not measured") \
	COUNT(RESTARTS_RARE, 10, "events", \
	      "least number per restart; otherwise the indices do not count events", \
	      "development set") \
	REAL(RESTART_PARTS_UNLIKE, .01, "probability", \
	     "that parts between restarts grow alike", "judgement, not measured") \
	REAL(RESTART_ERROR_LEAST, 1e-3, "part of the rate, and bytes", \
	     "standard error of a part without noise", "judgement, not measured") \
	/* jumps.c */ \
	COUNT(JUMP_EVENTS, 20, "events", \
	      "a shorter series has no teeth and no stairs", "development set") \
	REAL(JUMP_SPREADS, 6, "median deviations", \
	     "by which a jump is larger than the usual step", "development set") \
	REAL(TEETH_DROP_PART, .15, "part of the range", "that a drop falls by", "development set") \
	REAL(TEETH_GIVEN_BACK, .5, "part of the rise", \
	     "since the last drop that a drop must give back", "development set") \
	COUNT(TEETH_DROPS, 3, "drops", "that make teeth", "development set") \
	REAL(TEETH_LEAPS, .6, "part of the height", \
	     "most that teeth may rise in one event", "development set") \
	COUNT(TEETH_TROUGHS, 4, "troughs", \
	      "needed for a rate, without the first one", "development set") \
	COUNT(STAIRS_STEPS, 4, "steps", "that make stairs", "development set") \
	REAL(STAIRS_STEPS_PART, .5, "part of the events", \
	     "most that may be steps of stairs", "judgement, not measured") \
	REAL(STAIRS_UPWARDS, .8, "part of all steps", \
	     "that must go up, weighed by size", "development set") \
	REAL(STAIRS_LAST, .7, "part of the run", \
	     "after which stairs must still have a step", "judgement, not measured") \
	REAL(STAIRS_STEP_SMALL, .25, "part of the mean step", \
	     "a smaller one is not the last of the stairs", "judgement, not measured") \
	REAL(STAIRS_FRONT, 2, "standard deviations", \
	     "by which steps may be crowded at the start", "development set") \
	REAL(STAIRS_EQUAL, 3, "equal steps", "that the steps must be worth", "development set") \
	/* panda.c */ \
	REAL(PANDA_BETTER, .25, "part of chi2", \
	     "by which leaving out five points must improve the fit", "the PanDA pilot")

#endif
