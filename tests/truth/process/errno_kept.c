/* SPDX-License-Identifier: MIT */
/* malloc and free leave errno alone, also when threads wait for each other inside the tracker. */
#include "deep.h"
#include "truth.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static int changed;

static void *work(void *seed)
{
	unsigned int path = (unsigned int)(uintptr_t)seed;
	int i;

	for (i = 0; i < 20000; i++) {
		void *block;

		path = path * 1664525 + 1013904223;
		errno = 12345;
		block = deep(path >> 16, 12, 20);
		if (errno != 12345)
			__atomic_store_n(&changed, 1, __ATOMIC_RELAXED);
		errno = 12345;
		free(block);
		if (errno != 12345)
			__atomic_store_n(&changed, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[6];
	uintptr_t i;

	for (i = 0; i < 6; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i * 7919 + 1));
	for (i = 0; i < 6; i++)
		pthread_join(threads[i], NULL);
	return changed;
}
