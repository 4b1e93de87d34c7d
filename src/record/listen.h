/* SPDX-License-Identifier: MIT */
/*
 * Events that seep run has seen from outside (--event lines: and file:).  The hooks notice them as
 * they notice time slices: by a number in shared memory that has changed.  The thread that notices
 * first begins the events, one after the other, and writes their counters.
 */
#ifndef SEEP_RECORD_LISTEN_H
#define SEEP_RECORD_LISTEN_H

#include "trace/told.h"

#include <stdbool.h>

/* The start of tracking, if events come this way.  shared stays where it is. */
void seep_listen_open(struct seep_told *shared);

/* A program, or a child of fork, begins: events from before are not its own. */
void seep_listen_begin(void);

/* Whether events have been seen that have not begun here. */
bool seep_listen_waits(void);

/* Begins them.  No lock of ours is held; the guard may be set by the caller. */
void seep_listen_take(void);

/* Bytes shared with seep run, which count as memory of this process. */
uint64_t seep_listen_bytes(void);

/* What the hooks look at: changes with each time slice and each event that is seen. */
extern const uint64_t *seep_listen_pulse_word;

static inline uint64_t seep_listen_now(void)
{
	return __atomic_load_n(seep_listen_pulse_word, __ATOMIC_RELAXED);
}

#endif
