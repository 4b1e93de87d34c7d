/* SPDX-License-Identifier: MIT */
/*
 * Thousands of short threads.  Each leaves a block to its successor, which frees it, keeps one for
 * good, and frees another from a destructor of thread-specific data, after the tracker's own.
 */
#include "truth.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#define WAVES 100
#define THREADS 30

static pthread_key_t key;
static void *handed_on[THREADS];
static int rounds[WAVES * THREADS];

SITE static void *kept(size_t bytes)
{
	void *block = malloc(bytes);

	KEEP_FRAME();
	return block;
}

SITE static void *handed(size_t bytes)
{
	void *block = calloc(1, bytes);

	KEEP_FRAME();
	return block;
}

SITE static void *specific(size_t bytes)
{
	void *block = malloc(bytes);

	block = realloc(block, bytes + 1);
	KEEP_FRAME();
	return block;
}

/* Called again while it sets a value: the tracker's destructor comes in between. */
static void end_thread(void *number)
{
	int *round = number;

	free(specific(40));
	if (++*round < PTHREAD_DESTRUCTOR_ITERATIONS)
		pthread_setspecific(key, round);
}

static void *work(void *number)
{
	uintptr_t n = (uintptr_t)number;

	pthread_setspecific(key, &rounds[n]);
	kept(30);
	free(handed_on[n % THREADS]);
	handed_on[n % THREADS] = handed(50);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	pthread_attr_t attributes;
	uintptr_t wave, i;

	pthread_key_create(&key, end_thread);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN); /* as small as it may be */
	for (wave = 0; wave < WAVES; wave++) {
		for (i = 0; i < THREADS; i++)
			if (pthread_create(&threads[i], &attributes, work,
					   (void *)(wave * THREADS + i)))
				return 1;
		for (i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	truth_site("kept", WAVES * THREADS, WAVES * THREADS * 30);
	truth_site("handed", THREADS, THREADS * 50);
	truth_site("specific", 0, 0);
	return 0;
}
