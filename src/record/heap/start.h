/* SPDX-License-Identifier: MIT */
/* Whether this process is tracked.  That is decided once; start_init.c draws the states. */
#ifndef SEEP_RECORD_HEAP_START_H
#define SEEP_RECORD_HEAP_START_H

#include <stdbool.h>
#include <stdint.h>

enum seep_start_state {
	SEEP_START_UNKNOWN = 0,  /* not decided yet, or too early to decide */
	SEEP_START_BUSY = 1,
	SEEP_START_ON = 2,
	SEEP_START_OFF = 3,
};

extern uint32_t seep_start_state;

/*
 * Decides.  Called by the constructor and by each malloc hook until it is decided, then never
 * again.  Other hooks only ask seep_start_was_on(): an allocator other than the C library's may
 * call them while it starts up, and deciding means looking up symbols and allocating.
 */
void seep_start_decide(void);

static inline bool seep_start_is_on(void)
{
	uint32_t state = __atomic_load_n(&seep_start_state, __ATOMIC_ACQUIRE);

	if (__builtin_expect(state == SEEP_START_UNKNOWN, 0)) {
		seep_start_decide();
		state = __atomic_load_n(&seep_start_state, __ATOMIC_ACQUIRE);
	}
	return state == SEEP_START_ON;
}

static inline bool seep_start_was_on(void)
{
	return __atomic_load_n(&seep_start_state, __ATOMIC_ACQUIRE) == SEEP_START_ON;
}

/*
 * A seccomp filter is about to be installed: no system call is made from then on.  Recording goes
 * on through memory shared with seep run; without that, it ends.
 */
void seep_start_silence(void);

/* The memory that was reserved for that is used up: recording ends.  The recording is held. */
void seep_start_run_out(void);

/* The process ends: writes the final snapshot and closes the trace. */
void seep_start_finish(void);

#endif
