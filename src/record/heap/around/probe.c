/* SPDX-License-Identifier: MIT */
#include "record/heap/around/probe.h"

#include "os/signals.h"
#include "os/silence.h"
#include "os/smaps.h"
#include "record/event_clock.h"
#include "record/guard.h"
#include "record/heap.h"
#include "record/heap/around/footprint.h"
#include "record/heap/around/pins.h"
#include "record/heap/around/quiescence.h"
#include "record/heap/real/real_purge.h"
#include "record/recording.h"

#include <errno.h>

#define TRIES 16u /* events to try, if a signal handler ends them; then at the end */
#define WORTH_BYTES ((int64_t)1 << 20) /* if less is free, the allocator is not asked */

static struct {
	bool wanted;
	uint32_t event;          /* after which to probe; 0: at the end */
	uint32_t done;           /* generation of the trace that has a probe, ... */
	uint32_t done_own;       /* ... made in the program's own events, or in time slices */
	uint32_t busy;           /* a thread is probing */
} plan;

/* Signals are blocked: a handler might want memory while this thread has the allocator's locks. */
static bool purge(void)
{
	int guard = seep_guard;
	bool done;

	seep_signals_hold();
	seep_guard = SEEP_GUARD_REAL;
	done = seep_real_purge();
	seep_guard = guard;
	seep_signals_release();
	return done;
}

/* At the end of the program the recording is sealed and needs no lock. */
static bool enter(uint16_t flags)
{
	return flags & SEEP_PROBE_FINAL || seep_recording_begin();
}

static void leave(uint16_t flags)
{
	if (!(flags & SEEP_PROBE_FINAL))
		seep_recording_end();
}

/* Finds the bytes of live blocks and, if enough is left besides them, which sites pin pages. */
static void look_at_blocks(struct seep_rec_probe *probe, uint16_t *flags)
{
	struct seep_heap_totals totals = {0};
	struct seep_pins pins = {0};

	seep_heap_totals(&totals);
	probe->live_bytes = totals.live_bytes;
	if (probe->heap_resident_bytes > WORTH_BYTES && seep_pins_find(&pins))
		probe->live_bytes = (int64_t)pins.live_bytes;
	if (probe->heap_resident_bytes - probe->live_bytes > WORTH_BYTES)
		*flags |= SEEP_PROBE_ASKED;
	if (*flags & SEEP_PROBE_ASKED && pins.sites && enter(*flags)) {
		seep_pins_write(&pins);
		leave(*flags);
	}
	seep_pins_release(&pins);
}

/* Not inlined: the walk that comes before it needs the stack as well. */
static __attribute__((noinline)) void run(uint16_t flags, uint32_t event)
{
	struct seep_rec_probe probe = {.t_ns = seep_recording_now(), .event = event,
				       .allocator = seep_real_purge_whose()};
	struct seep_footprint footprint;

	if (!seep_footprint_find(&footprint))
		return;
	probe.heap_resident_bytes = footprint.heap_bytes;
	probe.rss_before_bytes = probe.rss_after_bytes = footprint.anonymous_bytes;
	look_at_blocks(&probe, &flags);
	if (flags & SEEP_PROBE_ASKED) {
		if (!purge())
			return;
		probe.rss_after_bytes = seep_smaps_anonymous();
	}
	probe.took_ns = seep_recording_now() - probe.t_ns;
	if (probe.rss_after_bytes >= 0 && enter(flags)) {
		seep_recording_write(SEEP_REC_PROBE, flags, &probe, sizeof(probe), NULL, 0);
		leave(flags);
	}
}

/* When the program's own events replace time slices, a probe made in a slice does not count. */
static bool is_done(void)
{
	return seep_silence_is_on() ||
	       (plan.done == seep_recording_generation() &&
		plan.done_own == seep_event_clock_is_own());
}

static void end_turn(bool done)
{
	if (done) {
		plan.done = seep_recording_generation();
		plan.done_own = seep_event_clock_is_own();
	}
	__atomic_store_n(&plan.busy, 0, __ATOMIC_RELEASE);
}

/* One thread, once in a trace. */
static bool take_turn(void)
{
	uint32_t idle = 0;

	if (!__atomic_compare_exchange_n(&plan.busy, &idle, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return false;
	if (!is_done())
		return true;
	end_turn(false);
	return false;
}

static void run_if_calm(uint16_t flags, uint32_t event)
{
	int saved = errno;
	bool calm;

	if (!take_turn())
		return;
	calm = seep_quiescence_holds(__builtin_frame_address(0));
	if (calm)
		run(flags, event);
	end_turn(calm);
	errno = saved;
}

void seep_probe_want(uint64_t events)
{
	seep_real_purge_look_up();
	plan.wanted = seep_real_purge_whose() != SEEP_ALLOCATOR_OTHER;
	plan.event = events < UINT32_MAX ? (uint32_t)events : UINT32_MAX;
}

void seep_probe_forked(void)
{
	plan.busy = 0;
}

void seep_probe_consider(uint32_t events)
{
	int guard = seep_guard;

	if (__builtin_expect(!plan.event, 1) || events - plan.event >= TRIES || !plan.wanted ||
	    is_done() || !seep_recording_is_open())
		return;
	seep_signals_hold();
	seep_guard = SEEP_GUARD_OWN;
	run_if_calm(0, seep_event_clock.base + events);
	seep_guard = guard;
	seep_signals_release();
}

void seep_probe_now(void)
{
	int guard = seep_guard;

	if (!plan.wanted || is_done() || !seep_recording_is_open())
		return;
	seep_signals_hold();
	seep_guard = SEEP_GUARD_OWN;
	run_if_calm(0, seep_event_clock_event());
	seep_guard = guard;
	seep_signals_release();
}

void seep_probe_finish(void)
{
	if (plan.wanted)
		run_if_calm(SEEP_PROBE_FINAL, seep_event_clock_event());
}
