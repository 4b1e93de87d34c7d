/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call tree below which w1, w2, w4 and w5 allocate.
 *
 *	main
 *	  left_9 | right_9 - via_9        ten levels with two ways each: 1024 paths;
 *	    ...                           a step to the right takes two frames,
 *	      left_2 | right_2 - via_2    so 10 to 20 frames lie below main
 *	        ...    the burst: some allocations, then back to main
 *	          left_1 | right_1 - via_1
 *	            left_0 | right_0 - via_0
 *	              malloc, free, realloc
 *
 * main draws the outer path (levels 9 to 2) anew for each burst; within a burst
 * the innermost two levels are drawn for each allocation.  So a function that
 * has been reached allocates several blocks, here and there below itself, before
 * the program goes elsewhere, as parsers, loops and constructors do.  A burst has
 * 1 to BURST_MAX allocations, all equally likely.
 *
 * Who includes this defines first
 *
 *	BURST_MAX
 *	struct worker    one per thread, with a member uint64_t random, not 0
 *	static inline void leaf(struct worker *)    one allocation
 */
#ifndef BENCH_PATHS_H
#define BENCH_PATHS_H

#include <stdint.h>

/* A frame of its own, never merged with a function of equal code. */
#if defined(__clang__)
#define FRAME __attribute__((noinline)) static
#else
#define FRAME __attribute__((noipa)) static
#endif

/* The call before it is no tail call. */
#define STAY() __asm__ volatile("" ::: "memory")

#define OUTER_PATHS 256
#define INNER_PATHS 4

static inline uint64_t draw(struct worker *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random;
}

/* The path has a bit per level; above it stands the length of the burst. */
#define PATH_BITS 10

#define LEVEL(n, below)                                           \
	FRAME void left_##n(struct worker *w, uint64_t path)      \
	{                                                         \
		below(w, path);                                   \
		STAY();                                           \
	}                                                         \
	FRAME void via_##n(struct worker *w, uint64_t path)       \
	{                                                         \
		below(w, path);                                   \
		STAY();                                           \
	}                                                         \
	FRAME void right_##n(struct worker *w, uint64_t path)     \
	{                                                         \
		volatile uint64_t local[2 + (n) % 3];             \
                                                                  \
		local[0] = path;                                  \
		via_##n(w, local[0]);                             \
		STAY();                                           \
	}                                                         \
	static inline void go_##n(struct worker *w, uint64_t path) \
	{                                                         \
		if (path >> (n) & 1)                              \
			right_##n(w, path);                       \
		else                                              \
			left_##n(w, path);                        \
	}

static inline void arrive(struct worker *w, uint64_t path)
{
	(void)path;
	leaf(w);
}

LEVEL(0, arrive)
LEVEL(1, go_0)

static inline void burst(struct worker *w, uint64_t path)
{
	uint64_t n = path >> PATH_BITS;

	while (n--)
		go_1(w, draw(w) >> 40 & (INNER_PATHS - 1));
}

LEVEL(2, burst)
LEVEL(3, go_2)
LEVEL(4, go_3)
LEVEL(5, go_4)
LEVEL(6, go_5)
LEVEL(7, go_6)
LEVEL(8, go_7)
LEVEL(9, go_8)

/* So many allocations, in bursts. */
static inline void walk_paths(struct worker *w, long allocations)
{
	while (allocations > 0) {
		uint64_t r = draw(w), n = 1 + (r >> 40) % BURST_MAX;

		if (n > (uint64_t)allocations)
			n = (uint64_t)allocations;
		allocations -= (long)n;
		go_9(w, n << PATH_BITS | (r >> 20) % OUTER_PATHS << 2);
	}
}

#endif
