/* SPDX-License-Identifier: MIT */
/*
 * Python's allocators, as the interpreter calls them.  As in entry.c, each function ends in a
 * jump to a hook, whose frame then looks as if the interpreter had called it.
 */
#include "record/heap/hook/hooks.h"
#include "record/heap/hook/pymem.h"
#include "record/heap/real/real_pymem.h"

#include "record/guard.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)

static void *allocate(void *domain, size_t bytes)
{
	if (LIKELY(seep_sample_way == SEEP_SAMPLE_WAY_FAST))
		return seep_hooks_fast_pymem_malloc(domain, bytes);
	return seep_hooks_pymem_malloc(domain, bytes);
}

static void *allocate_zeroed(void *domain, size_t n, size_t size)
{
	if (LIKELY(seep_sample_way == SEEP_SAMPLE_WAY_FAST))
		return seep_hooks_fast_pymem_calloc(domain, n, size);
	return seep_hooks_pymem_calloc(domain, n, size);
}

static void *reallocate(void *domain, void *block, size_t bytes)
{
	if (LIKELY(seep_sample_way == SEEP_SAMPLE_WAY_FAST))
		return seep_hooks_fast_pymem_realloc(domain, block, bytes);
	return seep_hooks_pymem_realloc(domain, block, bytes);
}

static void release(void *domain, void *block)
{
	if (LIKELY(seep_sample_way == SEEP_SAMPLE_WAY_FAST))
		seep_hooks_fast_pymem_free(domain, block);
	else
		seep_hooks_pymem_free(domain, block);
}

/*
 * pymalloc maps an arena while the guard is set, so it is not counted as a mapping.  From 3.11 on,
 * the interpreter also takes memory for frames here, and not by way of pymalloc.  That is not heap,
 * and is counted as any mapping.
 */
static bool is_pymalloc(void)
{
	return seep_guard == SEEP_GUARD_REAL;
}

static void *add_arena(void *unused, size_t bytes)
{
	void *arena = seep_real_arenas.alloc(seep_real_arenas.context, bytes);

	(void)unused;
	if (arena && is_pymalloc())
		__atomic_fetch_add(&seep_real_arena_bytes, (int64_t)bytes, __ATOMIC_RELAXED);
	return arena;
}

static void drop_arena(void *unused, void *arena, size_t bytes)
{
	(void)unused;
	if (is_pymalloc())
		__atomic_fetch_sub(&seep_real_arena_bytes, (int64_t)bytes,
				   __ATOMIC_RELAXED);
	seep_real_arenas.free(seep_real_arenas.context, arena, bytes);
}

void seep_pymem_put_in_front(void)
{
	const struct seep_real_arenas arenas = {NULL, add_arena, drop_arena};
	struct seep_real_pymem domains[SEEP_PYMEM_DOMAINS];
	int i;

	for (i = 1; i < SEEP_PYMEM_DOMAINS; i++)
		domains[i] = (struct seep_real_pymem){&seep_real_pymem[i], allocate,
						      allocate_zeroed, reallocate, release};
	seep_real_pymem_replace(domains, &arenas);
	seep_real_pymem_trace(seep_hooks_pymem_made);
}
