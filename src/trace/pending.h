/* SPDX-License-Identifier: MIT */
/*
 * Records that wait in memory shared with seep run until somebody writes them into the trace.  If
 * the program dies, seep run writes them.
 *
 *	filled ------ put ------>  advances when a record is complete
 *	   |  records that wait
 *	taken  <----- take ------  advances when a record is in the file
 *
 * At first the recorder itself takes them out (SEEP_PENDING_OWN), and uses only the first bytes of
 * the ring, so that it costs little memory.  Once it may make no system call, seep run does
 * (SEEP_PENDING_HANDED).  The ring is empty when that changes.
 *
 * The program may write over all this by mistake.  Who takes records out copies and checks them.
 */
#ifndef SEEP_TRACE_PENDING_H
#define SEEP_TRACE_PENDING_H

#include "trace/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEP_PENDING_OWN_BYTES ((size_t)64 << 10)    /* powers of two */
#define SEEP_PENDING_HANDED_BYTES ((size_t)4 << 20)

enum seep_pending_state {
	SEEP_PENDING_OWN = 0,
	SEEP_PENDING_HANDED = 1,
	SEEP_PENDING_CLOSED = 2, /* handed, but seep run cannot write into the trace any more */
};

struct seep_pending {
	uint64_t filled;         /* bytes put in since the start */
	uint64_t taken;          /* bytes taken out since the start */
	uint32_t state;          /* enum seep_pending_state */
	uint32_t pad;
	int64_t now_ns;          /* CLOCK_MONOTONIC, set by seep run while it takes them out */
	_Alignas(4096) unsigned char ring[SEEP_PENDING_HANDED_BYTES];
};

/* The shared memory: the page of the header, then this. */
#define SEEP_PENDING_SHARED_BYTES (SEEP_TRACE_HEADER_BYTES + sizeof(struct seep_pending))

static inline uint32_t seep_pending_state(const struct seep_pending *pending)
{
	return __atomic_load_n(&pending->state, __ATOMIC_ACQUIRE);
}

static inline void seep_pending_set_state(struct seep_pending *pending,
					  enum seep_pending_state state)
{
	__atomic_store_n(&pending->state, (uint32_t)state, __ATOMIC_RELEASE);
}

/* Bytes that wait; more than the ring holds if it was written over. */
static inline uint64_t seep_pending_bytes(const struct seep_pending *pending)
{
	return __atomic_load_n(&pending->filled, __ATOMIC_ACQUIRE) -
	       __atomic_load_n(&pending->taken, __ATOMIC_ACQUIRE);
}

/* Bytes of the ring that take memory while its owner takes records out. */
static inline uint64_t seep_pending_touched(const struct seep_pending *pending)
{
	return pending->filled < SEEP_PENDING_OWN_BYTES ? pending->filled : SEEP_PENDING_OWN_BYTES;
}

/*
 * Adds a whole record; false if there is no room.  Only one thread at a time.  alive: 0 in a child
 * of fork, where this does nothing; or NULL.
 */
bool seep_pending_put(struct seep_pending *pending, const void *record, size_t bytes,
		      const uint32_t *alive);

/*
 * Copies a record that waits, after so many bytes that do, if it has at most so many as there is
 * room for.  Returns its size; 0: none waits there, or it is larger; -EBADMSG: what is there is no
 * record.
 */
long seep_pending_look(const struct seep_pending *pending, uint64_t after, void *record,
		       size_t room);

/* The bytes that wait, in one or two parts, to be written at once. */
struct seep_pending_part {
	const unsigned char *start;
	size_t bytes;
};
void seep_pending_parts(const struct seep_pending *pending, struct seep_pending_part parts[2]);

static inline void seep_pending_take(struct seep_pending *pending, uint64_t bytes)
{
	__atomic_store_n(&pending->taken, pending->taken + bytes, __ATOMIC_RELEASE);
}

#endif
