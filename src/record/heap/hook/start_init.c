/* SPDX-License-Identifier: MIT */
/*
 * The start and the end of tracking.  The states of start.h:
 *
 *	                      one thread decides, the
 *	                      others pass through
 *	UNKNOWN ----------------> BUSY --------------------> ON
 *	  ^  |   constructor, or   |   tracking is wanted,    |
 *	  |  |   the first malloc  |   tables are ready       |  recording has failed
 *	  +--+                     |                          v  (seep_heap_stop)
 *	too early: no environment  +-----------------------> OFF
 *	                               not wanted, or not possible
 *
 * OFF is final.  The end of the program (seep_start_finish) changes no state: it closes the trace,
 * and the hooks go on.  What happens in between is in tracker.c.
 *
 *	SEEP_TRACE=FILE          the trace that seep run created
 *	SEEP_SHARE=PID/N         memory shared with seep run, see os/shared.h
 *	SEEP_PID=PID             the process to track; its children are not tracked ...
 *	SEEP_FOLLOW=NAMES        ... except these, which create their own traces next to it
 *	SEEP_PYTHONMALLOC=1      Python's allocators may be hooked, see pymem.h
 *	SEEP_SAMPLE=N            take one sample per N bytes instead of tracking every block
 *	SEEP_MAX_OVERHEAD=N      start sampling when the tracker itself takes N bytes
 *	SEEP_PROBE_EVENT=N       probe the allocator after the Nth event, not at the end ...
 *	SEEP_NO_PROBE=1          ... or not at all
 *	SEEP_NO_PYTHON=1         do not read the frames of Python
 *	SEEP_DUMP_PERIOD=N       take snapshots at the end of certain events, see schedule_init.h
 *	SEEP_CALIBRATE=N         for seep calibrate: leak up to N bytes on purpose,
 *	SEEP_CALIBRATE_LEVEL=N   this many per event (not set: as many as needed),
 *	SEEP_CALIBRATE_BLOCK=N   in blocks of this many events
 *	SEEP_ENTRY=...           functions at whose entry the tracker is called, see entry/entry.h
 *	SEEP_POOLS=1             some of these are a pool's
 *	SEEP_FILTERS=N           do nothing under more than N seccomp filters
 *	SEEP_DISABLE=1           do nothing at all
 */
#include "record/heap/around/anchor.h"
#include "record/heap/around/probe.h"
#include "record/heap/around/quiescence.h"
#include "record/heap/book/account.h"
#include "record/heap/book/holdings.h"
#include "record/heap/book/live.h"
#include "record/heap/book/mappings.h"
#include "record/heap/book/sample.h"
#include "record/heap/book/snapshot.h"
#include "record/heap/book/stacks.h"
#include "record/heap/counted.h"
#include "record/heap/entry/entry.h"
#include "record/heap/hook/hooks.h"
#include "record/heap/hook/pymem.h"
#include "record/heap/hook/injection.h"
#include "record/heap/hook/tracker.h"
#include "record/heap/python/python.h"
#include "record/heap/real/real.h"
#include "record/heap/stack/module.h"
#include "record/heap/stack/unwind.h"
#include "record/heap/stack/nodes.h"
#include "record/heap/start.h"
#include "record/heap/thread.h"

#include "os/mmap.h"
#include "os/process.h"
#include "os/signals.h"
#include "os/silence.h"
#include "os/statm.h"
#include "record/env_init.h"
#include "record/follow.h"
#include "record/guard.h"
#include "record/heap.h"
#include "record/recording.h"
#include "record/schedule_init.h"
#include "record/stamp.h"
#include "record/listen.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define RESERVE_PART 4 /* of the address space that a limit leaves */

uint32_t seep_start_state;

static void set_state(enum seep_start_state state)
{
	__atomic_store_n(&seep_start_state, (uint32_t)state, __ATOMIC_RELEASE);
	seep_sample_choose_way(state == SEEP_START_ON);
}

/* Whether to track this program.  If not, it is counted in the trace of its parent. */
static bool is_wanted(struct seep_recording_setup *setup)
{
	const char *pid = getenv("SEEP_PID"), *follow = getenv("SEEP_FOLLOW");
	long main_pid = pid ? strtol(pid, NULL, 10) : 0;

	if (!setup->path || seep_env_is_set("SEEP_DISABLE"))
		return false;
	setup->shared = seep_follow_share(getenv("SEEP_SHARE"), (uint32_t)main_pid);
	if (main_pid > 0 && main_pid == (long)getpid()) {
		setup->pending = setup->shared ? seep_follow_pending(getenv("SEEP_SHARE")) : NULL;
		return true;
	}
	if (main_pid <= 0 || !follow || !seep_follow_is_named(follow)) {
		seep_follow_count_started(setup->shared);
		return false;
	}
	seep_follow_count(setup->shared);
	setup->followed_from = (uint32_t)main_pid;
	return true;
}

static void start_sampling(void)
{
	uint64_t mean = seep_env_number("SEEP_SAMPLE");

	seep_sample_set_ceiling(seep_env_number("SEEP_MAX_OVERHEAD"));
	if (!mean)
		return;
	seep_sample_start(mean);
	seep_recording_begin();
	seep_sample_write_new();
	seep_recording_end();
}

/*
 * If the address space is limited, the program cannot use what the tracker takes, and would fail
 * earlier than it does without us.  So we take at most a quarter of what is left, or nothing.
 */
static bool make_tables(void)
{
	if (seep_thread_init() && seep_unwind_init() && seep_nodes_init() && seep_account_init() &&
	    seep_live_init(seep_real.from_libc) && seep_holding_init() && seep_mappings_init() &&
	    seep_stacks_init() && (!seep_env_number("SEEP_SAMPLE") || seep_sample_init()) &&
	    seep_statm_address_left() / 3 >= seep_mmap_reserved_bytes())
		return true;
	seep_mmap_drop_all();
	return false;
}

static void start_calibration(void)
{
	uint64_t budget = seep_env_number("SEEP_CALIBRATE");

	if (budget)
		seep_injection_start(seep_env_number("SEEP_CALIBRATE_LEVEL"),
				     seep_env_number("SEEP_CALIBRATE_BLOCK"), budget);
}

static void write_note(const char *text)
{
	seep_recording_begin();
	seep_recording_note(text, SEEP_NOTE_INFO);
	seep_recording_end();
}

static void decide_pymem(void)
{
	char text[192];

	if (seep_pymem_decide(text, sizeof(text)))
		write_note(text);
}

static void forked(void)
{
	int guard = seep_guard;

	seep_signals_forked();
	seep_signals_hold();
	seep_guard = SEEP_GUARD_OWN;
	seep_quiescence_begin();
	seep_recording_forked(guard == SEEP_GUARD_OWN);
	seep_guard = guard;
	seep_signals_release();
}

static void exited(int status, void *unused)
{
	(void)unused;
	seep_recording_exited(status);
}

/* Comes first: under a filter that seep run does not have, nothing else may be tried. */
static bool is_confined(void)
{
	if (!getenv("SEEP_TRACE") ||
	    seep_process_filters() <= (int64_t)seep_env_number("SEEP_FILTERS"))
		return false;
	seep_silence_begin(NULL);
	return true;
}

static void open_told(const struct seep_trace_header *shared)
{
	struct seep_told *told = seep_follow_told(getenv("SEEP_SHARE"), shared);

	if (told)
		seep_listen_open(told);
}

static bool start(void)
{
	struct seep_recording_setup setup = {.path = getenv("SEEP_TRACE")};
	struct seep_schedule schedule = {0};

	if (!is_wanted(&setup) || seep_recording_start(&setup))
		return false;
	seep_counted_choose();
	if (!setup.shared)
		write_note("the memory shared with seep run could not be opened (is /proc "
			   "mounted?): there are no time slices");
	if (seep_real_is_sanitized() || !seep_real_is_behind_us()) {
		if (setup.followed_from)
			return false;
		write_note("the program has its own malloc, which cannot be tracked: there is no "
			   "heap data");
		return false;
	}
	if (!make_tables()) {
		write_note("the address space limit (ulimit -v) leaves no room for the tracker: "
			   "there is no heap data");
		return false;
	}
	decide_pymem();
	if (seep_env_is_set("SEEP_POOLS"))
		seep_live_expect_pools();
	start_sampling();
	if (!seep_env_is_set("SEEP_NO_PYTHON"))
		seep_python_want();
	if (!seep_env_is_set("SEEP_NO_PROBE"))
		seep_probe_want(seep_env_number("SEEP_PROBE_EVENT"));
	seep_schedule_read(&schedule);
	seep_tracker_set_schedule(&schedule);
	open_told(setup.shared);
	seep_quiescence_begin();
	seep_recording_number_slices();
	if (!setup.followed_from)
		start_calibration();
	pthread_atfork(NULL, NULL, forked);
	at_quick_exit(seep_start_finish);
	on_exit(exited, NULL);
	return true;
}

void seep_start_decide(void)
{
	uint32_t unknown = SEEP_START_UNKNOWN;
	int guard = seep_guard, saved = errno;
	bool confined;

	/* Too early: the C library has not set up the environment yet. */
	if (!environ || guard != SEEP_GUARD_OUT)
		return;
	if (!__atomic_compare_exchange_n(&seep_start_state, &unknown, SEEP_START_BUSY, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	confined = is_confined();
	seep_signals_hold();
	seep_guard = SEEP_GUARD_REAL;
	set_state(!confined && start() ? SEEP_START_ON : SEEP_START_OFF);
	seep_stamp_start();
	if (!seep_start_is_on())
		seep_real.least = 0; /* untracked blocks may be close together */
	seep_guard = guard;
	seep_signals_release();
	errno = saved;
}

/* The guard is set, and the recording is held. */
static void write_end(void)
{
	seep_entry_finish();
	if (!seep_start_is_on()) /* the trace has only stamps */
		return;
	seep_stamp_finish();
	seep_anchor_finish();
	seep_snapshot_write(SEEP_SNAPSHOT_FINAL);
}

void seep_start_run_out(void)
{
	write_end();
	seep_recording_give_up("recording ended because the memory was used up that the tracker "
			       "had reserved when the program installed a seccomp filter");
}

/* No system call is made from here on.  Without memory shared with seep run, all ends here. */
static const int64_t *hand_over(void)
{
	const int64_t *now;

	seep_recording_note("the program installed a seccomp filter, so the tracker makes no "
			    "system calls from then on", SEEP_NOTE_INFO);
	if (seep_start_is_on())
		seep_module_know_program();
	seep_anchor_finish();
	seep_mmap_reserve(seep_statm_address_left() / RESERVE_PART);
	now = seep_recording_hand_over();
	if (now)
		return now;
	write_end();
	seep_recording_give_up("recording ended when the program installed a seccomp filter, which "
			       "might forbid what the tracker does");
	return NULL;
}

void seep_start_silence(void)
{
	int guard = seep_guard, saved = errno;
	const int64_t *now = NULL;

	if (seep_silence_is_on())
		return;
	if (guard == SEEP_GUARD_OUT) {
		seep_signals_hold();
		seep_guard = SEEP_GUARD_OWN;
		/* Also in a child of vfork: from there on, its parent's tracker is silent, too. */
		if (seep_recording_header() && seep_recording_begin()) {
			now = hand_over();
			if (now)
				seep_silence_begin(now);
			seep_recording_end();
		}
		if (!now)
			seep_heap_stop();
		seep_guard = guard;
		seep_signals_release();
	}
	if (!now)
		seep_silence_begin(NULL);
	seep_silence_settle();
	errno = saved;
}

void seep_start_finish(void)
{
	int guard = seep_guard;

	/* A signal handler that interrupted the recorder and ends the program must not wait. */
	if (guard == SEEP_GUARD_OWN)
		return;
	seep_signals_hold();
	seep_guard = SEEP_GUARD_OWN;
	if (guard == SEEP_GUARD_OUT)
		seep_listen_take();
	if (seep_recording_is_open() && seep_recording_begin()) {
		write_end();
		seep_counted_publish();
		seep_recording_seal();
		seep_recording_end();
		if (guard == SEEP_GUARD_OUT && seep_start_is_on())
			seep_probe_finish();
		seep_recording_finish();
	}
	seep_guard = guard;
	seep_signals_release();
}

__attribute__((constructor)) static void construct(void)
{
	if (!seep_real_ready())
		return;
	if (seep_start_is_on())
		seep_pymem_begin();
	if (seep_start_is_on() || seep_recording_is_open())
		seep_entry_begin(seep_hooks_pool_choose);
}

__attribute__((destructor)) static void destruct(void)
{
	seep_start_finish();
}
