/* SPDX-License-Identifier: MIT */
/*
 *   SEEP_DUMP_FROM=N    first event at whose end the heap is dumped
 *   SEEP_DUMP_UNTIL=N   last such event; not set: no end
 *   SEEP_DUMP_PERIOD=N  events from one dump to the next
 */
#ifndef SEEP_RECORD_SCHEDULE_INIT_H
#define SEEP_RECORD_SCHEDULE_INIT_H

#include "record/env_init.h"
#include "record/schedule.h"

static inline uint32_t seep_schedule_number(const char *variable)
{
	uint64_t number = seep_env_number(variable);

	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static inline void seep_schedule_read(struct seep_schedule *schedule)
{
	schedule->period = seep_schedule_number("SEEP_DUMP_PERIOD");
	schedule->from = seep_schedule_number("SEEP_DUMP_FROM");
	schedule->until = seep_schedule_number("SEEP_DUMP_UNTIL");
	if (schedule->until && schedule->until < schedule->from)
		schedule->period = 0;
}

#endif
