/* SPDX-License-Identifier: MIT */
/*
 * Stamps: time and memory at a named place.  The calls of seep.h end here.  In the tracker the
 * exported symbols are aliases of these functions; in libseep, alone/api_real.c calls them.
 */
#ifndef SEEP_RECORD_STAMP_H
#define SEEP_RECORD_STAMP_H

#include <stdint.h>

void seep_stamp_event_begin(int64_t index);
void seep_stamp_event_end(void);

/* Begins an event as well; returns its handle, which seep.h calls a slot, or 0. */
int seep_stamp_event_open(int64_t index);

/* Returns the handle of the event that this thread had, or 0. */
int seep_stamp_event_switch(int handle);

/* This thread is about to end. */
void seep_stamp_thread_over(void);

/* An event begins, as --event says.  Does nothing if the calls of seep.h begin the events. */
void seep_stamp_source_begin(int64_t index);

void seep_stamp_named(const char *name);
void seep_stamp_count(const char *name, double value);
void seep_stamp_gauge(const char *name, int64_t bytes);

/* The garbage collector of an interpreter will free all it can, or has just done so.  See api.h. */
void seep_stamp_collect_begin(int why);
void seep_stamp_collect_end(int why);

/* Tracking starts: publishes the tracker's own memory, so that seep run can subtract it. */
void seep_stamp_start(void);

/* Begins an event because a time slice is over.  The recording is held. */
void seep_stamp_tick(uint64_t tick);

/* The program ends: sets the event clock to the current slice. */
void seep_stamp_finish(void);

#endif
