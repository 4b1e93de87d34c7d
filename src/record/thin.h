/* SPDX-License-Identifier: MIT */
/*
 * Which events are written: see trace/thinning.h.  For the others, only the sums of their
 * counters are.
 *
 * Called with the recording held.
 */
#ifndef SEEP_RECORD_THIN_H
#define SEEP_RECORD_THIN_H

#include <stdbool.h>
#include <stdint.h>

/* An event has begun: whether to write its BEGIN stamp. */
bool seep_thin_begin(void);

/*
 * The event that a time slice belongs to.  In a long run several slices are one event, so that
 * the number of events is bounded and each of them can be written.
 */
uint32_t seep_thin_slice(uint64_t tick);

/* Whether stamps, counts and the end of the event that began last are to be written. */
bool seep_thin_is_whole(void);

/* A count in an event that is not written. */
void seep_thin_count(uint32_t name, double value);

/* The end of the program: writes what is still missing. */
void seep_thin_finish(void);

#endif
