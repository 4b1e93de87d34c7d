/* SPDX-License-Identifier: MIT */
/*
 * The functions of a pool that the user names (--alloc-fn, --free-fn): its blocks are booked as if
 * they were malloc's.
 *
 * The original is called with the guard set, so what the pool itself takes from malloc for its
 * pages does not count a second time.  If an exception leaves it, the wrapper's personality puts
 * the guard back; the unwinder calls it, and nothing of the C++ library is needed for that.  After
 * a longjmp, the next hook on this thread whose frame lies further out than the wrapper's does it.
 *
 * Each function has a wrapper of its own, which knows it by its number.  Arguments are passed on in
 * the six registers for integers.
 *
 * This file is built with frame pointers: the walk starts at the wrapper's frame, so a site is the
 * caller of the pool's function.
 */
#include "record/heap/hook/hooks.h"

#include "record/heap/book/account.h"
#include "record/heap/book/live.h"
#include "record/heap/entry/entry.h"
#include "record/heap/start.h"

#include "record/guard.h"

#define SIZE_LEAST 16                    /* smaller blocks share a slot of the shadow */
#define SIZE_MOST ((uint64_t)1 << 40)    /* a larger number cannot be a size */

typedef uintptr_t word;
typedef word original(word a, word b, word c, word d, word e, word f);

#define PARAMETERS word a, word b, word c, word d, word e, word f
#define ARGUMENTS a, b, c, d, e, f
#define POOLS_MOST 8
#define CLEANUP_PHASE 2
#define CONTINUE_UNWIND 8
#define INLINE __attribute__((always_inline)) static inline

static struct seep_entry *allocates[POOLS_MOST], *frees[POOLS_MOST];
static uint32_t n_allocates, n_frees;

/* Of the wrapper that has set the guard. */
static __thread const char *outermost __attribute__((tls_model("initial-exec")));

bool seep_hooks_pool_was_left(const void *frame)
{
	if (!outermost || seep_guard != SEEP_GUARD_REAL || (const char *)frame <= outermost)
		return false;
	outermost = NULL;
	seep_guard = SEEP_GUARD_OUT;
	return true;
}

/* As the unwinder calls it for each frame, with the values of its interface. */
__attribute__((used, visibility("hidden"))) int
seep_hooks_pool_personality(int version, int actions, uint64_t kind, void *exception,
			    void *context);

int seep_hooks_pool_personality(int version, int actions, uint64_t kind, void *exception,
				void *context)
{
	(void)version;
	(void)kind;
	(void)exception;
	(void)context;
	if (actions & CLEANUP_PHASE && seep_guard == SEEP_GUARD_REAL) {
		outermost = NULL;
		seep_guard = SEEP_GUARD_OUT;
	}
	return CONTINUE_UNWIND;
}

#ifdef __x86_64__
#define PERSONALITY __asm__ volatile(".cfi_personality 0x1b, seep_hooks_pool_personality")
#else
#define PERSONALITY
#endif

static inline word pick(uint32_t number, PARAMETERS)
{
	const word all[] = {ARGUMENTS};

	return all[(number - 1) % (sizeof(all) / sizeof(all[0]))];
}

static inline bool is_outside(const void *frame)
{
	return (seep_guard != SEEP_GUARD_OUT && !seep_hooks_pool_was_left(frame)) ||
	       !seep_start_is_on();
}

INLINE word call(const struct seep_entry *entry, const void *frame, PARAMETERS)
{
	original *function = (original *)seep_entry_original(entry);
	word result;

	outermost = frame;
	seep_guard = SEEP_GUARD_REAL;
	result = function(ARGUMENTS);
	seep_guard = SEEP_GUARD_OUT;
	outermost = NULL;
	return result;
}

/* A block of malloc that begins here is a page of the pool: from now on, its pieces count. */
static void drop_page(const void *block, const void *frame)
{
	struct seep_live_block live;

	seep_guard = SEEP_GUARD_OWN;
	live = seep_account_leave(block, false);
	if (live.site)
		seep_account_deaths(&live, 1, frame);
	seep_guard = SEEP_GUARD_OUT;
}

static void arrive(struct seep_entry *entry, const void *block, uint64_t bytes, const void *frame)
{
	entry->is_called = true;
	if (bytes > SIZE_MOST || bytes < SIZE_LEAST) {
		entry->why = bytes < SIZE_LEAST ? "it allocates blocks of fewer than 16 bytes, "
						  "which do not count"
						: "the argument that was named is not a size";
		return;
	}
	if (!block)
		return;
	if (seep_live_may_hold(block))
		drop_page(block, frame);
	seep_hooks_arrive(block, bytes, frame);
}

INLINE word allocate(uint32_t number, const void *frame, PARAMETERS)
{
	struct seep_entry *entry = allocates[number];
	word block;

	if (is_outside(frame))
		return ((original *)seep_entry_original(entry))(ARGUMENTS);
	block = call(entry, frame, ARGUMENTS);
	arrive(entry, (const void *)block,
	       entry->argument ? pick(entry->argument, ARGUMENTS) : entry->bytes_each, frame);
	return block;
}

INLINE word release(uint32_t number, const void *frame, PARAMETERS)
{
	struct seep_entry *entry = frees[number];
	const void *block = (const void *)pick(entry->argument, ARGUMENTS);
	bool outside = is_outside(frame);

	if (block && seep_sample_may_hold(block))
		seep_hooks_leave(block, frame);
	entry->is_called = true;
	return outside ? ((original *)seep_entry_original(entry))(ARGUMENTS)
		       : call(entry, frame, ARGUMENTS);
}

#define WRAPPER(number)                                                            \
	static word allocate_##number(PARAMETERS)                                  \
	{                                                                          \
		PERSONALITY;                                                       \
		return allocate(number, HERE, ARGUMENTS);                          \
	}                                                                          \
	static word release_##number(PARAMETERS)                                   \
	{                                                                          \
		PERSONALITY;                                                       \
		return release(number, HERE, ARGUMENTS);                           \
	}

WRAPPER(0)
WRAPPER(1)
WRAPPER(2)
WRAPPER(3)
WRAPPER(4)
WRAPPER(5)
WRAPPER(6)
WRAPPER(7)

static original *const allocate_wrappers[POOLS_MOST] = {
	allocate_0, allocate_1, allocate_2, allocate_3,
	allocate_4, allocate_5, allocate_6, allocate_7,
};
static original *const release_wrappers[POOLS_MOST] = {
	release_0, release_1, release_2, release_3, release_4, release_5, release_6, release_7,
};

seep_hooks_wrapper *seep_hooks_pool_choose(struct seep_entry *entry)
{
	bool is_allocation = entry->role == SEEP_ENTRY_ALLOCATES;
	uint32_t *n = is_allocation ? &n_allocates : &n_frees;

	if (*n == POOLS_MOST)
		return NULL;
	(is_allocation ? allocates : frees)[*n] = entry;
	return (seep_hooks_wrapper *)(is_allocation ? allocate_wrappers
						    : release_wrappers)[(*n)++];
}
