/* SPDX-License-Identifier: MIT */
/*
 * When to take a snapshot while the program runs.
 *
 * A run that was killed, or that freed everything before it ended, has only these snapshots.  So
 * there must be one close to the end of the run, whenever that comes:
 *
 * - when the time since the first event has grown by a twentieth (more, if snapshots are
 *   large), or the number of events has doubled;
 * - when the live heap starts to fall, since the program may be shutting down, unless the last
 *   snapshot is recent.
 *
 * All together they take at most a fiftieth of the time.  Their number grows with the
 * logarithm of the length of the run.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_DUE_H
#define SEEP_RECORD_HEAP_BOOK_DUE_H

#include <stdint.h>

/* An event has begun.  The recording is held. */
void seep_due_consider(int64_t now);

#endif
