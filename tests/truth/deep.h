/* SPDX-License-Identifier: MIT */
/* A block below one of 2^depth different stacks, so that the tracker's tables grow. */
#ifndef SEEP_TESTS_TRUTH_DEEP_H
#define SEEP_TESTS_TRUTH_DEEP_H

#include "truth.h"

#include <stdlib.h>

SITE static void *other(unsigned int path, int depth, size_t bytes);

SITE static void *deep(unsigned int path, int depth, size_t bytes)
{
	void *block;

	if (!depth)
		block = malloc(bytes);
	else if (path & 1)
		block = deep(path >> 1, depth - 1, bytes);
	else
		block = other(path >> 1, depth - 1, bytes);
	KEEP_FRAME();
	return block;
}

SITE static void *other(unsigned int path, int depth, size_t bytes)
{
	void *block = deep(path, depth, bytes);

	KEEP_FRAME();
	return block;
}

#endif
