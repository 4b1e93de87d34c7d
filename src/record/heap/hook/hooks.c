/* SPDX-License-Identifier: MIT */
/*
 * The functions that the program calls instead of its allocator's.
 *
 * Each of them passes straight through if tracking is off or if this thread is already
 * inside the tracker.  Otherwise it sets the guard, calls the real function and keeps the books.
 * A leaving block is booked before the real free, an arriving one after the real malloc.
 * errno is as the real function left it.
 *
 * This file is built with frame pointers: the walk starts at the hook's frame.
 */
#include "record/heap/hook/hooks.h"

#include "record/heap/book/account.h"
#include "record/heap/hook/injection.h"
#include "record/heap/python/python.h"
#include "record/heap/real/real.h"
#include "record/heap/stack/unwind.h"
#include "record/heap/start.h"

#include "os/signals.h"
#include "record/event_clock.h"
#include "record/guard.h"
#include "record/heap.h"
#include "record/recording.h"
#include "record/stamp.h"

#include <errno.h>

HOOK int posix_memalign(void **block, size_t alignment, size_t bytes);
HOOK void *aligned_alloc(size_t alignment, size_t bytes);
HOOK void *memalign(size_t alignment, size_t bytes);
HOOK void *valloc(size_t bytes), *pvalloc(size_t bytes);
HOOK size_t malloc_usable_size(void *block);

uint64_t seep_hooks_ticks_seen;
__thread const void *seep_hooks_arrived __attribute__((tls_model("initial-exec")));

/* Called inside one of the program's own calls, but allocates as the program would. */
static void calibrate(void)
{
	const void *arrived = seep_hooks_arrived;

	seep_guard = SEEP_GUARD_OUT;
	seep_injection_event();
	seep_guard = SEEP_GUARD_OWN;
	seep_hooks_arrived = arrived;
}

/* Lines have been printed that are events. */
static __attribute__((noinline)) void take_told(void)
{
	const void *arrived = seep_hooks_arrived;

	if (seep_recording_is_worth_it(seep_recording_tick()) && !seep_injection_is_busy())
		seep_listen_take();
	seep_hooks_arrived = arrived;
}

/* A time slice is over: that is an event, unless the program marks its own. */
__attribute__((noinline)) void seep_hooks_tick_inside(uint64_t now)
{
	int saved = errno;
	uint32_t begun, before;
	bool begins;

	seep_signals_hold();
	if (seep_listen_waits())
		take_told();
	if (seep_event_clock_is_own()) {
		__atomic_store_n(&seep_hooks_ticks_seen, now, __ATOMIC_RELAXED);
	} else if (seep_recording_is_worth_it(seep_recording_tick()) && !seep_injection_is_busy() &&
		   seep_recording_try()) {
		before = seep_event_clock.event;
		if (seep_hooks_ticks_seen != now && !seep_event_clock.own_events)
			seep_stamp_tick(seep_recording_tick());
		begins = seep_event_clock.event != before;
		__atomic_store_n(&seep_hooks_ticks_seen, now, __ATOMIC_RELAXED);
		begun = seep_event_clock.event - seep_event_clock.base;
		seep_recording_end();
		if (begun)
			seep_heap_events_over(begun - 1);
		if (begins && seep_injection_on)
			calibrate();
	}
	seep_signals_release();
	errno = saved;
}

/* The common case, in two loads. */
static inline bool is_tracking(void)
{
	return seep_guard == SEEP_GUARD_OUT &&
	       __atomic_load_n(&seep_start_state, __ATOMIC_ACQUIRE) == SEEP_START_ON;
}

__attribute__((noinline)) void seep_hooks_tick(uint64_t now)
{
	if (seep_guard != SEEP_GUARD_OUT || !seep_start_is_on())
		return;
	seep_signals_hold();
	seep_guard = SEEP_GUARD_OWN;
	seep_hooks_tick_inside(now);
	seep_guard = SEEP_GUARD_OUT;
	seep_signals_release();
}

__attribute__((noinline)) bool seep_hooks_is_outside(void)
{
	if (UNLIKELY(seep_guard != SEEP_GUARD_OUT) &&
	    !(seep_guard == SEEP_GUARD_OWN && seep_heap_take_over()) &&
	    !seep_hooks_pool_was_left(HERE)) {
		seep_real_hook_called = true;
		return true;
	}
	return UNLIKELY(!seep_start_is_on());
}

void seep_hooks_book(const void *block, size_t bytes, const void *frame)
{
	if (UNLIKELY(!block))
		return;
	seep_guard = SEEP_GUARD_OWN;
	seep_hooks_arrived = block;
	seep_hooks_check_tick();
	if (UNLIKELY(seep_sample_mode == SEEP_SAMPLE_CAREFUL) &&
	    !(seep_sample_count(bytes) && seep_sample_is_due(bytes)))
		return;
	if (UNLIKELY(seep_sample_mode != SEEP_SAMPLE_OFF))
		seep_sample_birth(block, bytes, frame);
	else
		seep_account_birth(block, bytes, frame);
}

void seep_hooks_arrive_anew(struct seep_thread *thread, const void *block, size_t bytes,
			    const void *frame)
{
	seep_hooks_check_tick();
	if (UNLIKELY(seep_sample_mode != SEEP_SAMPLE_OFF))
		seep_sample_birth(block, bytes, frame);
	else
		seep_account_birth_anew(thread, block, bytes, frame);
	seep_guard = SEEP_GUARD_OUT;
}

void seep_hooks_arrive_again(struct seep_thread *thread, const void *block, size_t bytes,
			     uint32_t site)
{
	seep_account_enter(thread, block, bytes, site);
	seep_guard = SEEP_GUARD_OUT;
}

/* The same for all functions that allocate; pool: used while the real allocator is not known. */
#define ALLOCATE(bytes, call, pool)                  \
	do {                                         \
		void *block_;                        \
		if (UNLIKELY(!is_tracking())) {      \
			if (!seep_real_ready())      \
				return (pool);       \
			if (seep_hooks_is_outside())            \
				return (call);       \
		}                                    \
		seep_guard = seep_real.guard;        \
		block_ = (call);                     \
		seep_hooks_book(block_, (bytes), HERE);       \
		seep_guard = SEEP_GUARD_OUT;         \
		return block_;                       \
	} while (0)

void *seep_hooks_malloc(size_t bytes)
{
	ALLOCATE(bytes, seep_real.malloc(at_least(bytes)), seep_real_pool_alloc(bytes, 0));
}

static void *calloc_from_pool(size_t n, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? NULL : seep_real_pool_alloc(bytes, 0);
}

void *seep_hooks_calloc(size_t n, size_t size)
{
	if (UNLIKELY(seep_real.least) && size && n < seep_real.least && n * size < seep_real.least)
		ALLOCATE(n * size, seep_real.calloc(1, seep_real.least), NULL);
	ALLOCATE(n * size, seep_real.calloc(n, size), calloc_from_pool(n, size));
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	if (seep_hooks_pass_by(bytes))
		return seep_real.aligned_alloc(alignment, bytes);
	ALLOCATE(bytes, seep_real.aligned_alloc(alignment, bytes),
		 seep_real_pool_alloc(bytes, alignment));
}

void *memalign(size_t alignment, size_t bytes)
{
	if (seep_hooks_pass_by(bytes))
		return seep_real.memalign(alignment, bytes);
	ALLOCATE(bytes, seep_real.memalign(alignment, bytes),
		 seep_real_pool_alloc(bytes, alignment));
}

void *valloc(size_t bytes)
{
	if (seep_hooks_pass_by(bytes))
		return seep_real.valloc(bytes);
	ALLOCATE(bytes, seep_real.valloc(bytes), seep_real_pool_alloc(bytes, 4096));
}

void *pvalloc(size_t bytes)
{
	if (seep_hooks_pass_by(bytes))
		return seep_real.pvalloc(bytes);
	ALLOCATE(bytes, seep_real.pvalloc(bytes),
		 seep_real_pool_alloc((bytes + 4095) & ~(size_t)4095, 4096));
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
	int failure;

	if (UNLIKELY(!seep_real_ready())) {
		*block = seep_real_pool_alloc(bytes, alignment);
		return *block ? 0 : ENOMEM;
	}
	if (seep_hooks_pass_by(bytes) || seep_hooks_is_outside())
		return seep_real.posix_memalign(block, alignment, bytes);
	seep_guard = seep_real.guard;
	failure = seep_real.posix_memalign(block, alignment, bytes);
	if (!failure)
		seep_hooks_book(*block, bytes, HERE);
	seep_guard = SEEP_GUARD_OUT;
	return failure;
}

/* Does not touch the thread's own record. */
struct seep_live_block seep_hooks_leave_inside(const void *block)
{
	struct seep_live_block untracked = {0};

	if (!block || __atomic_load_n(&seep_start_state, __ATOMIC_ACQUIRE) != SEEP_START_ON)
		return untracked;
	return seep_account_leave(block, true);
}

bool seep_hooks_leave_chosen_inside(const void *block, struct seep_chosen *chosen)
{
	return seep_sample_mode != SEEP_SAMPLE_OFF && block &&
	       seep_sample_leave(block, chosen, true);
}

/* A death in a signal handler that interrupted the books. */
static void die_inside(const void *block)
{
	struct seep_chosen chosen;
	struct seep_live_block live;

	if (seep_hooks_leave_chosen_inside(block, &chosen)) {
		seep_sample_end(&chosen, NULL);
		return;
	}
	live = seep_hooks_leave_inside(block);
	if (live.site)
		seep_account_stray_death(&live);
}

/* True if the block is settled and cannot be in the other books. */
static bool free_chosen(const void *block, const void *frame)
{
	struct seep_chosen chosen;

	if (!seep_sample_leave(block, &chosen, false))
		return !seep_live_may_hold(block);
	seep_sample_end(&chosen, frame);
	return true;
}

static inline void die(const void *block, const void *frame)
{
	seep_hooks_check_tick();
	if (seep_python_is_on())
		seep_account_forget_code(block);
	if (__builtin_expect(seep_sample_mode == SEEP_SAMPLE_OFF, 1) || !free_chosen(block, frame))
		seep_account_free(block, frame);
}

/* The allocator is not known yet, the tracker was interrupted, or nothing is tracked. */
static __attribute__((noinline)) void free_rarely(void *block)
{
	if (!block || seep_real_pool_holds(block) || !seep_real_ready())
		return;
	if (seep_guard != SEEP_GUARD_OUT)
		die_inside(block);
	seep_real.free(block);
}

void seep_hooks_free(void *block)
{
	if (UNLIKELY(!block || !is_tracking() || seep_real_pool_holds(block))) {
		free_rarely(block);
		return;
	}
	seep_guard = SEEP_GUARD_OWN;
	die(block, HERE);
	seep_guard = seep_real.guard;
	seep_real.free(block);
	seep_guard = SEEP_GUARD_OUT;
}

void seep_hooks_arrive(const void *block, size_t bytes, const void *frame)
{
	if (seep_hooks_pass_by(bytes) || seep_hooks_is_outside())
		return;
	seep_hooks_book(block, bytes, frame);
	seep_guard = SEEP_GUARD_OUT;
}

void seep_hooks_leave(const void *block, const void *frame)
{
	if (UNLIKELY(seep_guard != SEEP_GUARD_OUT)) {
		die_inside(block);
	} else if (block && seep_start_is_on()) {
		seep_guard = SEEP_GUARD_OWN;
		die(block, frame);
		seep_guard = SEEP_GUARD_OUT;
	}
}

size_t malloc_usable_size(void *block)
{
	if (UNLIKELY(seep_real_pool_holds(block)))
		return seep_real_pool_size(block);
	return seep_real_ready() ? seep_real.usable_size(block) : 0;
}
