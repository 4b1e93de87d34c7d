/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the verdict asks of the evidence.  See thresholds.h. */
#ifndef SEEP_ANALYSE_THRESHOLD_THRESHOLDS_VERDICT_H
#define SEEP_ANALYSE_THRESHOLD_THRESHOLDS_VERDICT_H

#define SEEP_THRESHOLDS_VERDICT(REAL, COUNT) \
	/* evidence.c */ \
	REAL(HEAP_DOUBT, .025, "probability", \
	     "of no growth; below it, the live heap grows", "coverage") \
	REAL(RSS_DOUBT, .01, "probability", \
	     "the same for RSS and gauges, which wander", "coverage") \
	REAL(SITES_AGREE, .1, "part of the sites' rate", \
	     "by which the total may differ from it if events are few", "coverage") \
	REAL(SAMPLES_PLENTY, 32, "samples", \
	     "of growth that matters, in a sample that seep suggests", "judgement, not measured") \
	REAL(SAMPLES_SHAPE, 50, "samples", \
	     "that the range of a sampled heap must span for a shape", "judgement, not measured") \
	REAL(SAMPLE_MEAN_LEAST, 1000, "bytes", \
	     "smallest bytes per sample that seep suggests", "judgement, not measured") \
	REAL(SAMPLE_MEAN_MOST, 512000, "bytes", \
	     "largest bytes per sample that seep suggests", "judgement, not measured") \
	COUNT(CLEAN_EVENTS, 20, "events", \
	      "after which the death of all blocks proves a clean heap", "development set") \
	REAL(UNSTEADY_PART, .2, "part of the largest mean", \
	     "by which the level of a job that runs once varies", "judgement, not measured") \
	COUNT(UNSTEADY_TURNS, 6, "turns", "most that it may make", "judgement, not measured") \
	REAL(UNSTEADY_LAST, .15, "part of all it moved", \
	     "that it must still move at the end", "judgement, not measured") \
	REAL(MATERIAL_PART, .005, "part of the live heap", \
	     "that is material", "judgement, not measured") \
	REAL(MATERIAL_PART_SLICES, .01, "part of the memory", \
	     "that is material in slices of time", "judgement, not measured") \
	REAL(MATERIAL_LEAST, 4096, "bytes", "less is never material", "judgement, not measured") \
	/* census.c, doubt.c */ \
	COUNT(LEVEL_VALUES, 5, "values", \
	      "of the heap that a level needs", "judgement, not measured") \
	REAL(SLOWED, .25, "part of the mean", \
	     "that a leak in slices of time must still keep at the end", \
	     "judgement, not measured") \
	REAL(RISEN_WITH_SITES, .5, "part of what late sites keep", \
	     "by which the heap must have risen since they began", "judgement, not measured") \
	REAL(SNAPSHOT_OLD, .5, "part of the run", \
	     "after the last snapshot, in which the heap must have gone on growing", \
	     "judgement, not measured") \
	REAL(LEVEL_STAYS, .5, "part of what sites keep", \
	     "a heap that grows by less stays level", "judgement, not measured") \
	REAL(FILLING_LEAKS, .5, "part of its recent rate", \
	     "that a filling site must add to the total to be a leak", "development set") \
	/* garbage.c */ \
	COUNT(FREE_LIST_SITES, 2, "sites", \
	      "most that a free list may account for", "judgement, not measured") \
	REAL(FREE_LIST_OBJECTS, 2000, "objects", \
	     "that a free list holds", "CPython: tuples of one size") \
	COUNT(CYCLE_SITES, 2, "sites", \
	      "least that a reference cycle involves", "judgement, not measured") \
	REAL(CONTAINER_BYTES, 512, "bytes", \
	     "larger blocks are not objects but what a container holds", \
	     "CPython: its allocator of small objects") \
	REAL(EVERY_EVENT, .9, "part of the events", \
	     "that count as nearly every one", "judgement, not measured") \
	REAL(COLLECTED_PART, .25, "part of all blocks", \
	     "that starts a full collection", "CPython: its oldest generation") \
	REAL(COLLECTED, 700, "objects", \
	     "that start a collection", "CPython: its youngest generation") \
	REAL(COLLECTED_LATE, .5, "part of the events", \
	     "a full collection after them has seen most survivors", "judgement, not measured") \
	REAL(GARBAGE_OTHER, 2, "times what was collected", \
	     "a larger apparent leak was not garbage", "judgement, not measured") \
	/* containers.c */ \
	REAL(GROWN_HOLDS, .5, "part of the growth", \
	     "that one site must hold to explain it", "development set") \
	REAL(GROWN_SINCE, .5, "part of what the site holds", \
	     "a heap that grew by less holds no array that doubled", \
	     "tests/unit/analyse/site/test_realloc_growth.c") \
	REAL(GROWN_BLOCKS, .05, "blocks per event", \
	     "fewer are single blocks that grow themselves", "development set") \
	REAL(GROWN_FEW, 4, "blocks", "that count as few in any run", "development set") \
	REAL(GROWN_MATTERS, 5, "material sizes", \
	     "that an array must hold in a run in slices of time", "judgement, not measured") \
	COUNT(GROWN_MOVES, 3, "blocks", \
	      "that must have been enlarged, or replaced by larger ones", "development set") \
	REAL(GROWN_LARGER, 2, "times the dead ones", \
	     "mean size of blocks that replaced others", "development set") \
	COUNT(GROWN_EVENTS, 20, "events", \
	      "a shorter series is not searched for arrays that double", \
	      "judgement, not measured") \
	/* rules.c */ \
	COUNT(EVENTS_ALONE, 10, "events", \
	      "below it, sites and total must agree, and RSS alone says nothing", "coverage") \
	REAL(OTHERS_AGREE, .05, "part of the growth of RSS", \
	     "by which sites outside the heap may miss its interval", "judgement, not measured") \
	REAL(QUEUE_CAME, .5, "part of what waits", \
	     "that the heap must have risen by if a queue grows", "judgement, not measured") \
	COUNT(PAUSES_ENOUGH, 4, "pauses", \
	      "after which work that comes in bursts is a repetition", "judgement, not measured") \
	REAL(LEAKS_EXPLAIN, .5, "part of the heap's growth", \
	     "that leaking sites must account for", "development set") \
	REAL(LEAKS_EXCEED, 1.5, "times the heap's growth", \
	     "most that leaking sites may account for", "development set") \
	REAL(OTHERS_GO_ON, .5, "part of what others map", \
	     "that the upper end of the rate of RSS must reach", "judgement, not measured") \
	REAL(OTHERS_EXPLAIN, .5, "part of the growth of RSS", \
	     "that sites outside the heap must keep in memory", "judgement, not measured") \
	REAL(OTHERS_TOUCHED, .5, "part of what others map", \
	     "that must be in memory if RSS is too noisy", "judgement, not measured") \
	REAL(OTHERS_BESIDES, .1, "part of what others keep", \
	     "that the heap may grow by without being the cause", "judgement, not measured") \
	REAL(UNTOUCHED, 1.5, "times what is in memory", \
	     "above it, most of what leaks is untouched", "judgement, not measured") \
	REAL(YOUNG_EXPLAIN, .5, "part of the growth", \
	     "in blocks younger than the longest lives", "judgement, not measured") \
	REAL(SURE_EVENTS, 200, "events", \
	     "nearly all of which kept a block of a site that never freed one", \
	     "judgement, not measured") \
	REAL(YOUNG_LEAKS, .25, "part of the growth", \
	     "most that may leak besides those", "judgement, not measured") \
	REAL(GARBAGE_EXPLAIN, .5, "part of what the heap added", \
	     "that a collection at the end must free to explain it", "judgement, not measured") \
	REAL(FILLING_EXPLAIN, .5, "part of the growth", \
	     "at filling sites, if they explain it", "development set") \
	REAL(OUTSIDE_OUTWEIGHS, 2, "times the heap's rise", \
	     "rise outside live blocks that outweighs it", "development set") \
	REAL(OUTSIDE_TEETH, 2, "heights of the teeth", \
	     "that an allocator may keep", "development set") \
	REAL(OUTSIDE_FAR_MORE, 8, "times what leaks", \
	     "outside live blocks that a leak must not hide", "development set") \
	REAL(SLICES_ALONE, 5, "seconds", \
	     "below it, sites and total must agree if events are slices of time", \
	     "judgement, not measured") \
	COUNT(BATCH_SITES, 300, "sites", \
	      "that keep something in a job that runs once", "judgement, not measured") \
	COUNT(BATCH_START, 4, "parts of the run", \
	      "of which the first is the start of a job", "judgement, not measured") \
	REAL(BOUNDED_PART, .1, "part of the live heap", \
	     "growth over the run that slices of time may hide", "judgement, not measured") \
	REAL(GROWTH_CERTAIN, .001, "probability", \
	     "of no growth; below it, the verdict is never flat", "development set") \
	/* conclude.c, line.c */ \
	COUNT(EVENTS_FOR_SITES, 8, "events", \
	      "suggested if there are fewer: warm-up, maturity, five cohorts", "coverage") \
	REAL(EVICTING_EXPLAIN, .5, "part of the rise", \
	     "at evicting sites, if it is a cache", "development set") \
	REAL(STILL_FILLING_MOST, .5, "part of what fills", \
	     "that has not stopped, if it is a cache", "development set") \
	REAL(LINE_END_PART, .25, "part of a curve", \
	     "that its slope at the end is drawn on", "judgement, not measured")

#endif
