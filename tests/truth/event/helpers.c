/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads that begin no events: helpers MODE EVENTS
 *   team     main marks the events; eight helpers lose 5 blocks of 300 bytes each in phase work
 *   moved    main begins the events, and another thread ends them: it takes over each one by its
 *            slot, and loses 20 blocks of 500 bytes in phase work.  Two are always open.
 *   exit     a new thread for each event, which never ends it; it loses 10 blocks of 100 bytes
 *   mixed    one thread begins each event before it has ended the one before
 *   mixed-slots  the same, but it says in which it is; it loses 10 blocks of 400 bytes in the
 *            second half of each event
 * Prints the bytes lost per event.
 */
#include "seep.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEAM 8

static void *volatile lost;
static int events;

__attribute__((noinline)) static void lose(int n, size_t bytes)
{
	while (n--)
		lost = memset(malloc(bytes), 1, bytes);
}

/* --- team */

static pthread_barrier_t barrier;

static void *help(void *unused)
{
	int i;

	(void)unused;
	for (i = 0; i < events; i++) {
		pthread_barrier_wait(&barrier);
		lose(5, 300);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static double team(void)
{
	pthread_t ids[TEAM];
	int i;

	pthread_barrier_init(&barrier, NULL, TEAM + 1);
	for (i = 0; i < TEAM; i++)
		pthread_create(&ids[i], NULL, help, NULL);
	for (i = 0; i < events; i++) {
		seep_event_begin(i);
		seep_stamp("prepare");
		seep_stamp("work");
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
		seep_stamp("finish");
		seep_event_end();
	}
	for (i = 0; i < TEAM; i++)
		pthread_join(ids[i], NULL);
	return TEAM * 5 * 300;
}

/* --- moved */

static int slots[2];

static void *finish(void *unused)
{
	int i;

	(void)unused;
	for (i = 0; i < events; i++) {
		pthread_barrier_wait(&barrier); /* event i + 1 was begun */
		seep_event_switch(slots[i % 2]);
		seep_stamp("work");
		lose(20, 500);
		seep_count("steps", 1 + i % 3);
		seep_stamp("finish");
		seep_event_end();
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static double moved(void)
{
	pthread_t id;
	int i;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&id, NULL, finish, NULL);
	for (i = 0; i <= events; i++) {
		if (i < events) {
			slots[i % 2] = seep_event_begin(i);
			seep_stamp("prepare");
			seep_event_switch(0);
		}
		if (i == 0)
			continue;
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
	}
	pthread_join(id, NULL);
	return 20 * 500;
}

/* --- exit */

static void *serve(void *index)
{
	seep_event_begin((int64_t)(size_t)index);
	seep_stamp("work");
	lose(10, 100);
	return NULL;
}

static double leave_out_ends(void)
{
	pthread_t ids[2];
	int i, k;

	for (i = 0; i < events; i += 2) {
		for (k = 0; k < 2; k++)
			pthread_create(&ids[k], NULL, serve, (void *)(size_t)(i + k));
		for (k = 0; k < 2; k++)
			pthread_join(ids[k], NULL);
	}
	return 10 * 100;
}

/* --- mixed */

static void first_half(void)
{
	seep_stamp("first");
	free(memset(malloc(3000), 1, 3000));
}

static void second_half(void)
{
	seep_stamp("second");
	lose(10, 400);
	seep_event_end();
}

static double mixed(int with_slots)
{
	int before = 0, slot = 0, i;

	for (i = 0; i <= events; i++) {
		if (with_slots)
			seep_event_switch(0);
		if (i < events) {
			slot = seep_event_begin(i);
			first_half();
		}
		if (with_slots && i)
			seep_event_switch(before);
		if (i)
			second_half();
		before = slot;
	}
	return 10 * 400;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	double bytes;

	events = argc > 2 ? atoi(argv[2]) : 200;
	if (!strcmp(mode, "team"))
		bytes = team();
	else if (!strcmp(mode, "moved"))
		bytes = moved();
	else if (!strcmp(mode, "exit"))
		bytes = leave_out_ends();
	else
		bytes = mixed(!strcmp(mode, "mixed-slots"));
	printf("%.0f\n", bytes);
	return 0;
}
