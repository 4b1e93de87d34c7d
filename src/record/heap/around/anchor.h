/* SPDX-License-Identifier: MIT */
/*
 * Anchors: all parts of the process's memory at one moment, so that the report can divide the
 * change of RSS among the heap, the allocator, memory outside the heap, and the tracker.
 */
#ifndef SEEP_RECORD_HEAP_AROUND_ANCHOR_H
#define SEEP_RECORD_HEAP_AROUND_ANCHOR_H

#include <stdint.h>

/*
 * An event has begun: writes an anchor if one is due.  Each of the first 16 events has one, then
 * the gap is a sixteenth of the events so far.  Together they take at most 1 % of the time
 * plus 5 ms.  The recording is held.
 */
void seep_anchor_consider(int64_t t_ns);

/* The program ends: writes the last anchor. */
void seep_anchor_finish(void);

#endif
