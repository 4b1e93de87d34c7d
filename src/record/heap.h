/* SPDX-License-Identifier: MIT */
/*
 * What the stamps need from the heap tracker.  Two implementations, picked by
 * the build: heap/start_init.c in libseep-heap, heap_alone.c (no tracker) in libseep.
 */
#ifndef SEEP_RECORD_HEAP_H
#define SEEP_RECORD_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Starts recording if that has not been tried yet. */
void seep_heap_ensure_started(void);

struct seep_heap_totals {
	int64_t live_bytes, live_blocks; /* of the program */
	int64_t tracker_bytes;   /* what the tracker takes itself, about */
};

/* False if nobody tracks the heap. */
bool seep_heap_totals(struct seep_heap_totals *totals);

/* An event has begun: time for a snapshot, perhaps.  The recording is held; t_ns is now. */
void seep_heap_event_begun(int64_t t_ns);

/* So many events are over: a snapshot, if one is wanted there.  The recording is held. */
void seep_heap_snapshot_at(uint32_t events);

/* The work is done; and what was garbage then is gone: a snapshot.  The recording is held. */
void seep_heap_work_over(void);
void seep_heap_garbage_gone(void);

/* ... and the allocator is asked what it keeps, unless it was.  Nothing of ours is held. */
void seep_heap_probe_now(void);

/* So many events are over; nothing of ours is held. */
void seep_heap_events_over(uint32_t events);

/*
 * seep calibrate: an event has begun, and what it is to lose is lost now.  Neither the
 * recording is held nor the guard set.  Meanwhile RSS is read anew at each event.
 */
void seep_heap_calibrate(void);
bool seep_heap_is_calibrating(void);

/* This is a child of fork: other threads and their locks are gone. */
void seep_heap_forked(void);

/* Recording has ended: tracking ends, too. */
void seep_heap_stop(void);

/* A call that came at a moment when it could not be served. */
void seep_heap_count_missed(void);

#endif
