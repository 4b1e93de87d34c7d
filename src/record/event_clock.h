/* SPDX-License-Identifier: MIT */
/*
 * The event clock: how many events the process has begun, and for each thread the event and the
 * phase that its new blocks belong to.
 *
 *	thread 1 --> slot of event 7: birth, phase
 *	thread 2 --> slot of event 8: birth, phase
 *	thread 3 --> seep_event_common              (has no event of its own)
 *
 * What the threads point to is written under the recording's lock (event_slots.h), and read without
 * it by every hook.
 */
#ifndef SEEP_RECORD_EVENT_CLOCK_H
#define SEEP_RECORD_EVENT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct seep_event_clock {
	uint32_t event;          /* events begun so far; 0 before the first */
	uint32_t base;           /* time slices that passed before the program's own first event */
	uint32_t own_events;     /* 1: the program marks its events itself; slices are not events */
	uint32_t coarse;         /* 1: births differ from events, see below */
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

/* What a new block gets. */
struct seep_event_now {
	uint32_t birth;          /* its event, in the form that a block stores */
	uint32_t phase;          /* name of the last stamp; 0 none yet; SEEP_PHASE_* */
};

/* For threads without an event of their own, and for all threads if there are only time slices. */
extern struct seep_event_now seep_event_common;

/* For this thread; never NULL. */
extern __thread const struct seep_event_now *seep_event_here
	__attribute__((tls_model("initial-exec")));

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
	return __atomic_load_n(&seep_event_here->birth, __ATOMIC_RELAXED);
}

/* The event that new blocks of this thread belong to. */
static inline uint32_t seep_event_clock_here(void)
{
	return seep_event_clock_is_own() ? seep_event_clock_birth() : seep_event_clock_event();
}

/* The recording is held. */
static inline void seep_event_clock_set(uint32_t event)
{
	__atomic_store_n(&seep_event_clock.coarse, !seep_event_clock.own_events &&
			 event >= SEEP_EVENT_CLOCK_FINE,
			 __ATOMIC_RELAXED);
	__atomic_store_n(&seep_event_clock.event, event, __ATOMIC_RELAXED);
	__atomic_store_n(&seep_event_common.birth, seep_event_clock_encode(event),
			 __ATOMIC_RELAXED);
}

static inline uint32_t seep_event_clock_phase(void)
{
	return __atomic_load_n(&seep_event_here->phase, __ATOMIC_RELAXED);
}

#endif
