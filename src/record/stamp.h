/* SPDX-License-Identifier: MIT */
/*
 * Stamps: time and memory at a named place.  These are behind the calls of seep.h,
 * which heap/api.c and api_alone.c export.
 */
#ifndef SEEP_RECORD_STAMP_H
#define SEEP_RECORD_STAMP_H

#include <stdbool.h>
#include <stdint.h>

void seep_stamp_event_begin(int64_t index);
void seep_stamp_event_end(void);
void seep_stamp_named(const char *name);
void seep_stamp_count(const char *name, double value);
void seep_stamp_gauge(const char *name, int64_t bytes);

/* The work of the program is done. */
void seep_stamp_over(void);

/* A garbage collector has freed all it could; over: likewise. */
void seep_stamp_collected(bool over);

/* The tracker begins, or does not: what it takes is told to those who look from outside. */
void seep_stamp_start(void);

/* Begins an event because a time slice is over.  The recording is held. */
void seep_stamp_tick(uint64_t tick);

/* The program ends: the event clock shows the slice that this happens in. */
void seep_stamp_finish(void);

#endif
