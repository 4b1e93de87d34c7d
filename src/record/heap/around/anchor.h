/* SPDX-License-Identifier: MIT */
/*
 * Anchors: all terms of the process's memory at one moment, so that the change of RSS can be
 * told in terms of the heap, the allocator, what is held outside, and ourselves.
 */
#ifndef SEEP_RECORD_HEAP_AROUND_ANCHOR_H
#define SEEP_RECORD_HEAP_AROUND_ANCHOR_H

#include <stdint.h>

/*
 * An event has begun: writes one if it is time.  Each of the first 16 events has
 * one, then about every 16th part of the events so far, and all of them together
 * take at most a hundredth of the time and 5 ms.  The recording is held.
 */
void seep_anchor_consider(int64_t t_ns);

/* The program ends. */
void seep_anchor_finish(void);

#endif
