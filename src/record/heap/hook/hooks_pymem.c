/* SPDX-License-Identifier: MIT */
/*
 * The functions that CPython calls instead of its allocators (entry_pymem.c), where
 * hooks_fast.c cannot serve it.
 *
 * The real allocator is called with the guard set: what it takes from malloc and mmap itself is
 * not the program's.  So its arenas are heap, and no mappings, and a large block that it passes on
 * to malloc counts once.
 *
 * This file is built with frame pointers: the walk starts at the hook's frame.
 */
#include "record/heap/hook/hooks.h"

#include "record/heap/book/account.h"
#include "record/heap/real/real_pymem.h"
#include "record/heap/thread.h"

#include "record/guard.h"

#define CREATED 0 /* PyRefTracer_CREATE */

void *seep_hooks_pymem_malloc(void *domain, size_t bytes)
{
	const struct seep_real_pymem *python = domain;
	int guard = seep_guard;
	void *block;

	seep_guard = SEEP_GUARD_REAL;
	block = python->malloc(python->context, bytes);
	seep_guard = guard;
	seep_hooks_arrive(block, bytes, HERE);
	return block;
}

void *seep_hooks_pymem_calloc(void *domain, size_t n, size_t size)
{
	const struct seep_real_pymem *python = domain;
	int guard = seep_guard;
	void *block;

	seep_guard = SEEP_GUARD_REAL;
	block = python->calloc(python->context, n, size);
	seep_guard = guard;
	seep_hooks_arrive(block, n * size, HERE);
	return block;
}

void seep_hooks_pymem_free(void *domain, void *block)
{
	const struct seep_real_pymem *python = domain;
	int guard = seep_guard;

	if (block && seep_sample_may_hold(block))
		seep_hooks_leave(block, HERE);
	seep_guard = SEEP_GUARD_REAL;
	python->free(python->context, block);
	seep_guard = guard;
}

static bool is_fresh(const void *block)
{
	const struct seep_thread *thread = seep_thread_self;

	return thread && thread->last_block == block;
}

/*
 * An object was made.  If its block was not allocated for it just now, it comes from a free list:
 * it is the block of an object that has died, and begins a new life here.
 */
int seep_hooks_pymem_made(void *object, int event, void *unused)
{
	struct seep_live_block live;
	const void *block;

	(void)unused;
	if (event != CREATED || seep_sample_way != SEEP_SAMPLE_WAY_FAST ||
	    seep_guard != SEEP_GUARD_OUT)
		return 0;
	block = seep_real_pymem_reusable(object);
	if (!block || is_fresh(block))
		return 0;
	seep_guard = SEEP_GUARD_OWN;
	live = seep_account_leave(block, false);
	if (live.site)
		seep_account_deaths(&live, 1, HERE);
	seep_guard = SEEP_GUARD_OUT;
	if (live.site)
		seep_hooks_arrive(block, live.bytes, HERE);
	return 0;
}
