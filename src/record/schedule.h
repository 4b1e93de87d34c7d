/* SPDX-License-Identifier: MIT */
/*
 * The events at whose end the heap is dumped: event `from`, every `period`-th event after it, and
 * event `until` once more, as the last dump of the series.  Events count from 1.
 * From 49 until 99 with period 10 gives seven dumps: 49, 59, 69, 79, 89, 99, 99.
 */
#ifndef SEEP_RECORD_SCHEDULE_H
#define SEEP_RECORD_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct seep_schedule {
	uint32_t from, until, period; /* until 0: no end; period 0: no dumps */
	uint32_t seen;           /* events up to this one have had their dumps */
};

/* How many dumps the first n events call for. */
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
 * This many events are over: returns how many dumps are due now, at most 2.  If several threads
 * ask at the same time, only one of them gets each dump.
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
