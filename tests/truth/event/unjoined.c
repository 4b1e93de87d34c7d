/* SPDX-License-Identifier: MIT */
/* Sixteen threads that allocate, exchange and free blocks, and still do when the program ends. */
#include "seep.h"
#include "truth.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 16
#define SLOTS 256
#define EVENTS 40

static _Atomic(void *) slots[SLOTS];
static _Atomic unsigned long turns;

static void *work(void *seed)
{
	unsigned long i = (unsigned long)seed;

	for (;;) {
		i = i * 6364136223846793005u + 1442695040888963407u;
		free(atomic_exchange(&slots[i >> 40 & (SLOTS - 1)], malloc((i >> 20 & 1023) + 1)));
		atomic_fetch_add(&turns, 1);
	}
	return NULL;
}

int main(void)
{
	unsigned long i, seen = 0;
	pthread_t thread;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, work, (void *)i))
			return 1;
	for (i = 0; i < EVENTS; i++) {
		seep_event_begin((int64_t)i);
		while (atomic_load(&turns) - seen < 1000)
			usleep(100);
		seen = atomic_load(&turns);
		seep_event_end();
	}
	return 0;
}
