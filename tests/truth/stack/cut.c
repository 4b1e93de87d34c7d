/* SPDX-License-Identifier: MIT */
/*
 * A stack of more frames than the tracker keeps, allocated from ten times over.  Every other time,
 * an allocation one frame further out comes before: it must not make the next stack longer.
 */
#include "truth.h"

#include <stdlib.h>

#define DEPTH 20000

static void *blocks[30];
static int n_blocks;

SITE static int leaf(int n)
{
	blocks[n_blocks++] = malloc((size_t)n);
	KEEP_FRAME();
	return n;
}

SITE static int outer_leaf(int n)
{
	blocks[n_blocks++] = calloc(1, (size_t)n); /* else a compiler may merge the two */
	KEEP_FRAME();
	return n;
}

SITE static int down(int depth, int twice)
{
	int n;

	if (depth == 1 && twice)
		outer_leaf(40);
	n = depth ? down(depth - 1, twice) : leaf(25);
	KEEP_FRAME();
	return n;
}

int main(void)
{
	volatile int i; /* or each turn of the loop may have a call of its own */

	for (i = 0; i < 10; i++) {
		blocks[n_blocks++] = malloc(10); /* from here, nothing of the last stack is kept */
		down(DEPTH, i % 2);
	}
	truth_site("leaf", 10, 10 * 25);
	truth_site("outer_leaf", 5, 5 * 40);
	return blocks[0] == NULL;
}
