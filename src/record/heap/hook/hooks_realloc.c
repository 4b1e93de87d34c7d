/* SPDX-License-Identifier: MIT */
/*
 * realloc: the old block leaves the books before the real call, and comes back with its new size
 * and place after it.  It keeps its site and the event of its birth.
 *
 * The same for malloc and for Python's allocators; python: whose block it is, NULL for malloc.
 *
 * This file is built with frame pointers: the walk starts at the hook's frame.
 */
#include "record/heap/hook/hooks.h"

#include "record/heap/book/account.h"
#include "record/heap/real/real_pymem.h"

#include "record/guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

HOOK void *reallocarray(void *block, size_t n, size_t size);

#define OWN_PAGES ((size_t)2)        /* glibc's IS_MMAPPED */

/* A block of the pool moves to the real heap. */
static void *move_from_pool(void *block, size_t bytes)
{
	size_t old = seep_real_pool_size(block);
	void *moved = seep_real_ready() ? seep_real.malloc(bytes) : NULL;

	if (moved)
		memcpy(moved, block, old < bytes ? old : bytes);
	return moved;
}

static void *call(const struct seep_real_pymem *python, void *block, size_t bytes)
{
	if (python) {
		seep_guard = SEEP_GUARD_REAL;
		return python->realloc(python->context, block, bytes);
	}
	seep_guard = seep_real.guard;
	return seep_real.realloc(block, bytes || !block ? at_least(bytes) : 0);
}

/* What was asked for is not there, and the old block still is. */
static bool has_failed(const struct seep_real_pymem *python, const void *moved, size_t bytes)
{
	return !moved && (bytes || python);
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

static void *realloc_tracked(const struct seep_real_pymem *python, void *block, size_t bytes,
			     const void *frame)
{
	enum seep_chains_way way = SEEP_CHAINS_COPIED;
	struct seep_live_block live;
	void *moved;

	seep_guard = SEEP_GUARD_OWN;
	live = seep_account_leave(block, false);
	if (has_own_pages(block, &live))
		way = SEEP_CHAINS_REMAPPED;
	moved = call(python, block, bytes);
	if (!live.site) {
		seep_hooks_book(moved, bytes, frame);
	} else {
		seep_guard = SEEP_GUARD_OWN;
		seep_hooks_check_tick();
		if (moved)
			seep_account_return(moved, bytes, &live,
					    moved == block ? SEEP_CHAINS_IN_PLACE : way);
		else if (has_failed(python, moved, bytes))
			seep_account_stay(block, &live, false);
		else
			seep_account_deaths(&live, 1, frame);
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
static void *realloc_sampled(const struct seep_real_pymem *python, void *block, size_t bytes,
			     bool due, const void *frame)
{
	struct seep_live_block live = {0};
	struct seep_chosen chosen;
	bool was_chosen, stays;
	void *moved;

	seep_guard = SEEP_GUARD_OWN;
	seep_hooks_check_tick();
	if (seep_sample_mode == SEEP_SAMPLE_CAREFUL)
		due = seep_sample_count(bytes) && seep_sample_is_due(bytes);
	was_chosen = block && seep_sample_leave(block, &chosen, false);
	if (!was_chosen && seep_live_may_hold(block))
		live = seep_account_leave(block, false);
	moved = call(python, block, bytes);
	seep_guard = SEEP_GUARD_OWN;
	stays = has_failed(python, moved, bytes);
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
	bool was_chosen = seep_hooks_leave_chosen_inside(block, &chosen), stays;
	void *moved;

	if (!was_chosen)
		live = seep_hooks_leave_inside(block);
	moved = seep_real.realloc(block, bytes);
	stays = !moved && bytes;
	if (was_chosen)
		stays ? seep_sample_stay(&chosen, true) : seep_sample_end(&chosen, NULL);
	else if (live.site)
		stays ? seep_account_stay(block, &live, true) : seep_account_stray_death(&live);
	return moved;
}

/* Inlined, so that HERE is the frame of the hook. */
static inline __attribute__((always_inline)) void *track(const struct seep_real_pymem *python,
							 void *block, size_t bytes, bool due)
{
	void *moved;

	if (UNLIKELY(seep_sample_mode != SEEP_SAMPLE_OFF))
		return realloc_sampled(python, block, bytes, due, HERE);
	if (block)
		return realloc_tracked(python, block, bytes, HERE);
	moved = call(python, NULL, bytes);
	seep_hooks_book(moved, bytes, HERE);
	seep_guard = SEEP_GUARD_OUT;
	return moved;
}

static inline __attribute__((always_inline)) void *reallocate(void *block, size_t bytes, bool due)
{
	if (UNLIKELY(seep_real_pool_holds(block)))
		return move_from_pool(block, bytes);
	if (UNLIKELY(!seep_real_ready()))
		return seep_real_pool_alloc(bytes, 0);
	if (seep_hooks_is_outside())
		return realloc_inside(block, bytes);
	return track(NULL, block, bytes, due);
}

void *seep_hooks_realloc(void *block, size_t bytes, bool due)
{
	return reallocate(block, bytes, due);
}

/* Python calls its allocators from no signal handler: who is inside here is an allocator. */
void *seep_hooks_pymem_realloc(void *domain, void *block, size_t bytes)
{
	const struct seep_real_pymem *python = domain;

	if (seep_hooks_is_outside())
		return python->realloc(python->context, block, bytes);
	return track(python, block, bytes, false);
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
