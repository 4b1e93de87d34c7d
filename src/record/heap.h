/* SPDX-License-Identifier: MIT */
/*
 * What the stamps and the recording need from the heap tracker.  Two implementations, picked by
 * the build: heap/hook/tracker.c in libseep-heap, alone/no_heap.c (no tracker) in libseep.
 *
 * "The recording is held" means that the caller is between seep_recording_begin and _end.
 */
#ifndef SEEP_RECORD_HEAP_H
#define SEEP_RECORD_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Starts recording, unless that was tried before. */
void seep_heap_ensure_started(void);

struct seep_heap_totals {
	int64_t live_bytes, live_blocks; /* of the program */
	int64_t tracker_bytes;   /* the tracker's own memory, estimated */
};

/* False if the heap is not tracked. */
bool seep_heap_totals(struct seep_heap_totals *totals);

/*
 * This thread is about to have an event: seep_stamp_thread_over will be called when it ends.
 * The recording is not held.
 */
void seep_heap_thread_begins(void);

/* An event has begun: takes a snapshot if one is due.  The recording is held; t_ns is now. */
void seep_heap_event_begun(int64_t t_ns);

/*
 * This many events are over: takes a snapshot if the user asked for one there.  The recording is
 * held.
 */
void seep_heap_snapshot_at(uint32_t events);

/*
 * Snapshots at the end of the work, before and after the final garbage collection.  The recording
 * is held.  said: not the interpreter ends its work, but the program said that this is the end.
 */
void seep_heap_work_over(bool said);
void seep_heap_garbage_gone(void);

/* Probes the allocator (around/probe.h), once in a run.  No lock of ours is held. */
void seep_heap_probe_now(void);

/* This many events are over.  No lock of ours is held. */
void seep_heap_events_over(uint32_t events);

/*
 * seep calibrate: an event has begun and leaks what it is meant to leak.  The recording is not
 * held and the guard is not set.  While calibrating, RSS is read at each event.
 */
void seep_heap_calibrate(void);
bool seep_heap_is_calibrating(void);

/* This is a child of fork: other threads and their locks are gone. */
void seep_heap_forked(void);

/* Recording has ended, so tracking ends too. */
void seep_heap_stop(void);

/*
 * The guard is set on entry.  True if a signal handler interrupted the code that set it and left by
 * siglongjmp: the guard is then cleared.  False if such a handler is running, which is usual:
 * the call cannot be served and is counted as missed.
 */
bool seep_heap_take_over(void);

#endif
