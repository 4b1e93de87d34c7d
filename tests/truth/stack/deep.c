/* SPDX-License-Identifier: MIT */
/* Stacks of 1200, 2500 and 3900 calls, each allocated from ten times over, by turns. */
#include "truth.h"

#include <stdlib.h>

static void *blocks[30];
static int n_blocks;

SITE static int deep_leaf(int n)
{
	blocks[n_blocks++] = malloc((size_t)n);
	KEEP_FRAME();
	return n;
}

SITE static int down(int depth)
{
	int n;

	n = depth ? down(depth - 1) : deep_leaf(25);
	KEEP_FRAME();
	return n;
}

int main(void)
{
	volatile int depths[] = {1200, 3900, 2500};
	volatile int i; /* or each turn of the loop may have a call of its own */

	for (i = 0; i < 30; i++)
		down(depths[i % 3]);
	truth_site("deep_leaf", 30, 30 * 25);
	return blocks[0] == NULL;
}
