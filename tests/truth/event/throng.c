/* SPDX-License-Identifier: MIT */
/*
 * Growth where there is much that is not worth it: 4096 sites whose blocks grow once, and
 * a queue of blocks of all sizes, of which every other one is followed by a larger one.  Behind
 * them an array that grows, of which it tells the truth as growers.c does.
 */
#include "seep.h"
#include "truth.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH 12
#define QUEUE 100
#define TURNS 100000
#define ARRAYS 10

static uint64_t dice = 88172645463325252u;

static uint64_t roll(void)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return dice >> 20;
}

/* A stack for each way through the branches, which no compiler must take for the same. */
SITE static void climb(unsigned way, int depth)
{
	if (!depth) {
		free(realloc(malloc(50), 60));
	} else if (way & 1) {
		climb(way >> 1, depth - 1);
		__asm__ volatile("# one" ::: "memory");
	} else {
		climb(way >> 1, depth - 1);
		__asm__ volatile("# the other" ::: "memory");
	}
	KEEP_FRAME();
}

SITE static void *enqueue(size_t bytes)
{
	char *block = malloc(bytes);

	block[0] = 1;
	KEEP_FRAME();
	return block;
}

static void pass_through_queue(void)
{
	void *queue[QUEUE] = { 0 };
	size_t i;

	for (i = 0; i < TURNS; i++) {
		void *block = enqueue(50 + roll() % 5000);

		free(queue[i % QUEUE]);
		queue[i % QUEUE] = block;
	}
	for (i = 0; i < QUEUE; i++)
		free(queue[i]);
}

SITE static char *fill(size_t last)
{
	char *data = NULL;
	size_t bytes;

	for (bytes = 16; bytes <= last; bytes *= 2) {
		char *larger = malloc(bytes);

		memset(larger, 1, bytes);
		free(data);
		data = larger;
	}
	KEEP_FRAME();
	return data;
}

int main(void)
{
	unsigned way;
	int i;

	seep_event_begin(0);
	for (way = 0; way < 1u << DEPTH; way++)
		climb(way, DEPTH);
	pass_through_queue();
	for (i = 0; i < ARRAYS; i++)
		free(fill(16384));
	seep_event_end();
	printf("truth moves fill chains %d growths %d moves %d replaced %d copied_bytes %d "
	       "first_bytes %d grown_bytes %d largest_bytes 16384 live_chains 0 live_bytes 0\n",
	       ARRAYS, ARRAYS * 10, ARRAYS * 10, ARRAYS * 10, ARRAYS * 16368, ARRAYS * 16,
	       ARRAYS * 16368);
	return 0;
}
