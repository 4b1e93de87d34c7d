/* SPDX-License-Identifier: MIT */
/*
 * An address space that is all but full, while threads that never allocated before
 * free main's blocks and allocate some of their own.  Then there is room again.
 */
#include "truth.h"
#include "seep.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define THREADS 3
#define BLOCKS 1000
#define FREED 200 /* by each thread */
#define SPARE_BYTES ((rlim_t)256 << 10) /* for the C library, too few for the tracker */

static void *blocks[BLOCKS], *others[THREADS][FREED];
static pthread_barrier_t full;

SITE static void *made_by_main(size_t bytes)
{
	void *block = malloc(bytes);

	KEEP_FRAME();
	return block;
}

static void *work(void *number)
{
	uintptr_t n = (uintptr_t)number;
	int i;

	pthread_barrier_wait(&full);
	for (i = 0; i < FREED; i++) {
		free(blocks[n * FREED + (uintptr_t)i]);
		others[n][i] = malloc(100);
		if (!others[n][i])
			abort();
	}
	return NULL;
}

static rlim_t used_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!file || fscanf(file, "%ld", &pages) != 1)
		abort();
	fclose(file);
	return (rlim_t)(pages * sysconf(_SC_PAGESIZE));
}

int main(void)
{
	pthread_t threads[THREADS];
	struct rlimit limit, before;
	uintptr_t i;

	seep_event_begin(1);
	pthread_barrier_init(&full, NULL, THREADS + 1);
	for (i = 0; i < BLOCKS; i++)
		blocks[i] = made_by_main(100);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	getrlimit(RLIMIT_AS, &before);
	limit = before;
	limit.rlim_cur = used_bytes() + SPARE_BYTES;
	setrlimit(RLIMIT_AS, &limit);
	pthread_barrier_wait(&full);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	setrlimit(RLIMIT_AS, &before);
	truth_site("made_by_main", BLOCKS - THREADS * FREED, (BLOCKS - THREADS * FREED) * 100);
	printf("made by threads: %d\n", THREADS * FREED);
	fflush(stdout);
	seep_stamp("after");
	return 0;
}
