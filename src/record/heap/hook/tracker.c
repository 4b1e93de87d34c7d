/* SPDX-License-Identifier: MIT */
#include "record/heap/hook/tracker.h"

#include "record/heap/around/anchor.h"
#include "record/heap/around/probe.h"
#include "record/heap/book/account.h"
#include "record/heap/book/due.h"
#include "record/heap/book/holdings.h"
#include "record/heap/book/live.h"
#include "record/heap/book/mappings.h"
#include "record/heap/book/sample.h"
#include "record/heap/book/snapshot.h"
#include "record/heap/book/stacks.h"
#include "record/heap/counted.h"
#include "record/heap/hook/injection.h"
#include "record/heap/stack/module.h"
#include "record/heap/stack/unwind.h"
#include "record/heap/start.h"
#include "record/heap/thread.h"

#include "os/mmap.h"
#include "os/signals.h"
#include "os/silence.h"
#include "record/event_clock.h"
#include "record/guard.h"
#include "record/heap.h"
#include "record/recording.h"

static struct seep_schedule schedule;
static uint32_t schedule_base;

void seep_tracker_set_schedule(const struct seep_schedule *wanted)
{
	schedule = *wanted;
}

void seep_heap_ensure_started(void)
{
}

bool seep_heap_totals(struct seep_heap_totals *totals)
{
	if (!seep_start_is_on())
		return false;
	seep_thread_totals(&totals->live_bytes, &totals->live_blocks);
	totals->tracker_bytes = seep_account_own_bytes() +
				(int64_t)(seep_holding_own_bytes() + seep_mappings_own_bytes());
	return true;
}

/* A thread that has not allocated yet has no record, and would end unnoticed. */
void seep_heap_thread_begins(void)
{
	if (seep_thread_self || seep_guard != SEEP_GUARD_OUT || !seep_start_is_on())
		return;
	/* A handler that never comes back would leave the guard set, without a record. */
	seep_signals_hold();
	seep_guard = SEEP_GUARD_OWN;
	seep_thread_get();
	seep_guard = SEEP_GUARD_OUT;
	seep_signals_release();
}

void seep_heap_event_begun(int64_t t_ns)
{
	seep_counted_publish();
	if (!seep_start_is_on())
		return;
	if (__builtin_expect(seep_mmap_is_used_up(), 0) && seep_silence_is_on()) {
		seep_start_run_out();
		return;
	}
	seep_sample_write_new();
	seep_anchor_consider(t_ns);
	seep_due_consider(t_ns);
}

void seep_heap_snapshot_at(uint32_t events)
{
	if (__builtin_expect(!schedule.period, 1) || !seep_start_is_on())
		return;
	/* When the program's own events replace time slices, counting starts again. */
	if (schedule_base != seep_event_clock.base)
		schedule.seen = 0;
	schedule_base = seep_event_clock.base;
	if (seep_schedule_take(&schedule, events))
		seep_snapshot_write(SEEP_SNAPSHOT_PERIODIC);
}

/* Once in a trace: an interpreter may collect garbage many times while it exits. */
static bool is_first(uint32_t *generation)
{
	uint32_t now = seep_recording_generation() + 1;

	if (!seep_start_is_on() || *generation == now)
		return false;
	*generation = now;
	return true;
}

void seep_heap_work_over(bool said)
{
	static uint32_t done;

	if (is_first(&done))
		seep_snapshot_write(SEEP_SNAPSHOT_OVER | SEEP_SNAPSHOT_PERIODIC |
				    (said ? SEEP_SNAPSHOT_SAID : 0));
}

void seep_heap_garbage_gone(void)
{
	static uint32_t done;

	if (is_first(&done))
		seep_snapshot_write(SEEP_SNAPSHOT_OVER);
}

void seep_heap_probe_now(void)
{
	if (seep_start_is_on())
		seep_probe_now();
}

void seep_heap_events_over(uint32_t events)
{
	seep_probe_consider(events);
}

void seep_heap_calibrate(void)
{
	if (__atomic_load_n(&seep_injection_on, __ATOMIC_RELAXED) && seep_start_is_on())
		seep_injection_event();
}

bool seep_heap_is_calibrating(void)
{
	return __atomic_load_n(&seep_injection_on, __ATOMIC_RELAXED);
}

void seep_heap_forked(void)
{
	seep_injection_forked();
	seep_counted_forget();
	if (!seep_start_is_on())
		return;
	schedule.period = 0; /* the schedule is for the program itself, not for its children */
	seep_thread_forked();
	seep_live_forked();
	seep_account_forked();
	seep_unwind_forked();
	seep_sample_forked();
	seep_module_forked();
	seep_probe_forked();
	if (seep_holding_forked())
		seep_stacks_forked();
}

void seep_heap_stop(void)
{
	__atomic_store_n(&seep_start_state, (uint32_t)SEEP_START_OFF, __ATOMIC_RELEASE);
	seep_sample_choose_way(false);
}

/*
 * Where locks of ours are held, no handler runs at all (os/signals.h).  But the hooks of malloc and
 * free set the guard without a system call.  If it is set and no handler is running on this
 * thread, the one that interrupted the owner has not returned and never will.
 */
bool seep_heap_take_over(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct seep_thread *thread = seep_thread_self;

	seep_account_count_missed();
	/* On a stack of the program's own, the owner may be waiting on another one. */
	if (seep_guard != SEEP_GUARD_OWN || !thread || here < thread->stack.low ||
	    here >= thread->stack.high || seep_signals_may_handle())
		return false;
	seep_thread_reset(thread);
	seep_guard = SEEP_GUARD_OUT;
	return true;
}
