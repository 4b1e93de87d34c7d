/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events that overlap on the threads of a pool: pool THREADS EVENTS
 *
 * Each event allocates work space, reads, converts its hits and writes.  Converting loses 160 bytes
 * for each hit.  The threads meet while they convert and while they write, so that events really
 * overlap.  Prints the truth: the bytes lost per event.
 */
#include "seep.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HIT_BYTES 160
#define SPACE 200 /* blocks of work space */

static struct {
	pthread_mutex_t lock;
	int next, events;
	long hits;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *volatile lost;

static int take(int hits)
{
	int event;

	pthread_mutex_lock(&all.lock);
	event = all.next < all.events ? all.next++ : -1;
	all.hits += event < 0 ? 0 : hits;
	pthread_mutex_unlock(&all.lock);
	return event;
}

__attribute__((noinline)) static void convert(int hits)
{
	while (hits--)
		lost = memset(malloc(HIT_BYTES), 1, HIT_BYTES);
}

static void pause_for(unsigned int *dice)
{
	usleep(100 + (unsigned int)rand_r(dice) % 400);
}

static void process(int event, int hits, unsigned int *dice)
{
	void *space[SPACE];
	int i;

	seep_event_begin(event);
	for (i = 0; i < SPACE; i++)
		space[i] = memset(malloc(600), 2, 600);
	seep_stamp("read");
	pause_for(dice);
	seep_stamp("convert");
	pause_for(dice);
	convert(hits);
	pause_for(dice);
	seep_stamp("write");
	seep_count("hits", hits);
	pause_for(dice);
	for (i = 0; i < SPACE; i++)
		free(space[i]);
	seep_event_end();
}

static void *work(void *argument)
{
	unsigned int dice = (unsigned int)(size_t)argument;
	int event, hits;

	while ((event = take(hits = 10 + rand_r(&dice) % 100)) >= 0)
		process(event, hits, &dice);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 4, i;
	pthread_t ids[64];

	all.events = argc > 2 ? atoi(argv[2]) : 300;
	for (i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, work, (void *)(size_t)(i + 1));
	for (i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	printf("%.3f\n", (double)all.hits * HIT_BYTES / all.events);
	return 0;
}
