/* SPDX-License-Identifier: MIT */
/*
 * Forks while other threads are busy in malloc, new stacks at every turn, so that their locks
 * are held now and then.  Both sides go on; children 3 to 5 mark an event, so they have traces.
 */
#include "deep.h"
#include "truth.h"
#include "seep.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUSY 4
#define CHILDREN 40
#define BLOCKS 3000

static volatile int stop;

SITE static void *kept_by_parent(size_t bytes)
{
	void *block = malloc(bytes);

	KEEP_FRAME();
	return block;
}

SITE static void *kept_by_child(size_t bytes)
{
	void *block = calloc(1, bytes);

	KEEP_FRAME();
	return block;
}

static void *be_busy(void *seed)
{
	unsigned int path = (unsigned int)(uintptr_t)seed;

	while (!stop) {
		path = path * 1664525 + 1013904223;
		free(deep(path >> 12, 12, path % 90 + 1));
	}
	return NULL;
}

static void *keep_blocks(void *unused)
{
	int i;

	for (i = 0; i < BLOCKS; i++)
		kept_by_child(24);
	return unused;
}

static void work_as_child(int n)
{
	pthread_t thread;
	unsigned int path;

	if (n >= 3 && n <= 5)
		seep_event_begin(1);
	for (path = 0; path < 500; path++)
		free(deep(path * 7919, 12, path % 90 + 1));
	if (pthread_create(&thread, NULL, keep_blocks, NULL))
		_exit(1);
	keep_blocks(NULL);
	pthread_join(thread, NULL);
	_exit(0);
}

int main(void)
{
	pthread_t threads[BUSY];
	int status, bad = 0, n;
	uintptr_t i;
	pid_t pid;

	for (i = 0; i < BUSY; i++)
		pthread_create(&threads[i], NULL, be_busy, (void *)(i * 7919 + 1));
	for (n = 0; n < CHILDREN; n++) {
		kept_by_parent(70);
		pid = fork();
		if (!pid)
			work_as_child(n);
		bad += waitpid(pid, &status, 0) != pid || status;
	}
	stop = 1;
	for (i = 0; i < BUSY; i++)
		pthread_join(threads[i], NULL);
	truth_site("kept_by_parent", CHILDREN, CHILDREN * 70);
	truth_site("deep", 0, 0);
	printf("in a child: kept_by_child blocks %d bytes %d\n", 2 * BLOCKS, 2 * BLOCKS * 24);
	return bad;
}
