/* SPDX-License-Identifier: MIT */
/*
 * Every event starts a thread that ends and that nobody joins.  The C library gives back
 * most of what it used of its stack, but some pages stay.
 */
#include "work.h"

#include <pthread.h>
#include <semaphore.h>

#define USED_BYTES (160 << 10)

static sem_t done;

static void *look_up(void *argument)
{
	char answer[USED_BYTES];

	zoo_touch(answer, sizeof(answer));
	sem_post(&done);
	return argument;
}

static ZOO_SITE void start_look_up(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, look_up, NULL)) {
		perror("pthread_create");
		exit(2);
	}
	sem_wait(&done);
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "non-heap" }, .bytes_per_event = NAN,
				   .phase = "resolve", .site = "start_look_up" };
	long i, n = zoo_start(argc, argv, 300);

	sem_init(&done, 0, 0);
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("read");
		work_read(i);
		seep_stamp("resolve");
		start_look_up();
		work_handle(i);
		seep_stamp("write");
		work_write(i);
		seep_event_end();
	}
	zoo_tell(&truth);
	return 0;
}
