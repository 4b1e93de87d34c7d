/* SPDX-License-Identifier: MIT */
/*
 * One thread has the events, another one packs what it is given and loses one buffer of four.
 * Who is in which phase at that moment is a matter of chance.
 */
#include "mock.h"

#include <pthread.h>

#define JOBS 8
#define BUFFER_BYTES 3000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static long jobs_given, jobs_done;
static int over;

ZOO_SITE static void pack_buffer(long job)
{
	void *buffer = zoo_touch(malloc(BUFFER_BYTES), BUFFER_BYTES);

	mock_think(1);
	if (job % 4 != 3)
		free(buffer);
}

static void *pack(void *unused)
{
	long job;

	pthread_mutex_lock(&lock);
	while (jobs_done < jobs_given || !over) {
		if (jobs_done == jobs_given) {
			pthread_cond_wait(&news, &lock);
			continue;
		}
		job = jobs_done;
		pthread_mutex_unlock(&lock);
		pack_buffer(job);
		pthread_mutex_lock(&lock);
		jobs_done++;
		pthread_cond_broadcast(&news);
	}
	pthread_mutex_unlock(&lock);
	return unused;
}

/* The packer may be some jobs behind, not more. */
static void give_job(void)
{
	pthread_mutex_lock(&lock);
	while (jobs_given - jobs_done >= 2 * JOBS)
		pthread_cond_wait(&news, &lock);
	jobs_given++;
	pthread_cond_broadcast(&news);
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	long n = zoo_start(argc, argv, 300), i;
	pthread_t packer;
	int j;

	mock_start();
	if (pthread_create(&packer, NULL, pack, NULL))
		abort();
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("read");
		mock_scratch(20);
		for (j = 0; j < JOBS; j++)
			give_job();
		seep_stamp("check");
		mock_session();
		mock_think(6);
		seep_event_end();
	}
	pthread_mutex_lock(&lock);
	over = 1;
	pthread_cond_broadcast(&news);
	pthread_mutex_unlock(&lock);
	pthread_join(packer, NULL);
	zoo_tell(&(struct zoo_truth){
		.kinds = { "leak" }, .bytes_per_event = JOBS / 4. * BUFFER_BYTES,
		.site = "pack_buffer",
	});
	return 0;
}
