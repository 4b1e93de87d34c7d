/* SPDX-License-Identifier: MIT */
/*
 * Events run on one thread and hand a job each to another, which keeps something of every
 * job.  The first does not wait, so it may be in any of its phases meanwhile.
 */
#include "work.h"

#include <pthread.h>
#include <semaphore.h>

#define JOB_BYTES 320

static sem_t jobs;

static ZOO_SITE void *index_document(void)
{
	return zoo_touch(malloc(JOB_BYTES), JOB_BYTES);
}

/* Makes a draft for each, which it frees, and an entry, which it does not. */
static void *index_documents(void *count)
{
	long n = *(const long *)count;

	while (n--) {
		sem_wait(&jobs);
		work_compute(80);
		work_image(20000);
		index_document();
		work_compute(80);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct zoo_truth truth = { .kinds = { "leak" }, .bytes_per_event = JOB_BYTES,
				   .site = "index_document" };
	long i, n = zoo_start(argc, argv, 200);
	pthread_t indexer;

	sem_init(&jobs, 0, 0);
	if (pthread_create(&indexer, NULL, index_documents, &n)) {
		perror("pthread_create");
		return 2;
	}
	for (i = 0; i < n; i++) {
		seep_event_begin(i);
		seep_stamp("read");
		work_read(i);
		sem_post(&jobs);
		seep_stamp("handle");
		work_handle(i);
		seep_stamp("write");
		work_write(i);
		seep_event_end();
	}
	pthread_join(indexer, NULL);
	zoo_tell(&truth);
	return 0;
}
