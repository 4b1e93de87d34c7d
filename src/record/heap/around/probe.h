/* SPDX-License-Identifier: MIT */
/*
 * An experiment, once in a run: the allocator is asked to return its free memory to the system.
 * If memory falls, the program had freed it and the allocator had kept it.  If not, the free
 * memory lies between live blocks.
 *
 * The allocator waits for its locks, and its data must be consistent.  So it is asked only where
 * that is safe (quiescence.h), while no lock of ours is held, and with signals blocked.
 */
#ifndef SEEP_RECORD_HEAP_AROUND_PROBE_H
#define SEEP_RECORD_HEAP_AROUND_PROBE_H

#include <stdint.h>

/*
 * Asks for a probe when this many events are over, or at the end of the program (0).  Called at
 * the start.
 */
void seep_probe_want(uint64_t events);

/* This many events are over: probes if that is due.  The recording is not held. */
void seep_probe_consider(uint32_t events);

/* Probes now, unless that was done before.  The recording is not held. */
void seep_probe_now(void);

/* In a child of fork: no other thread is probing. */
void seep_probe_forked(void);

/* The program ends and the recording is sealed: probes now, unless that was done before. */
void seep_probe_finish(void);

#endif
