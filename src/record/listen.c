/* SPDX-License-Identifier: MIT */
#include "record/listen.h"

#include "record/guard.h"
#include "record/stamp.h"

#include <string.h>

#define PAGE_BYTES 4096
#define LAG_MAX ((uint64_t)1 << 20) /* lines between two allocations; more are not believed */

static struct {
	struct seep_told *shared; /* NULL: events do not come this way */
	uint64_t taken;           /* events that have begun here */
	int64_t index;            /* of the last one */
	uint32_t is_busy;         /* a thread begins events */
} told;

static const uint64_t no_pulse;
const uint64_t *seep_listen_pulse_word = &no_pulse;

/* All its pages are touched now, so that they are no growth later. */
void seep_listen_open(struct seep_told *shared)
{
	const volatile char *page = (const char *)shared;

	for (size_t at = 0; at < SEEP_TOLD_BYTES; at += PAGE_BYTES)
		(void)page[at];
	told.shared = shared;
	seep_listen_pulse_word = &shared->pulse;
	seep_listen_begin();
}

uint64_t seep_listen_bytes(void)
{
	return told.shared ? SEEP_TOLD_BYTES : 0;
}

void seep_listen_begin(void)
{
	if (told.shared)
		told.taken = __atomic_load_n(&told.shared->events, __ATOMIC_ACQUIRE);
	__atomic_store_n(&told.is_busy, 0, __ATOMIC_RELEASE);
}

bool seep_listen_waits(void)
{
	return told.shared && __atomic_load_n(&told.shared->events, __ATOMIC_ACQUIRE) !=
			      __atomic_load_n(&told.taken, __ATOMIC_RELAXED);
}

/* of_last: the counters of the event that is about to end; else those of the one that has begun. */
static void count(const struct seep_told_event *event, bool of_last)
{
	uint32_t n = told.shared->n_counters, given = event->given;

	for (uint32_t i = 0; i < n && i < SEEP_TOLD_COUNTERS; i++) {
		char name[SEEP_TOLD_NAME];

		if (!(given >> i & 1) || (told.shared->of_last >> i & 1) != of_last)
			continue;
		memcpy(name, told.shared->names[i], sizeof(name));
		name[sizeof(name) - 1] = '\0';
		if (__builtin_isfinite(event->values[i]))
			seep_stamp_count(name, event->values[i]);
	}
}

static void begin(uint64_t number)
{
	struct seep_told_event event;

	if (!seep_told_look(told.shared, number, &event))
		event = (struct seep_told_event){.index = told.index + 1};
	told.index = event.index;
	if (number > 1)
		count(&event, true);
	seep_stamp_source_begin(event.index);
	count(&event, false);
}

void seep_listen_take(void)
{
	int guard = seep_guard;
	uint64_t events;

	if (!told.shared || __atomic_exchange_n(&told.is_busy, 1, __ATOMIC_ACQUIRE))
		return;
	seep_guard = SEEP_GUARD_OUT;
	events = __atomic_load_n(&told.shared->events, __ATOMIC_ACQUIRE);
	if (events - told.taken > LAG_MAX) /* the program has written over it */
		told.taken = events;
	while (told.taken != events) {
		begin(told.taken + 1);
		__atomic_store_n(&told.taken, told.taken + 1, __ATOMIC_RELAXED);
	}
	seep_guard = guard;
	__atomic_store_n(&told.is_busy, 0, __ATOMIC_RELEASE);
}
