/* SPDX-License-Identifier: MIT */
/*
 * When the heap is written into the trace in between.
 *
 * A run that was killed, or that freed everything before it ended, has only these snapshots.  So
 * there is one from near the end of any run, wherever that comes:
 *
 * - when the time since the first event has become a twentieth longer (more, if snapshots are
 *   large), or the number of events has doubled;
 * - when the live heap begins to fall, which may be the beginning of the end, unless the last
 *   one is recent.
 *
 * Never so often that they take more than a fiftieth of the time.  Their number grows with the
 * logarithm of the run.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_DUE_H
#define SEEP_RECORD_HEAP_BOOK_DUE_H

#include <stdint.h>

/* An event has begun.  The recording is held. */
void seep_due_consider(int64_t now);

#endif
