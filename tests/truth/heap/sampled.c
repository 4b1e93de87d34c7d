/* SPDX-License-Identifier: MIT */
/*
 * Keeps some of what it allocates, in every event, in ways that a sampler could get
 * wrong: small and large blocks, blocks that grow and shrink by realloc, blocks from a
 * second thread, and blocks that come and go beside them, of other sites.
 */
#include "truth.h"
#include "seep.h"

#include <pthread.h>
#include <stdlib.h>

#define EVENTS 200
#define SMALL_BLOCKS 700
#define GROWN_BLOCKS 20
#define PASSED 64

static void *kept[EVENTS * (SMALL_BLOCKS + 2 * GROWN_BLOCKS + 2)];
static size_t n_kept;
static long long small_bytes, large_bytes, grown_bytes, shrunk_bytes, thread_bytes;
static void *passed[PASSED];

SITE static void *keep_small(size_t bytes)
{
	void *block = malloc(bytes);

	small_bytes += (long long)bytes;
	KEEP_FRAME();
	return block;
}

SITE static void *keep_large(size_t bytes)
{
	void *block = calloc(1, bytes);

	large_bytes += (long long)bytes;
	KEEP_FRAME();
	return block;
}

SITE static void *keep_grown(void)
{
	void *block = malloc(16);
	size_t bytes;

	for (bytes = 32; bytes <= 4096; bytes *= 2)
		block = realloc(block, bytes);
	grown_bytes += 4096;
	KEEP_FRAME();
	return block;
}

SITE static void *keep_shrunk(void)
{
	void *block = realloc(NULL, 100000);

	block = realloc(block, 3000);
	shrunk_bytes += 3000;
	KEEP_FRAME();
	return block;
}

SITE static void *keep_of_thread(size_t bytes)
{
	void *block = malloc(bytes);

	thread_bytes += (long long)bytes;
	KEEP_FRAME();
	return block;
}

SITE static void *keep_nothing(size_t bytes)
{
	void *block = NULL;

	if (posix_memalign(&block, 64, bytes))
		return NULL;
	KEEP_FRAME();
	return block;
}

/* Its blocks are freed by the main thread, but for one. */
static void *work_aside(void *event)
{
	size_t i;

	for (i = 0; i < PASSED; i++)
		passed[i] = keep_nothing(100 + i * 16);
	return keep_of_thread(20000 + (size_t)event % 7 * 1000);
}

static void run_event(size_t event)
{
	pthread_t thread;
	size_t i;

	for (i = 0; i < SMALL_BLOCKS; i++) {
		kept[n_kept++] = keep_small(24 + i % 300);
		free(keep_nothing(8 + i));
	}
	for (i = 0; i < GROWN_BLOCKS; i++) {
		kept[n_kept++] = keep_grown();
		kept[n_kept++] = keep_shrunk();
	}
	kept[n_kept++] = keep_large(90000 + event);
	pthread_create(&thread, NULL, work_aside, (void *)event);
	pthread_join(thread, &kept[n_kept++]);
	for (i = 0; i < PASSED; i++)
		free(passed[i]);
}

int main(void)
{
	size_t event;

	for (event = 0; event < EVENTS; event++) {
		seep_event_begin((int64_t)event);
		run_event(event);
		seep_event_end();
	}
	truth_site("keep_small", (long long)EVENTS * SMALL_BLOCKS, small_bytes);
	truth_site("keep_large", EVENTS, large_bytes);
	truth_site("keep_grown", (long long)EVENTS * GROWN_BLOCKS, grown_bytes);
	truth_site("keep_shrunk", (long long)EVENTS * GROWN_BLOCKS, shrunk_bytes);
	truth_site("keep_of_thread", EVENTS, thread_bytes);
	truth_site("keep_nothing", 0, 0);
	printf("truth bytes_per_event %lld\n", (small_bytes + large_bytes + grown_bytes +
						shrunk_bytes + thread_bytes) / EVENTS);
	return 0;
}
