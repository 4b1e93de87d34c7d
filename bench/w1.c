/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * w1: one thread, small blocks, random lifetimes, deep stacks.
 *
 *	w1 ALLOCATIONS
 *
 * 64K slots.  Each step frees what a random slot holds and puts a new block of 16
 * to 512 bytes there, and writes only its first word.  There is no other work: a
 * program cannot allocate more than this.  Sizes come in steps of 16, as one of the
 * peers takes gigabytes and dies where 1024 paths meet more of them.
 *
 * Below 1024 call paths of 10 to 20 frames (paths.h); a new outer path after every
 * 16 allocations in the mean, new innermost levels for every one.
 */
#include <stdint.h>
#include <stdlib.h>

#define SLOTS 65536

#ifndef BURST_MAX
#define BURST_MAX 31
#endif

struct worker {
	uint64_t random;
	uint64_t **slots;
};

static inline uint64_t draw(struct worker *w);

static inline void leaf(struct worker *w)
{
	uint64_t r = draw(w), **slot = &w->slots[r % SLOTS];

	free(*slot);
	*slot = malloc(16 + (r >> 20) % 32 * 16);
	if (!*slot)
		abort();
	**slot = r;
}

#include "paths.h"

int main(int argc, char **argv)
{
	static uint64_t *slots[SLOTS];
	struct worker w = { 88172645463325252u, slots };

	walk_paths(&w, argc > 1 ? strtol(argv[1], NULL, 10) : 1000000);
	return 0;
}
