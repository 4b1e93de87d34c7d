/* SPDX-License-Identifier: MIT */
/*
 * Threads that are cancelled: at a cancellation point, at any moment while they compute, and with
 * the request pending all the while they allocate and stamp, which must not end them.
 */
#include "truth.h"
#include "seep.h"

#include <pthread.h>
#include <stdlib.h>

#define THREADS 50

static volatile unsigned int sum;
static int went_through;

SITE static void *held(size_t bytes)
{
	void *block = malloc(bytes);

	KEEP_FRAME();
	return block;
}

SITE static void *kept(size_t bytes)
{
	void *block = calloc(1, bytes);

	KEEP_FRAME();
	return block;
}

static void *end_at_a_point(void *unused)
{
	void *block = held(100);

	(void)unused;
	pthread_cleanup_push(free, block);
	kept(10);
	for (;;) {
		free(malloc(50));
		pthread_testcancel();
	}
	pthread_cleanup_pop(1);
	return NULL;
}

static void *end_at_any_moment(void *unused)
{
	void *block = held(100);

	(void)unused;
	pthread_cleanup_push(free, block);
	kept(10);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		sum++;
	pthread_cleanup_pop(1);
	return NULL;
}

static void *go_through(void *unused)
{
	int i;

	(void)unused;
	pthread_cancel(pthread_self());
	kept(10);
	for (i = 0; i < 2000; i++) {
		seep_event_begin(i);
		seep_stamp("here");
		free(held(100 + (size_t)i));
		seep_event_end();
	}
	__atomic_add_fetch(&went_through, 1, __ATOMIC_RELAXED);
	pthread_testcancel();
	went_through = -THREADS;
	return NULL;
}

int main(void)
{
	void *(*ways[])(void *) = {end_at_a_point, end_at_any_moment, go_through};
	pthread_t threads[3];
	void *result;
	int n, i, bad = 0;

	for (n = 0; n < THREADS; n++) {
		for (i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, ways[i], NULL);
		for (i = 0; i < 3; i++)
			pthread_cancel(threads[i]);
		for (i = 0; i < 3; i++)
			bad += pthread_join(threads[i], &result) || result != PTHREAD_CANCELED;
	}
	truth_site("held", 0, 0);
	/* A thread may be cancelled before it has begun: only the last kind tells for sure. */
	printf("went through: %d\n", went_through);
	return bad || went_through != THREADS;
}
