/* SPDX-License-Identifier: MIT */
/*
 * Which events are written.  A job of ten million events must not leave gigabytes, so
 * after some thousand only one of a stride of events is written, and the stride doubles
 * as the run gets longer: the trace grows with the logarithm of the events.
 *
 *	|A . . S C . . .|A S C . . . . .|A . . . . . S C|A ...
 *
 * The first event of each stride is an anchor (A): its begin is written, so that the
 * series has a value at equal distances, and at the borders of all cohorts.  One
 * event (S), picked by chance so that it cannot beat with anything periodic in the
 * program, is written whole, with the begin of the next one (C), which closes it.
 * Of the others nothing is written but the sums of their counters.
 *
 * Called with the recording held.
 */
#ifndef SEEP_RECORD_THIN_H
#define SEEP_RECORD_THIN_H

#include <stdbool.h>
#include <stdint.h>

/* An event has begun: whether its begin is to be written. */
bool seep_thin_begin(void);

/* Whether stamps, counts and the end of the event in progress are to be written. */
bool seep_thin_is_whole(void);

/* A count in an event that is not written. */
void seep_thin_count(uint32_t name, double value);

/* The end of the program: what has not been told yet. */
void seep_thin_finish(void);

#endif
