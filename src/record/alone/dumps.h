/* SPDX-License-Identifier: MIT */
/* seep run --profiler: heap dumps by jemalloc or tcmalloc at the end of events. */
#ifndef SEEP_RECORD_ALONE_DUMPS_H
#define SEEP_RECORD_ALONE_DUMPS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this process belongs to a run with a profiler. */
bool seep_dumps_are_wanted(void);

/* ... and is the process that dumps, not a child of it. */
bool seep_dumps_are_mine(void);

/* Finds the profiler.  Called when the recording has started. */
void seep_dumps_begin(void);

/* This many events are over: dumps if a dump is due.  No lock of ours is held. */
void seep_dumps_consider(uint32_t events);

#endif
