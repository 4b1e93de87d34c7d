/* SPDX-License-Identifier: MIT */
#include "record/heap/counted.h"

#include "record/event_source.h"
#include "record/guard.h"
#include "record/stamp.h"

#include <errno.h>
#include <string.h>

struct seep_counted_seen seep_counted_seen[SEEP_CALLS] __attribute__((aligned(64)));
uint32_t seep_counted_chosen = SEEP_CALLS;

static int chosen_fd = -1;
static int64_t next_index;

_Static_assert(sizeof(struct seep_counted_seen) == 64, "a cache line");
_Static_assert((int)SEEP_CALLS <= (int)SEEP_CALLS_ROOM, "the header has room for all calls");

void seep_counted_choose(void)
{
	enum seep_call call = SEEP_CALLS;

	if (seep_event_source_get() == SEEP_SOURCE_CALL)
		call = seep_call_parse(seep_event_source_text() + sizeof(SEEP_CALL_PREFIX) - 1,
				       &chosen_fd);
	__atomic_store_n(&seep_counted_chosen, (uint32_t)call, __ATOMIC_RELEASE);
}

/* What the real allocator calls is not the program's work. */
void seep_counted_returned(int fd)
{
	int saved = errno;

	if ((chosen_fd >= 0 && fd != chosen_fd) || seep_guard == SEEP_GUARD_REAL)
		return;
	seep_stamp_source_begin(__atomic_fetch_add(&next_index, 1, __ATOMIC_RELAXED));
	errno = saved;
}

void seep_counted_enter_slice(struct seep_counted_seen *seen, uint64_t tick)
{
	struct seep_trace_call *call = &seen->call;
	uint32_t slice = tick <= UINT32_MAX ? (uint32_t)tick - 1 : UINT32_MAX;

	__atomic_store_n(&seen->tick, tick, __ATOMIC_RELAXED);
	if (!call->slices)
		call->first = slice;
	else if (slice > call->last && slice - call->last > call->gap)
		call->gap = slice - call->last;
	call->last = slice;
	call->slices++;
}

void seep_counted_publish(void)
{
	struct seep_trace_header *header = seep_recording_header();
	uint32_t i;

	for (i = 0; header && i < SEEP_CALLS; i++)
		header->calls[i] = seep_counted_seen[i].call;
}

void seep_counted_forget(void)
{
	memset(seep_counted_seen, 0, sizeof(seep_counted_seen));
	next_index = 0;
}
