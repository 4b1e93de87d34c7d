/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The survivors of one call site.  See thresholds.h. */
#ifndef SEEP_ANALYSE_THRESHOLD_THRESHOLDS_SITE_H
#define SEEP_ANALYSE_THRESHOLD_THRESHOLDS_SITE_H

#define SEEP_THRESHOLDS_SITE(REAL, COUNT) \
	/* cohort.c */ \
	COUNT(COHORTS_ENOUGH, 3, "cohorts", "fewer cannot be judged", "coverage") \
	REAL(MATURE_QUANTILE, .99, "part of the deaths", \
	     "that are younger than a mature cohort", "coverage") \
	REAL(LATE_OLDER, .5, "part of the younger half", \
	     "most that the older half may keep if the site began late or drains", "coverage") \
	REAL(FILLING_YOUNGER, .6, "part of the older half", \
	     "most that the younger half may keep if the site fills up", "coverage") \
	REAL(HALVES_DIFFER, 2, "standard errors", "by which the halves differ", "coverage") \
	REAL(DEATHS_EXPLAIN, .5, "part of the difference", \
	     "between the halves that deaths must explain", "coverage") \
	REAL(STILL_FILLS, .55, "part of the older half", \
	     "that a site which is still filling keeps", "development set") \
	REAL(SURVIVORS_RARE, .5, "part of the cohorts", \
	     "with survivors, below which they are rare", "coverage") \
	REAL(FREED_MOSTLY, .5, "part of the blocks", \
	     "freed; above it, only mature survivors count as kept", \
	     "held-out set, first score") \
	REAL(LARGE_MATERIAL, 10, "material sizes", \
	     "kept in two cohorts that are worth a doubt", "judgement, not measured") \
	REAL(EVICTED, .1, "part of the blocks", \
	     "that a site which evicts frees after two events or more", "development set") \
	COUNT(OLD_PARTS, 8, "parts of the run", \
	      "of which one is an old age", "judgement, not measured") \
	COUNT(OLD_PARTS_REGULAR, 4, "parts of the run", \
	      "of which one is an old age where the heap is not known to stay level", \
	      "judgement, not measured") \
	REAL(EVICTED_OLD, .25, "part of the survivors", \
	     "that old deaths must exceed in a cache", "judgement, not measured") \
	/* cohort_slant.c */ \
	REAL(THINNER, 2.15, "standard deviations", \
	     "by which survivors that get rarer lie before the middle on average", \
	     "development set") \
	REAL(DECLINED, .08, "part of the mean", \
	     "by which the cohorts of a filling site decline from half to half", \
	     "development set") \
	REAL(DECLINES, 2.75, "standard errors", \
	     "of the slope of such a decline", "development set") \
	REAL(SLOWER, .8, "part of the third before", \
	     "most that each third of the slices keeps at a filling site", \
	     "judgement, not measured") \
	REAL(RISES, 4, "standard errors", \
	     "by which later cohorts keep more if a leak got faster or began late", \
	     "development set") \
	REAL(ONSET_BEFORE, .2, "part of what is kept since", \
	     "most that may be kept before the onset of a leak", \
	     "development set, after the third set's first score") \
	REAL(QUEUE_EVENTS, 4, "events", \
	     "that the oldest block of a queue must have waited", "development set") \
	REAL(QUEUE_BLOCKS, 10, "blocks", \
	     "that must wait in a queue, and that must have left it", "development set") \
	REAL(QUEUE_THERE, .5, "part of the births", \
	     "of each event that a queue must still hold", "development set") \
	REAL(QUEUE_FULL, .8, "part of the births", \
	     "of all events that a queue must still hold", "development set") \
	REAL(QUEUE_YOUNG, .2, "part of those that left", \
	     "that must have waited less than half as long as the oldest", "development set") \
	/* birth_profile.c, claim.c */ \
	REAL(ENDED_PART, .15, "part of the window", \
	     "at its end without survivors, if the site stopped keeping them", \
	     "judgement, not measured") \
	REAL(ENDED_HARDLY, .05, "part of the usual", \
	     "few enough survivors to count as none", "judgement, not measured") \
	REAL(ENDED_PAUSES, 1.5, "times the longest pause", \
	     "least length of that end if work comes in bursts", "judgement, not measured") \
	REAL(STRETCH_PART, .25, "part of the window", \
	     "least width of a gap between stretches", "judgement, not measured") \
	REAL(GAP_CHANCE, .001, "probability", \
	     "that survivors spread at random leave such a gap", "judgement, not measured") \
	REAL(REGULAR_PART, .5, "part of the events", \
	     "that must keep something if a site keeps regularly", "judgement, not measured") \
	COUNT(RARE_EVENTS, 5, "events", \
	      "that must have kept something if a site keeps rarely", "judgement, not measured") \
	REAL(NEW_EVENTS, 16, "events", "that a leak must have lasted", "judgement, not measured") \
	REAL(NEW_PART, .25, "part of the run", \
	     "that a leak in slices of time must have lasted", "judgement, not measured") \
	COUNT(SLICES_KEPT, 20, "slices", \
	      "that must have kept something", "judgement, not measured") \
	REAL(SLICES_SPREAD, .75, "part of the run", \
	     "over which slices must have kept something", "judgement, not measured") \
	/* survival.c */ \
	COUNT(SURVIVAL_COHORTS, 5, "cohorts", \
	      "that must have reached an age", "judgement, not measured") \
	COUNT(SURVIVAL_BLOCKS, 5, "blocks", \
	      "that must have reached an age", "judgement, not measured") \
	/* realloc_growth.c */ \
	REAL(CHAIN_TYPICAL, .9, "part of the chains", \
	     "for which a reservation should suffice", "judgement, not measured") \
	REAL(CHAIN_MEDIAN, .5, "part of the chains", \
	     "the same if sizes differ a lot", "judgement, not measured") \
	REAL(CHAIN_LIVE, .5, "part of the chains", \
	     "alive; above it, final sizes are unknown", "judgement, not measured") \
	REAL(MOVES_SAVED, 3, "moves per chain", \
	     "that a reservation must save", "judgement, not measured") \
	REAL(COPIED_PER_EVENT, 65536, "bytes per event", \
	     "of copying that is worth a reservation", "judgement, not measured") \
	REAL(COPIED_LITTLE, 4096, "bytes per event", \
	     "of copying that is never worth one", "judgement, not measured") \
	REAL(COPIED_PER_RUN, 1048576, "bytes", \
	     "of copying that is worth one in a run without events", "judgement, not measured") \
	REAL(COPIED_PART, .01, "part of bytes allocated", \
	     "whose copying is worth one", "judgement, not measured") \
	REAL(GROWTH_BY_CHAINS, .8, "part of the site's growth", \
	     "in live chains if growing blocks cause it", "judgement, not measured") \
	COUNT(CHAIN_EARLY, 4, "parts of the events", \
	      "of which the first counts as early", "judgement, not measured") \
	REAL(CHAIN_EARLY_SIZE, .6, "part of the largest size", \
	     "most that a growing array may have had early", "judgement, not measured") \
	COUNT(CHAIN_RECORDS, 3, "times", \
	      "that the largest size must have risen", "judgement, not measured") \
	REAL(CHAIN_EVEN, .25, "part of the largest size", \
	     "least mean size of live chains", "judgement, not measured") \
	REAL(CLIMB_BINS, 14, "bins", \
	     "before the last growth of an array that doubles", \
	     "tests/unit/analyse/site/test_realloc_growth.c") \
	REAL(CLIMB_STOPS, .5, "part of the speed before", \
	     "at which an array has stopped filling", \
	     "tests/unit/analyse/site/test_realloc_growth.c") \
	REAL(CLIMB_STEADY, .9, "part of the fastest", \
	     "speed of an array that goes on", "tests/unit/analyse/site/test_realloc_growth.c") \
	REAL(CLIMB_STEADY_TIMES, .7, "bins", \
	     "by which the times for that may be wrong", \
	     "tests/unit/analyse/site/test_realloc_growth.c") \
	REAL(CLIMB_MAYBE, .8, "part of the fastest", \
	     "speed of an array that may go on", "tests/unit/analyse/site/test_realloc_growth.c") \
	REAL(CLIMB_FACTOR, 1.25, "factor", \
	     "least factor by which an array grows", \
	     "tests/unit/analyse/site/test_realloc_growth.c") \
	REAL(CLIMB_FACTOR_SAME, .15, "logarithm", \
	     "by which two such factors may differ", \
	     "tests/unit/analyse/site/test_realloc_growth.c")

#endif
