/* SPDX-License-Identifier: MIT */
/*
 * An experiment, once in a run: the allocator is asked to give the system back what
 * it keeps.  If memory falls, the program had freed it and the allocator held on
 * to it; if it does not, what is free lies between blocks that live.
 *
 * The allocator waits for its locks and must be whole.  So it is asked only where that is
 * safe (calm.h), without a lock of ours, and with signals blocked.
 */
#ifndef SEEP_RECORD_HEAP_AROUND_PROBE_H
#define SEEP_RECORD_HEAP_AROUND_PROBE_H

#include <stdint.h>

/*
 * That there is to be one: when this many events are over, or else at the end (0).  Called
 * at the start.
 */
void seep_probe_want(uint64_t events);

/* So many events are over: time for it, perhaps.  The recording is not held. */
void seep_probe_consider(uint32_t events);

/* Does it now if it was not done.  The recording is not held. */
void seep_probe_now(void);

/* In a child of fork, where nobody else is at it. */
void seep_probe_forked(void);

/* The program ends, and the recording is sealed: does it now if it was not done. */
void seep_probe_finish(void);

#endif
