/* SPDX-License-Identifier: MIT */
/*
 * Events that are seen from outside, in lines of output or of a log file, on their way to the
 * tracker.  They lie in memory shared with it, behind the records that wait (pending.h).
 *
 * One process adds events; every tracked process reads them at its own pace.  Of those that are
 * overwritten before it gets there, it knows only that they happened.
 *
 * The program may write over all this by mistake: it is checked.
 */
#ifndef SEEP_TRACE_TOLD_H
#define SEEP_TRACE_TOLD_H

#include "trace/pending.h"

#include <stdbool.h>
#include <stdint.h>

#define SEEP_TOLD_COUNTERS 15u
#define SEEP_TOLD_NAME 64u /* bytes of a counter's name, the zero included */
#define SEEP_TOLD_RING 512u

struct seep_told_event {
	uint64_t number;         /* from 1 on; written last */
	int64_t index;
	uint32_t given;          /* bit n: counter n has a value */
	uint32_t pad;
	double values[SEEP_TOLD_COUNTERS];
};

struct seep_told {
	uint64_t pulse;          /* events, and time slices: changes when one begins */
	uint64_t events;         /* so far */
	uint32_t n_counters;
	uint32_t of_last;        /* bit n: counter n belongs to the event that ends here */
	char names[SEEP_TOLD_COUNTERS][SEEP_TOLD_NAME];
	_Alignas(64) struct seep_told_event ring[SEEP_TOLD_RING];
};

/* Where it lies in the shared memory, in whole pages. */
#define SEEP_TOLD_AT SEEP_PENDING_SHARED_BYTES
#define SEEP_TOLD_BYTES ((sizeof(struct seep_told) + 4095) / 4096 * 4096)

/* Whether there is such memory. */
static inline bool seep_told_is_used(const struct seep_trace_header *header)
{
	return header->source == SEEP_SOURCE_LINES || header->source == SEEP_SOURCE_FILE;
}

static inline void seep_told_pulse(struct seep_told *told, uint64_t by)
{
	__atomic_fetch_add(&told->pulse, by, __ATOMIC_RELEASE);
}

/* Only one thread of one process.  The number of the event is filled in. */
static inline void seep_told_put(struct seep_told *told, const struct seep_told_event *event)
{
	uint64_t number = told->events + 1;
	struct seep_told_event *place = &told->ring[(number - 1) % SEEP_TOLD_RING];

	__atomic_store_n(&place->number, 0, __ATOMIC_SEQ_CST);
	place->index = event->index;
	place->given = event->given;
	for (uint32_t i = 0; i < SEEP_TOLD_COUNTERS; i++)
		place->values[i] = event->values[i];
	__atomic_store_n(&place->number, number, __ATOMIC_RELEASE);
	__atomic_store_n(&told->events, number, __ATOMIC_RELEASE);
	seep_told_pulse(told, 1);
}

/* Copies the event of that number; false if another has taken its place. */
static inline bool seep_told_look(const struct seep_told *told, uint64_t number,
				  struct seep_told_event *event)
{
	const struct seep_told_event *place = &told->ring[(number - 1) % SEEP_TOLD_RING];

	if (__atomic_load_n(&place->number, __ATOMIC_ACQUIRE) != number)
		return false;
	*event = *place;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&place->number, __ATOMIC_RELAXED) == number;
}

#endif
