/* SPDX-License-Identifier: MIT */
#include "trace/pending.h"

#include <errno.h>
#include <string.h>

static size_t ring_bytes(const struct seep_pending *pending)
{
	return seep_pending_state(pending) == SEEP_PENDING_OWN ? SEEP_PENDING_OWN_BYTES
								: SEEP_PENDING_HANDED_BYTES;
}

/* The part of the ring from a position on, as far as it goes without a break. */
static size_t part_at(size_t ring, uint64_t position, size_t bytes)
{
	size_t rest = ring - (size_t)(position & (ring - 1));

	return bytes < rest ? bytes : rest;
}

/*
 * A signal handler may interrupt this and fork, and the child goes on with the same record.  Until
 * alive is read it is found out; later, it can at most write the same bytes to the same place.
 */
bool seep_pending_put(struct seep_pending *pending, const void *record, size_t bytes,
		      const uint32_t *alive)
{
	uint64_t at = __atomic_load_n(&pending->filled, __ATOMIC_ACQUIRE);
	uint64_t waiting = at - __atomic_load_n(&pending->taken, __ATOMIC_ACQUIRE);
	size_t ring = ring_bytes(pending), first;

	if (alive && !__atomic_load_n(alive, __ATOMIC_ACQUIRE))
		return true;
	if (waiting > ring || bytes > ring - waiting)
		return false;
	first = part_at(ring, at, bytes);
	memcpy(pending->ring + (at & (ring - 1)), record, first);
	memcpy(pending->ring, (const unsigned char *)record + first, bytes - first);
	__atomic_compare_exchange_n(&pending->filled, &at, at + bytes, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
	return true;
}

static void copy(const struct seep_pending *pending, size_t ring, uint64_t at, void *to,
		 size_t bytes)
{
	size_t first = part_at(ring, at, bytes);

	memcpy(to, pending->ring + (at & (ring - 1)), first);
	memcpy((unsigned char *)to + first, pending->ring, bytes - first);
}

long seep_pending_look(const struct seep_pending *pending, uint64_t after, void *record,
		       size_t room)
{
	size_t ring = ring_bytes(pending), from = offsetof(struct seep_trace_record, kind), size;
	uint64_t at = __atomic_load_n(&pending->taken, __ATOMIC_RELAXED) + after;
	uint64_t waiting = seep_pending_bytes(pending);
	struct seep_trace_record head;

	if (waiting == after)
		return 0;
	if (waiting > ring || waiting < after || waiting - after < sizeof(head))
		return -EBADMSG;
	copy(pending, ring, at, &head, sizeof(head));
	size = head.size;
	if (size < sizeof(head) || size % 8 || size > SEEP_TRACE_RECORD_MAX ||
	    size > waiting - after)
		return -EBADMSG;
	if (size > room)
		return 0;
	copy(pending, ring, at, record, size);
	if (memcmp(record, &head, sizeof(head)) ||
	    seep_trace_check((const unsigned char *)record + from, size - from) != head.check)
		return -EBADMSG;
	return (long)size;
}

void seep_pending_parts(const struct seep_pending *pending, struct seep_pending_part parts[2])
{
	size_t ring = ring_bytes(pending), bytes = (size_t)seep_pending_bytes(pending);
	uint64_t at = __atomic_load_n(&pending->taken, __ATOMIC_RELAXED);

	if (bytes > ring)
		bytes = 0;
	parts[0].start = pending->ring + (at & (ring - 1));
	parts[0].bytes = part_at(ring, at, bytes);
	parts[1].start = pending->ring;
	parts[1].bytes = bytes - parts[0].bytes;
}
