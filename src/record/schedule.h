/* SPDX-License-Identifier: MIT */
/*
 * At the ends of which events the heap is dumped: of the event from, of each period-th one
 * after it, and of the event until once more, as the dump that ends the series.  Events are
 * counted from 1.  49, 99 and 10 make seven dumps: 49, 59, 69, 79, 89, 99, 99.
 */
#ifndef SEEP_RECORD_SCHEDULE_H
#define SEEP_RECORD_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct seep_schedule {
	uint32_t from, until, period; /* until 0: no end; period 0: no dumps */
	uint32_t seen;           /* events that were asked about */
};

/* Those that the first so many events call for. */
static inline uint32_t seep_schedule_count(const struct seep_schedule *schedule, uint32_t events)
{
	uint32_t until = schedule->until;

	if (!schedule->period || events < schedule->from)
		return 0;
	if (!until || events < until)
		return (events - schedule->from) / schedule->period + 1;
	return (until - schedule->from) / schedule->period + 2;
}

/*
 * So many events are over: the number of dumps that this calls for, 2 at most.  Each is
 * told once, to one thread.
 */
static inline uint32_t seep_schedule_take(struct seep_schedule *schedule, uint32_t events)
{
	uint32_t seen = __atomic_load_n(&schedule->seen, __ATOMIC_RELAXED), due;

	do {
		if (events <= seen)
			return 0;
	} while (!__atomic_compare_exchange_n(&schedule->seen, &seen, events, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	due = seep_schedule_count(schedule, events) - seep_schedule_count(schedule, seen);
	return due < 2 ? due : 2;
}

#endif
