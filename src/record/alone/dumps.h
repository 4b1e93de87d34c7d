/* SPDX-License-Identifier: MIT */
/* seep run --profiler: dumps of another's heap profiler at the ends of events. */
#ifndef SEEP_RECORD_ALONE_DUMPS_H
#define SEEP_RECORD_ALONE_DUMPS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this process belongs to a run with a profiler. */
bool seep_dumps_are_wanted(void);

/* ... and is the one that dumps, not another that it started. */
bool seep_dumps_are_mine(void);

/* The recording has been started: finds the profiler. */
void seep_dumps_begin(void);

/* So many events are over; nothing of ours is held. */
void seep_dumps_consider(uint32_t events);

#endif
