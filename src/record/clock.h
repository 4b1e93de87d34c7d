/* SPDX-License-Identifier: MIT */
/*
 * The event clock of the process: one event ordinal and one current phase for
 * all threads.  Every block that is born takes its time from here.
 *
 * Written under the recording's lock, read without it by every hook.
 */
#ifndef SEEP_RECORD_CLOCK_H
#define SEEP_RECORD_CLOCK_H

#include <stdint.h>

struct seep_clock {
	uint32_t event;          /* events begun so far; 0 before the first */
	uint32_t phase;          /* name of the last stamp; 0 none yet; SEEP_PHASE_BETWEEN */
	uint32_t base;           /* time slices that passed before the program's own first event */
	uint32_t own_events;     /* 1: the program marks its events itself, slices are no events */
};

extern struct seep_clock seep_clock;

static inline uint32_t seep_clock_event(void)
{
	return __atomic_load_n(&seep_clock.event, __ATOMIC_RELAXED);
}

static inline uint32_t seep_clock_phase(void)
{
	return __atomic_load_n(&seep_clock.phase, __ATOMIC_RELAXED);
}

#endif
