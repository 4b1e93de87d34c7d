/* SPDX-License-Identifier: MIT */
/*
 * Calls of the C library: all of them are counted, and one of them may begin events
 * (seep run --event call:NAME).
 *
 * An event begins where the call returns with success: the program has got something to do.
 *
 * The counters are plain loads and stores.  If several threads count at the same time, some calls
 * may be lost, which does not matter for what the numbers are for.
 */
#ifndef SEEP_RECORD_HEAP_COUNTED_H
#define SEEP_RECORD_HEAP_COUNTED_H

#include "record/recording.h"
#include "trace/format.h"

/* A cache line each: different calls are made by different threads. */
struct seep_counted_seen {
	struct seep_trace_call call;
	uint64_t tick;           /* the slice after that of the last success; 0: there was none */
	uint64_t pad[3];
};

extern struct seep_counted_seen seep_counted_seen[SEEP_CALLS];
extern uint32_t seep_counted_chosen; /* enum seep_call; SEEP_CALLS: none */

/* Reads from the shared header which call begins events.  The recording has started. */
void seep_counted_choose(void);

/* The chosen call has returned with success.  fd: its descriptor, if it takes one. */
void seep_counted_returned(int fd) __attribute__((cold));

/* The call was successful for the first time in the slice before tick. */
void seep_counted_enter_slice(struct seep_counted_seen *seen, uint64_t tick)
	__attribute__((noinline));

/* Copies the numbers into the header of the trace.  The recording is held. */
void seep_counted_publish(void);

/* In a child of fork, whose trace has only its own calls. */
void seep_counted_forget(void);

static inline void seep_counted_add(uint64_t *number)
{
	__atomic_store_n(number, __atomic_load_n(number, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

static inline bool seep_counted_is_chosen(enum seep_call call)
{
	return __builtin_expect(__atomic_load_n(&seep_counted_chosen, __ATOMIC_RELAXED) == call, 0);
}

/* fd: the descriptor, or -1. */
static inline void seep_counted_note(enum seep_call call, bool success, int fd)
{
	struct seep_counted_seen *seen = &seep_counted_seen[call];
	uint64_t tick;

	seep_counted_add(&seen->call.calls);
	if (!success)
		return;
	seep_counted_add(&seen->call.returns);
	tick = seep_recording_tick() + 1;
	if (__builtin_expect(tick != __atomic_load_n(&seen->tick, __ATOMIC_RELAXED), 0))
		seep_counted_enter_slice(seen, tick);
	if (seep_counted_is_chosen(call))
		seep_counted_returned(fd);
}

#endif
