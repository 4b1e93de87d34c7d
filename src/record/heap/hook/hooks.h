/* SPDX-License-Identifier: MIT */
/* What the hooks share, and what entry.c, which the program calls, needs from hooks.c. */
#ifndef SEEP_RECORD_HEAP_HOOK_HOOKS_H
#define SEEP_RECORD_HEAP_HOOK_HOOKS_H

#include "record/heap/book/chains.h"
#include "record/heap/book/sample.h"
#include "record/heap/real/real.h"
#include "record/recording.h"
#include "record/listen.h"

struct seep_thread;

#define HOOK __attribute__((visibility("default"), used))
#define HERE __builtin_frame_address(0)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The smallest block that may have pages of its own: see hooks_realloc.c. */
#define SEEP_HOOKS_OWN_PAGES_LEAST ((size_t)4096)

static inline size_t at_least(size_t bytes)
{
	return bytes < seep_real.least ? seep_real.least : bytes;
}

/* Whether to pass straight through.  A call by the real allocator does not count as missed. */
bool seep_hooks_is_outside(void) __attribute__((noinline));

/* Books a block that has arrived; leaves the guard set. */
void seep_hooks_book(const void *block, size_t bytes, const void *frame);

/* A block leaves while this thread is inside the tracker, or nothing is tracked. */
struct seep_live_block seep_hooks_leave_inside(const void *block);
bool seep_hooks_leave_chosen_inside(const void *block, struct seep_chosen *chosen);

/* Books a block that has arrived, or is about to leave, if it is tracked.  frame: of the hook. */
void seep_hooks_arrive(const void *block, size_t bytes, const void *frame);
void seep_hooks_leave(const void *block, const void *frame);

/* The block that this thread booked last, so that an operator new that calls malloc books once. */
extern __thread const void *seep_hooks_arrived __attribute__((tls_model("initial-exec")));

/* Tail-called, so that their frames replace the caller's. */
void *seep_hooks_malloc(size_t bytes) __attribute__((noinline));
void *seep_hooks_calloc(size_t n, size_t size) __attribute__((noinline));
void *seep_hooks_realloc(void *block, size_t bytes, bool due) __attribute__((noinline));
void seep_hooks_free(void *block) __attribute__((noinline));

/*
 * hooks_fast.c: malloc and free where seep_sample_way is SEEP_SAMPLE_WAY_FAST.  What is
 * out of the ordinary goes on to the functions above.
 */
void *seep_hooks_fast_malloc(size_t bytes) __attribute__((noinline));
void *seep_hooks_fast_calloc(size_t n, size_t size) __attribute__((noinline));
void *seep_hooks_fast_realloc(void *block, size_t bytes) __attribute__((noinline));
void seep_hooks_fast_free(void *block) __attribute__((noinline));

/*
 * Python's allocators: hooks_pymem.c, and hooks_fast.c in the common case.  domain: one of
 * seep_real_pymem.
 */
void *seep_hooks_pymem_malloc(void *domain, size_t bytes) __attribute__((noinline));
void *seep_hooks_pymem_calloc(void *domain, size_t n, size_t size) __attribute__((noinline));
void *seep_hooks_pymem_realloc(void *domain, void *block, size_t bytes) __attribute__((noinline));
void seep_hooks_pymem_free(void *domain, void *block) __attribute__((noinline));
int seep_hooks_pymem_made(void *object, int event, void *unused);
void *seep_hooks_fast_pymem_malloc(void *domain, size_t bytes) __attribute__((noinline));
void *seep_hooks_fast_pymem_calloc(void *domain, size_t n, size_t size) __attribute__((noinline));
void *seep_hooks_fast_pymem_realloc(void *domain, void *block, size_t bytes)
	__attribute__((noinline));
void seep_hooks_fast_pymem_free(void *domain, void *block) __attribute__((noinline));

/* hooks_pool.c: the functions of pools that the user names. */
struct seep_entry;
typedef void seep_hooks_wrapper(void);
seep_hooks_wrapper *seep_hooks_pool_choose(struct seep_entry *entry);

/* Whether a longjmp has left a pool's function, so that the guard was not put back.  It is now. */
bool seep_hooks_pool_was_left(const void *frame) __attribute__((noinline));

/* A block that hooks_fast.c could not book.  The guard is not set when these return. */
void seep_hooks_arrive_anew(struct seep_thread *thread, const void *block, size_t bytes,
			    const void *frame) __attribute__((noinline));

/* The same for a block whose site is known, but has no tally yet. */
void seep_hooks_arrive_again(struct seep_thread *thread, const void *block, size_t bytes,
			     uint32_t site) __attribute__((noinline));

/* Not entered again after a realloc. */
void seep_hooks_return_anew(const void *block, size_t bytes, const struct seep_live_block *old,
			    enum seep_chains_way way) __attribute__((noinline));

/* The last pulse that was noticed, see record/listen.h. */
extern uint64_t seep_hooks_ticks_seen;

/* A new slice has begun, or an event was seen.  The guard is not set, or is. */
void seep_hooks_tick(uint64_t now);
void seep_hooks_tick_inside(uint64_t now) __attribute__((noinline));

static inline bool seep_hooks_has_ticked(void)
{
	return seep_listen_now() != __atomic_load_n(&seep_hooks_ticks_seen, __ATOMIC_RELAXED);
}

/* The guard is set. */
static inline void seep_hooks_check_tick(void)
{
	if (UNLIKELY(seep_hooks_has_ticked()))
		seep_hooks_tick_inside(seep_listen_now());
}

/* For rare hooks: a slice in which nothing else happened may have ended. */
static inline void seep_hooks_look_at_clock(void)
{
	if (seep_hooks_has_ticked())
		seep_hooks_tick(seep_listen_now());
}

/* The countdown of sample.h or the clock needs attention: whether the block is chosen. */
static inline bool seep_hooks_is_due(size_t bytes)
{
	seep_hooks_look_at_clock();
	return seep_sample_is_due(bytes);
}

/*
 * Whether sampling is on and does not choose this block.  Then only the clock is checked, and the
 * result of the allocation does not matter.
 */
static inline bool seep_hooks_pass_by(size_t bytes)
{
	if (__builtin_expect(seep_sample_mode != SEEP_SAMPLE_PLAIN, 1))
		return false;
	seep_sample_count(bytes);
	return !seep_hooks_is_due(bytes);
}

#endif
