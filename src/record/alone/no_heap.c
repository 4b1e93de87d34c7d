/* SPDX-License-Identifier: MIT */
/*
 * libseep without the tracker: a program writes its own stamp file with no
 * `seep run` around it.  The first call opens the trace:
 *
 *   SEEP_TRACE=FILE   where to, default seep.<program>.<pid>.seep in the working directory
 *   SEEP_DISABLE=1    nothing at all
 *   SEEP_QUIET=1      no line on stderr when recording fails
 *
 * With a profiler (see dumps.c) it is preloaded instead of the tracker and writes to the trace
 * that seep run created.
 */
#include "os/base_name.h"
#include "os/digits.h"
#include "os/process.h"
#include "record/alone/dumps.h"
#include "record/api.h"
#include "record/env_init.h"
#include "record/follow.h"
#include "record/guard.h"
#include "record/heap.h"
#include "record/recording.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int tried;

static void append(char *path, size_t bytes, const char *text)
{
	size_t used = strlen(path), n = strlen(text);

	if (used + n + 1 <= bytes)
		memcpy(path + used, text, n + 1);
}

static void default_path(char *path, size_t bytes)
{
	char exe[4096], digits[16] = "";

	seep_digits_append(digits, (uint32_t)getpid());
	seep_process_exe(exe, sizeof(exe));
	append(path, bytes, "seep.");
	append(path, bytes, seep_base_name(exe));
	append(path, bytes, ".");
	append(path, bytes, digits);
	append(path, bytes, ".seep");
}

/* In a run with a profiler, only one process records. */
static void start_profiled(void)
{
	struct seep_recording_setup setup = {.path = getenv("SEEP_TRACE")};

	if (!setup.path || !seep_dumps_are_mine())
		return;
	setup.shared = seep_follow_share(getenv("SEEP_SHARE"), (uint32_t)getpid());
	if (!seep_recording_start(&setup))
		seep_dumps_begin();
}

void seep_heap_ensure_started(void)
{
	static char name[SEEP_WRITER_PATH_MAX], path[SEEP_WRITER_PATH_MAX];
	struct seep_recording_setup setup = {.path = path, .make = true};
	const char *wanted;

	if (__atomic_exchange_n(&tried, 1, __ATOMIC_RELAXED) || seep_env_is_set("SEEP_DISABLE"))
		return;
	if (seep_dumps_are_wanted()) {
		start_profiled();
		return;
	}
	wanted = getenv("SEEP_TRACE");
	if (!wanted || !*wanted) {
		default_path(name, sizeof(name));
		wanted = name;
	}
	setup.prints_failures = !seep_env_is_set("SEEP_QUIET");
	if (seep_process_absolute(wanted, path, sizeof(path)))
		seep_recording_start(&setup);
}

bool seep_heap_totals(struct seep_heap_totals *totals)
{
	(void)totals;
	return false;
}

void seep_heap_thread_begins(void)
{
}

void seep_heap_event_begun(int64_t t_ns)
{
	(void)t_ns;
}

void seep_heap_snapshot_at(uint32_t events)
{
	(void)events;
}

void seep_heap_work_over(bool said)
{
	(void)said;
}

void seep_heap_garbage_gone(void)
{
}

void seep_heap_probe_now(void)
{
}

void seep_heap_events_over(uint32_t events)
{
	seep_dumps_consider(events);
}

void seep_heap_calibrate(void)
{
}

bool seep_heap_is_calibrating(void)
{
	return false;
}

void seep_heap_forked(void)
{
}

void seep_heap_stop(void)
{
}

/* Where the guard is set, no handler runs. */
bool seep_heap_take_over(void)
{
	return false;
}

/* Start early, so that the profiler also sees what happens before the first call of seep.h. */
__attribute__((constructor)) static void begin(void)
{
	if (!seep_dumps_are_wanted() || seep_api_is_passed_on())
		return;
	seep_guard = SEEP_GUARD_OWN;
	seep_heap_ensure_started();
	seep_guard = SEEP_GUARD_OUT;
}

__attribute__((destructor)) static void finish(void)
{
	if (seep_recording_is_open() && seep_recording_begin()) {
		seep_recording_finish();
		seep_recording_end();
	}
}
