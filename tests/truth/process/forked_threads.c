/* SPDX-License-Identifier: MIT */
/* A child of fork starts threads of its own, and marks an event so that it has a trace. */
#include "truth.h"
#include "seep.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define BLOCKS 100000

SITE static void *kept_by_child(size_t bytes)
{
	void *block = malloc(bytes);

	KEEP_FRAME();
	return block;
}

static void *work(void *unused)
{
	int i;

	for (i = 0; i < BLOCKS; i++) {
		kept_by_child(24);
		free(malloc(100));
	}
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	int status = 0, i;
	pid_t pid;

	free(malloc(3));
	pid = fork();
	if (pid)
		return waitpid(pid, &status, 0) != pid || status;
	seep_event_begin(1);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	work(NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	truth_site("kept_by_child", (THREADS + 1) * BLOCKS, (THREADS + 1) * BLOCKS * 24LL);
	return 0;
}
