/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events that free all they allocate, but differ in how much that is: slack EVENTS
 * The allocator is told to keep what it has, so RSS rises with the largest event so far.
 */
#include <seep.h>

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 65536
#define BLOCKS_MAX 420

static char *blocks[BLOCKS_MAX];
static const int counts[] = { 20, 20, 100, 200, 300, 60, 400, 420, 20, 20 };

int main(int argc, char **argv)
{
	int events = argc > 1 ? atoi(argv[1]) : 10;

	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	for (int e = 0; e < events; e++) {
		int n = counts[e % 10];

		seep_event_begin(e);
		for (int i = 0; i < n; i++) {
			blocks[i] = malloc(BLOCK);
			memset(blocks[i], 1, BLOCK);
		}
		seep_stamp("full");
		for (int i = 0; i < n; i++)
			free(blocks[i]);
		seep_event_end();
	}
	return 0;
}
