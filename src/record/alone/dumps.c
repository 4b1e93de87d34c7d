/* SPDX-License-Identifier: MIT */
/*
 *   SEEP_PROFILER=NAME      jemalloc or tcmalloc, whichever is preloaded
 *   SEEP_PID=PID            the process that dumps
 *   SEEP_DUMP_PREFIX=PATH   prefix of the dumps' file names
 */
#include "record/alone/dumps.h"

#include "os/signals.h"
#include "record/alone/profiler_real.h"
#include "record/guard.h"
#include "record/recording.h"
#include "record/schedule_init.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static struct {
	struct seep_schedule schedule;
	bool on;
	pid_t pid;
	uint32_t owed;           /* dumps that were due at a moment when they could not be made */
	uint32_t busy;           /* a thread is dumping */
	bool failed;             /* a dump failed, and the note about it is written */
} dumps;

bool seep_dumps_are_wanted(void)
{
	return seep_env_is_set("SEEP_PROFILER");
}

bool seep_dumps_are_mine(void)
{
	return seep_env_number("SEEP_PID") == (uint64_t)getpid();
}

static void write_note(const char *text)
{
	int guard = seep_guard;

	seep_guard = SEEP_GUARD_OWN;
	if (seep_recording_begin()) {
		seep_recording_note(text, SEEP_NOTE_INFO);
		seep_recording_end();
	}
	seep_guard = guard;
}

void seep_dumps_begin(void)
{
	const char *trouble = seep_profiler_find(getenv("SEEP_PROFILER"),
						 getenv("SEEP_DUMP_PREFIX"));

	if (trouble)
		write_note(trouble);
	seep_schedule_read(&dumps.schedule);
	dumps.pid = getpid();
	dumps.on = !trouble && dumps.schedule.period;
}

/*
 * Signals are blocked since a handler might want memory.  Cancellation is off since a cancelled
 * thread would keep the allocator's locks.
 */
static bool dump(uint32_t event)
{
	int guard = seep_guard, cancel;
	bool written;

	seep_signals_hold();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	seep_guard = SEEP_GUARD_REAL;
	written = seep_profiler_dump(event);
	seep_guard = guard;
	pthread_setcancelstate(cancel, NULL);
	seep_signals_release();
	return written;
}

static void make(uint32_t due, uint32_t event)
{
	for (; due; due--) {
		if (dump(event) || dumps.failed)
			continue;
		dumps.failed = true;
		write_note("a heap dump could not be written: is the disk full?");
	}
}

/* Whether this thread may call the allocator and no other thread is dumping. */
static bool take_turn(void)
{
	uint32_t idle = 0;

	return getpid() == dumps.pid && !seep_signals_may_handle() &&
	       __atomic_compare_exchange_n(&dumps.busy, &idle, 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* If an event ends in a signal handler, its dump waits for a later event. */
void seep_dumps_consider(uint32_t events)
{
	int saved = errno;
	uint32_t due;

	if (__builtin_expect(!dumps.on, 1))
		return;
	due = seep_schedule_take(&dumps.schedule, events);
	if (!due && !__atomic_load_n(&dumps.owed, __ATOMIC_RELAXED))
		return;
	if (take_turn()) {
		__atomic_store_n(&dumps.owed, 0, __ATOMIC_RELAXED);
		make(due ? due : 1, events);
		__atomic_store_n(&dumps.busy, 0, __ATOMIC_RELEASE);
	} else {
		__atomic_store_n(&dumps.owed, 1, __ATOMIC_RELAXED);
	}
	errno = saved;
}
