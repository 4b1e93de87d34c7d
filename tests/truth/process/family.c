/* SPDX-License-Identifier: MIT */
/* Every function of the malloc family, with its odd corners. */
#include "truth.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static void *kept[1000];
static int n_kept;

static void *keep(void *block)
{
	if (block)
		kept[n_kept++] = block;
	return block;
}

SITE static void by_malloc(void)
{
	int i;

	for (i = 0; i < 10; i++) {
		keep(malloc(100));
		free(malloc(33));
	}
	keep(malloc(0));
	KEEP_FRAME();
}

SITE static void by_calloc(void)
{
	volatile size_t huge = SIZE_MAX / 2;

	keep(calloc(7, 9));
	if (calloc(huge, 16))
		abort();
	KEEP_FRAME();
}

SITE static void by_realloc(void)
{
	volatile size_t huge = SIZE_MAX / 2;
	char *block = malloc(10);
	int i;

	for (i = 0; i < 12; i++)
		block = realloc(block, (size_t)20 << i);
	if (realloc(block, huge))
		abort();
	block = realloc(block, 5000);
	keep(block);
	keep(realloc(NULL, 77));
	free(realloc(malloc(10), 100));
	block = malloc(64);
	if (realloc(block, 0)) /* frees it */
		abort();
	KEEP_FRAME();
}

SITE static void by_reallocarray(void)
{
	volatile size_t huge = SIZE_MAX / 2;
	void *block = reallocarray(NULL, 3, 11);

	if (reallocarray(block, huge, 16) || errno != ENOMEM)
		abort();
	keep(reallocarray(block, 5, 11));
	KEEP_FRAME();
}

SITE static void by_aligned(void)
{
	void *block = NULL;

	if (posix_memalign(&block, 64, 1000))
		abort();
	keep(block);
	if (posix_memalign(&block, 3, 1000) != EINVAL)
		abort();
	keep(aligned_alloc(4096, 8192));
	keep(memalign(256, 300));
	keep(valloc(10));
	keep(pvalloc(10));
	free(aligned_alloc(32, 64));
	KEEP_FRAME();
}

SITE static void by_large(void)
{
	keep(malloc(1 << 20));
	keep(malloc(262143));
	keep(malloc(262142));
	free(malloc((size_t)64 << 20));
	keep(realloc(malloc((size_t)300 << 10), (size_t)600 << 10));
	KEEP_FRAME();
}

SITE static void by_strdup(void)
{
	keep(strdup("thirteen char"));
	KEEP_FRAME();
}

SITE static void many_small(void)
{
	enum { N = 200000 };
	static void *blocks[N];
	int i;

	for (i = 0; i < N; i++)
		blocks[i] = malloc((size_t)(i % 64));
	for (i = 0; i < N; i++)
		if (i % 10)
			free(blocks[i]);
	KEEP_FRAME();
}

static long long sum_small(void)
{
	long long sum = 0;
	int i;

	for (i = 0; i < 200000; i += 10)
		sum += i % 64;
	return sum;
}

int main(void)
{
	by_malloc();
	by_calloc();
	by_realloc();
	by_reallocarray();
	by_aligned();
	by_large();
	by_strdup();
	many_small();
	truth_site("by_malloc", 11, 1000);
	truth_site("by_calloc", 1, 63);
	truth_site("by_realloc", 2, 5077);
	truth_site("by_reallocarray", 1, 55);
	truth_site("by_aligned", 5, 1000 + 8192 + 300 + 10 + 10);
	truth_site("by_large", 4, (1 << 20) + 262143 + 262142 + (600 << 10));
	truth_site("by_strdup", 1, 14);
	truth_site("many_small", 20000, sum_small());
	return n_kept != 25;
}
