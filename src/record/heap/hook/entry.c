/* SPDX-License-Identifier: MIT */
/*
 * The most frequent functions, as the program calls them.
 *
 * Sampling ignores almost every block; such a call should cost a few
 * instructions and no frame.  So each function ends in a jump: to the real
 * allocator, or to a hook, whose frame then looks as if the program had called it.
 *
 *	seep_sample_way   PASS   the real allocator, almost always; else hooks.c
 *	                  FAST   hooks_fast.c, which goes on to hooks.c where it must
 *	                  LONG   hooks.c
 */
#include "record/heap/hook/hooks.h"
#include "record/heap/real/real.h"

#define HOOK __attribute__((visibility("default"), used))
#define SELDOM __attribute__((noinline))

HOOK void *malloc(size_t bytes);
HOOK void *calloc(size_t n, size_t size);
HOOK void *realloc(void *block, size_t bytes);
HOOK void free(void *block);

static SELDOM void *malloc_seldom(size_t bytes)
{
	return seep_hooks_is_due(bytes) ? seep_hooks_malloc(bytes) : seep_real.malloc(bytes);
}

void *malloc(size_t bytes)
{
	if (__builtin_expect(seep_sample_way == SEEP_SAMPLE_WAY_FAST, 1))
		return seep_hooks_fast_malloc(bytes);
	if (seep_sample_way != SEEP_SAMPLE_WAY_PASS)
		return seep_hooks_malloc(bytes);
	return seep_sample_count(bytes) ? malloc_seldom(bytes) : seep_real.malloc(bytes);
}

static SELDOM void *calloc_seldom(size_t n, size_t size)
{
	return seep_hooks_is_due(n * size) ? seep_hooks_calloc(n, size) : seep_real.calloc(n, size);
}

/* If n * size overflows, the function called next refuses it. */
void *calloc(size_t n, size_t size)
{
	if (__builtin_expect(seep_sample_way == SEEP_SAMPLE_WAY_FAST, 1))
		return seep_hooks_fast_calloc(n, size);
	if (seep_sample_way != SEEP_SAMPLE_WAY_PASS)
		return seep_hooks_calloc(n, size);
	return seep_sample_count(n * size) ? calloc_seldom(n, size) : seep_real.calloc(n, size);
}

static SELDOM void *realloc_seldom(void *block, size_t bytes)
{
	bool due = seep_hooks_is_due(bytes);

	return due || seep_sample_may_hold(block) ? seep_hooks_realloc(block, bytes, due)
						  : seep_real.realloc(block, bytes);
}

void *realloc(void *block, size_t bytes)
{
	if (__builtin_expect(seep_sample_way == SEEP_SAMPLE_WAY_FAST, 1))
		return seep_hooks_fast_realloc(block, bytes);
	if (seep_sample_way != SEEP_SAMPLE_WAY_PASS)
		return seep_hooks_realloc(block, bytes, false);
	return seep_sample_count(bytes) || seep_sample_may_hold(block)
		? realloc_seldom(block, bytes) : seep_real.realloc(block, bytes);
}

void free(void *block)
{
	if (__builtin_expect(seep_sample_way == SEEP_SAMPLE_WAY_FAST, 1))
		seep_hooks_fast_free(block);
	else if (seep_sample_may_hold(block))
		seep_hooks_free(block);
	else
		seep_real.free(block);
}
