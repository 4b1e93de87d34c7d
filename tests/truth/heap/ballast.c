/* SPDX-License-Identifier: MIT */
/*
 * ballast EVENTS OWN NOISE [MARKS]: keeps OWN bytes in each event, in touched blocks, while
 * NOISE bytes of mapped memory are in RSS or not, by chance, page by page.  With MARKS 0 it
 * marks no events and takes 5 ms for each.  Its output is its truth:
 *
 *	own OWN
 *	forked OK         a child of fork was left alone
 */
#include "seep.h"
#include "truth.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE ((size_t)4096)

static uint64_t state = 88172645463325252u;
static void **kept;

static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 9007199254740992.0;
}

SITE static void keep(long event, size_t bytes)
{
	if (!bytes)
		return;
	kept[event] = malloc(bytes);
	if (kept[event])
		memset(kept[event], 1, bytes);
	KEEP_FRAME();
}

/* A part of the map is in memory, up to all of it. */
static void wander(char *map, size_t bytes)
{
	size_t at, in = (size_t)(uniform() * (double)bytes);

	madvise(map, bytes, MADV_DONTNEED);
	for (at = 0; at < in; at += PAGE)
		map[at] = 1;
}

static void take_time(void)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		free(malloc(100));
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < 5000000);
}

/* A child has events of its own; nothing may be added to what it holds. */
static int fork_a_child(void)
{
	int status, i;
	pid_t pid = fork();

	if (!pid) {
		for (i = 0; i < 100; i++)
			seep_event_begin(i);
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

int main(int argc, char **argv)
{
	long events = argc > 1 ? atol(argv[1]) : 100, i;
	size_t own = argc > 2 ? (size_t)atol(argv[2]) : 0;
	size_t noise = argc > 3 ? (size_t)atol(argv[3]) : 0;
	int marks = argc > 4 ? atoi(argv[4]) : 1;
	char *map = mmap(NULL, noise + PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	kept = calloc((size_t)events, sizeof(*kept));
	if (!kept || map == MAP_FAILED)
		return 1;
	for (i = 0; i < events; i++) {
		if (marks)
			seep_event_begin(i);
		else
			take_time();
		keep(i, own);
		wander(map, noise);
		if (marks)
			seep_event_end();
	}
	printf("own %zu\n", own);
	if (fork_a_child())
		puts("forked OK");
	return 0;
}
