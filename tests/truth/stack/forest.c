/* SPDX-License-Identifier: MIT */
/*
 * More stacks than a tracker can tell apart: a binary tree of calls, with a trunk of its own under
 * each leaf, so that no two leaves share their inner frames.  Each leaf works a little on a block
 * that it allocates, and keeps one in eight.  Three functions allocate, each with its own truth.
 *
 * usage: forest [LEVELS [ROUNDS]]; 2^LEVELS stacks in each of ROUNDS events
 */
#include "truth.h"
#include "seep.h"

#include <stdlib.h>

#define TRUNK 24
#define WORK 24
#define MIX(path) ((path) * 0x9e3779b97f4a7c15u)

static long long kept[3], born;
static void **last;

/* Kept blocks form a list, so that the program itself has no table. */
static void book(void **block, unsigned long path, int which)
{
	int i;

	for (i = 0; i < WORK * 8; i++)
		((volatile unsigned char *)block)[i % 24] += (unsigned char)i;
	born++;
	if (MIX(path) >> 61) {
		free(block);
		return;
	}
	*block = last;
	last = block;
	kept[which]++;
}

SITE static void leaf_small(unsigned long path)
{
	book(malloc(24), path, 0);
	KEEP_FRAME();
}

SITE static void leaf_medium(unsigned long path)
{
	book(malloc(100), path, 1);
	KEEP_FRAME();
}

SITE static void leaf_large(unsigned long path)
{
	book(malloc(1000), path, 2);
	KEEP_FRAME();
}

SITE static void trunk(int levels, unsigned long way, unsigned long path)
{
	static void (*const leaves[])(unsigned long) = {leaf_small, leaf_medium, leaf_large};

	if (!levels)
		leaves[path % 3](path);
	else if (way & 1)
		trunk(levels - 1, way >> 1, path);
	KEEP_FRAME();
	if (levels && !(way & 1))
		trunk(levels - 1, way >> 1, path);
	KEEP_FRAME();
}

SITE static void grow(int levels, unsigned long path)
{
	if (!levels) {
		trunk(TRUNK, MIX(path) >> 8, path);
	} else {
		grow(levels - 1, 2 * path);
		KEEP_FRAME();
		grow(levels - 1, 2 * path + 1);
	}
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	int levels = argc > 1 ? atoi(argv[1]) : 20, rounds = argc > 2 ? atoi(argv[2]) : 1, i;

	for (i = 0; i < rounds; i++) {
		seep_event_begin(i);
		grow(levels, 1);
		seep_event_end();
	}
	truth_site("leaf_small", kept[0], 24 * kept[0]);
	truth_site("leaf_medium", kept[1], 100 * kept[1]);
	truth_site("leaf_large", kept[2], 1000 * kept[2]);
	printf("truth born %lld died %lld\n", born, born - kept[0] - kept[1] - kept[2]);
	return 0;
}
