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
#include <stdlib.h>
#include <string.h>

HOOK void *reallocarray(void *block, size_t n, size_t size);
HOOK int posix_memalign(void **block, size_t alignment, size_t bytes);
HOOK void *aligned_alloc(size_t alignment, size_t bytes);
HOOK void *memalign(size_t alignment, size_t bytes);
HOOK void *valloc(size_t bytes), *pvalloc(size_t bytes);
HOOK size_t malloc_usable_size(void *block);
HOOK void _exit(int status) __attribute__((noreturn));
HOOK void _Exit(int status) __attribute__((noreturn));
HOOK int dlclose(void *object);

#define OWN_PAGES ((size_t)2)        /* glibc's IS_MMAPPED */

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

/* A time slice is over: that is an event, unless the program marks its own. */
static __attribute__((noinline)) void tick(uint64_t now)
{
	int saved = errno;
	uint32_t begun, before;
	bool begins;

	seep_signals_hold();
	if (seep_event_clock.own_events) {
		__atomic_store_n(&seep_hooks_ticks_seen, now, __ATOMIC_RELAXED);
	} else if (seep_recording_is_worth_it(now) && !seep_injection_is_busy() &&
		   seep_recording_try()) {
		before = seep_event_clock.event;
		if (seep_hooks_ticks_seen != now && !seep_event_clock.own_events)
			seep_stamp_tick(now);
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

static inline void check_tick(void)
{
	uint64_t now = seep_recording_tick();

	if (UNLIKELY(now != __atomic_load_n(&seep_hooks_ticks_seen, __ATOMIC_RELAXED)))
		tick(now);
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
	tick(now);
	seep_guard = SEEP_GUARD_OUT;
	seep_signals_release();
}

/* Whether to pass straight through.  A call by the real allocator does not count as missed. */
static __attribute__((noinline)) bool is_outside(void)
{
	if (UNLIKELY(seep_guard != SEEP_GUARD_OUT) &&
	    !(seep_guard == SEEP_GUARD_OWN && seep_heap_take_over())) {
		seep_real_hook_called = true;
		return true;
	}
	return UNLIKELY(!seep_start_is_on());
}

static void arrive(const void *block, size_t bytes, const void *frame)
{
	if (UNLIKELY(!block))
		return;
	seep_guard = SEEP_GUARD_OWN;
	seep_hooks_arrived = block;
	check_tick();
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
	check_tick();
	if (UNLIKELY(seep_sample_mode != SEEP_SAMPLE_OFF))
		seep_sample_birth(block, bytes, frame);
	else
		seep_account_birth_anew(thread, block, bytes, frame);
	seep_guard = SEEP_GUARD_OUT;
}

/* The same for all functions that allocate; pool: used while the real allocator is not known. */
#define ALLOCATE(bytes, call, pool)                  \
	do {                                         \
		void *block_;                        \
		if (UNLIKELY(!is_tracking())) {      \
			if (!seep_real_ready())      \
				return (pool);       \
			if (is_outside())            \
				return (call);       \
		}                                    \
		seep_guard = seep_real.guard;        \
		block_ = (call);                     \
		arrive(block_, (bytes), HERE);       \
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
	if (seep_hooks_pass_by(bytes) || is_outside())
		return seep_real.posix_memalign(block, alignment, bytes);
	seep_guard = seep_real.guard;
	failure = seep_real.posix_memalign(block, alignment, bytes);
	if (!failure)
		arrive(*block, bytes, HERE);
	seep_guard = SEEP_GUARD_OUT;
	return failure;
}

/* This thread is inside the tracker, or nothing is tracked: does not touch its own record. */
static struct seep_live_block leave_inside(const void *block)
{
	struct seep_live_block untracked = {0};

	if (!block || __atomic_load_n(&seep_start_state, __ATOMIC_ACQUIRE) != SEEP_START_ON)
		return untracked;
	return seep_account_leave(block, true);
}

static bool leave_chosen_inside(const void *block, struct seep_chosen *chosen)
{
	return seep_sample_mode != SEEP_SAMPLE_OFF && block &&
	       seep_sample_leave(block, chosen, true);
}

/* A death in a signal handler that interrupted the books. */
static void die_inside(const void *block)
{
	struct seep_chosen chosen;
	struct seep_live_block live;

	if (leave_chosen_inside(block, &chosen)) {
		seep_sample_end(&chosen, NULL);
		return;
	}
	live = leave_inside(block);
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
	check_tick();
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
	if (seep_hooks_pass_by(bytes) || is_outside())
		return;
	arrive(block, bytes, frame);
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

/* A block of the pool moves to the real heap. */
static void *move_from_pool(void *block, size_t bytes)
{
	size_t old = seep_real_pool_size(block);
	void *moved = seep_real_ready() ? seep_real.malloc(bytes) : NULL;

	if (moved)
		memcpy(moved, block, old < bytes ? old : bytes);
	return moved;
}

/*
 * Whether the C library has mapped separate pages for this block.  If so, realloc remaps them and
 * copies nothing.  A bit in the word before the block says it.
 */
static bool has_own_pages(const void *block, const struct seep_live_block *live)
{
	return live->bytes >= SEEP_HOOKS_OWN_PAGES_LEAST && seep_real.from_libc &&
	       ((const size_t *)block)[-1] & OWN_PAGES;
}

static void *realloc_tracked(void *block, size_t bytes, const void *frame)
{
	enum seep_chains_way way = SEEP_CHAINS_COPIED;
	struct seep_live_block live;
	void *moved;

	seep_guard = SEEP_GUARD_OWN;
	live = seep_account_leave(block, false);
	if (has_own_pages(block, &live))
		way = SEEP_CHAINS_REMAPPED;
	seep_guard = seep_real.guard;
	moved = seep_real.realloc(block, bytes ? at_least(bytes) : 0);
	if (!live.site) {
		arrive(moved, bytes, frame);
	} else {
		seep_guard = SEEP_GUARD_OWN;
		check_tick();
		if (moved)
			seep_account_return(moved, bytes, &live,
					    moved == block ? SEEP_CHAINS_IN_PLACE : way);
		else if (!bytes)
			seep_account_deaths(&live, 1, frame);
		else
			seep_account_stay(block, &live, false);
	}
	seep_guard = SEEP_GUARD_OUT;
	return moved;
}

void seep_hooks_return_anew(const void *block, size_t bytes, const struct seep_live_block *old,
			    enum seep_chains_way way)
{
	seep_guard = SEEP_GUARD_OWN;
	seep_account_return(block, bytes, old, way);
	seep_guard = SEEP_GUARD_OUT;
}

/* With sampling, the old block ends, and the new one begins if the countdown chose it. */
static void *realloc_sampled(void *block, size_t bytes, bool due, const void *frame)
{
	struct seep_live_block live = {0};
	struct seep_chosen chosen;
	bool was_chosen, stays;
	void *moved;

	seep_guard = SEEP_GUARD_OWN;
	check_tick();
	if (seep_sample_mode == SEEP_SAMPLE_CAREFUL)
		due = seep_sample_count(bytes) && seep_sample_is_due(bytes);
	was_chosen = block && seep_sample_leave(block, &chosen, false);
	if (!was_chosen && seep_live_may_hold(block))
		live = seep_account_leave(block, false);
	seep_guard = seep_real.guard;
	moved = seep_real.realloc(block, bytes || !block ? at_least(bytes) : 0);
	seep_guard = SEEP_GUARD_OWN;
	stays = !moved && bytes;
	if (was_chosen)
		stays ? seep_sample_stay(&chosen, false) : seep_sample_end(&chosen, frame);
	else if (live.site && stays)
		seep_account_stay(block, &live, false);
	else if (live.site)
		seep_account_deaths(&live, 1, frame);
	if (moved && due)
		seep_sample_birth(moved, bytes, frame);
	seep_guard = SEEP_GUARD_OUT;
	return moved;
}

/* A signal handler that reallocates: the old block leaves the books, the new one is not entered. */
static void *realloc_inside(void *block, size_t bytes)
{
	struct seep_live_block live = {0};
	struct seep_chosen chosen;
	bool was_chosen = leave_chosen_inside(block, &chosen), stays;
	void *moved;

	if (!was_chosen)
		live = leave_inside(block);
	moved = seep_real.realloc(block, bytes);
	stays = !moved && bytes;
	if (was_chosen)
		stays ? seep_sample_stay(&chosen, true) : seep_sample_end(&chosen, NULL);
	else if (live.site)
		stays ? seep_account_stay(block, &live, true) : seep_account_stray_death(&live);
	return moved;
}

/* Inlined, so that HERE is the frame of the hook. */
static inline __attribute__((always_inline)) void *reallocate(void *block, size_t bytes, bool due)
{
	if (UNLIKELY(seep_real_pool_holds(block)))
		return move_from_pool(block, bytes);
	if (UNLIKELY(!seep_real_ready()))
		return seep_real_pool_alloc(bytes, 0);
	if (is_outside())
		return realloc_inside(block, bytes);
	if (UNLIKELY(seep_sample_mode != SEEP_SAMPLE_OFF))
		return realloc_sampled(block, bytes, due, HERE);
	if (!block)
		ALLOCATE(bytes, seep_real.realloc(NULL, at_least(bytes)), NULL);
	return realloc_tracked(block, bytes, HERE);
}

void *seep_hooks_realloc(void *block, size_t bytes, bool due)
{
	return reallocate(block, bytes, due);
}

void *reallocarray(void *block, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return reallocate(block, bytes, !seep_hooks_pass_by(bytes));
}

size_t malloc_usable_size(void *block)
{
	if (UNLIKELY(seep_real_pool_holds(block)))
		return seep_real_pool_size(block);
	return seep_real_ready() ? seep_real.usable_size(block) : 0;
}

void _exit(int status)
{
	seep_start_finish();
	seep_recording_exited(status);
	if (seep_real_ready())
		seep_real.exit_now(status);
	__builtin_trap();
}

void _Exit(int status)
{
	_exit(status);
}

/* Other code may be loaded at the same place later: the unwind rules must be forgotten. */
int dlclose(void *object)
{
	bool tracked = seep_start_is_on();
	int result;

	if (!seep_real_ready())
		return -1;
	if (tracked)
		seep_unwind_begin_unload();
	result = seep_real.dlclose(object);
	if (tracked)
		seep_unwind_end_unload();
	return result;
}
