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

#include "record/guard.h"

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
