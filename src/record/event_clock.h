/* SPDX-License-Identifier: MIT */
/*
 * The event clock of the process: one event ordinal and one current phase for
 * all threads.  Every new block takes its birth event from here.
 *
 * Written under the recording's lock, read without it by every hook.
 */
#ifndef SEEP_RECORD_EVENT_CLOCK_H
#define SEEP_RECORD_EVENT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct seep_event_clock {
	uint32_t event;          /* events begun so far; 0 before the first */
	uint32_t phase;          /* name of the last stamp; 0 none yet; SEEP_PHASE_BETWEEN */
	uint32_t base;           /* time slices that passed before the program's own first event */
	uint32_t own_events;     /* 1: the program marks its events itself; slices are not events */
	uint32_t birth;          /* event, in the form that a block stores */
	uint32_t coarse;         /* 1: birth differs from event, see below */
	uint32_t collected;      /* event of the last full garbage collection; 0: none is known */
};

/*
 * A block has 24 bits for the event of its birth, which is enough for ages up to 2^24 events.
 * Slices of a hundredth of a second exceed that in two days.  But in a run that long, hundreds of
 * slices are merged into one event (trace/thinning.h), so only every 256th number is needed from
 * 2^23 on.
 */
#define SEEP_EVENT_CLOCK_BIRTH_MASK 0xffffffu
#define SEEP_EVENT_CLOCK_FINE ((uint32_t)1 << 23)
#define SEEP_EVENT_CLOCK_COARSE_SHIFT 8

extern struct seep_event_clock seep_event_clock;

static inline uint32_t seep_event_clock_event(void)
{
	return __atomic_load_n(&seep_event_clock.event, __ATOMIC_RELAXED);
}

/* Whether the program marks its events itself. */
static inline bool seep_event_clock_is_own(void)
{
	return __atomic_load_n(&seep_event_clock.own_events, __ATOMIC_RELAXED);
}

/* The number of events begun, without the time slices before the first of the program's own. */
static inline uint32_t seep_event_clock_begun(void)
{
	return seep_event_clock_event() -
	       __atomic_load_n(&seep_event_clock.base, __ATOMIC_RELAXED);
}

static inline uint32_t seep_event_clock_encode(uint32_t event)
{
	if (!seep_event_clock.coarse || event < SEEP_EVENT_CLOCK_FINE)
		return event;
	return SEEP_EVENT_CLOCK_FINE +
	       ((event - SEEP_EVENT_CLOCK_FINE) >> SEEP_EVENT_CLOCK_COARSE_SHIFT);
}

static inline uint32_t seep_event_clock_decode(uint32_t birth)
{
	if (birth < SEEP_EVENT_CLOCK_FINE)
		return birth;
	return SEEP_EVENT_CLOCK_FINE +
	       ((birth - SEEP_EVENT_CLOCK_FINE) << SEEP_EVENT_CLOCK_COARSE_SHIFT);
}

/* The number of events from the birth of a block to the given event, which must not be earlier. */
static inline uint32_t seep_event_clock_age(uint32_t birth, uint32_t event)
{
	if (__builtin_expect(!__atomic_load_n(&seep_event_clock.coarse, __ATOMIC_RELAXED), 1))
		return (event - birth) & SEEP_EVENT_CLOCK_BIRTH_MASK;
	birth = seep_event_clock_decode(birth & SEEP_EVENT_CLOCK_BIRTH_MASK);
	event = seep_event_clock_decode(seep_event_clock_encode(event));
	return event > birth ? event - birth : 0;
}

static inline uint32_t seep_event_clock_birth(void)
{
	return __atomic_load_n(&seep_event_clock.birth, __ATOMIC_RELAXED);
}

/* The recording is held. */
static inline void seep_event_clock_set(uint32_t event)
{
	__atomic_store_n(&seep_event_clock.coarse, !seep_event_clock.own_events &&
			 event >= SEEP_EVENT_CLOCK_FINE,
			 __ATOMIC_RELAXED);
	__atomic_store_n(&seep_event_clock.event, event, __ATOMIC_RELAXED);
	__atomic_store_n(&seep_event_clock.birth, seep_event_clock_encode(event), __ATOMIC_RELAXED);
}

static inline uint32_t seep_event_clock_phase(void)
{
	return __atomic_load_n(&seep_event_clock.phase, __ATOMIC_RELAXED);
}

#endif
