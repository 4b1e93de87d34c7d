/* SPDX-License-Identifier: MIT */
/*
 * A loop that maps memory itself.
 *
 *	mapper leak EVENTS      64 KiB per event are mapped, touched and forgotten
 *	mapper flat EVENTS      the same is unmapped in the next event
 *	mapper untouched EVENTS 1 MiB per event is mapped and never touched
 *	mapper reserve EVENTS   64 MiB per event without any access, which is no memory
 *	mapper cleaned EVENTS   as leak, but everything is unmapped at the end
 *	mapper threads EVENTS   a thread per event that nobody joins
 */
#define _GNU_SOURCE
#include "truth.h"
#include "seep.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK ((size_t)64 << 10)
#define EVENTS_MAX 100000

static char *chunks[EVENTS_MAX];
static int events;

#define MAP(bytes, prot) \
	mmap(NULL, (bytes), (prot), MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)

static void *demand(void *map)
{
	if (map == MAP_FAILED)
		abort();
	return map;
}

SITE static void forget_chunk(int event)
{
	chunks[event] = memset(demand(MAP(CHUNK, PROT_READ | PROT_WRITE)), event, CHUNK);
	KEEP_FRAME();
}

SITE static void unmap_chunk(int event)
{
	munmap(chunks[event], CHUNK);
	KEEP_FRAME();
}

SITE static void map_untouched(void)
{
	demand(MAP((size_t)1 << 20, PROT_READ | PROT_WRITE));
	KEEP_FRAME();
}

SITE static void map_reserved(void)
{
	demand(MAP((size_t)64 << 20, PROT_NONE));
	KEEP_FRAME();
}

static void *end_at_once(void *argument)
{
	return argument;
}

SITE static void forget_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, end_at_once, NULL))
		abort();
	KEEP_FRAME();
}

static void work(const char *mode, int event)
{
	if (!strcmp(mode, "untouched"))
		map_untouched();
	else if (!strcmp(mode, "reserve"))
		map_reserved();
	else if (!strcmp(mode, "threads"))
		forget_thread();
	else
		forget_chunk(event);
	if (!strcmp(mode, "flat") && event)
		unmap_chunk(event - 1);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "leak";
	void *block;
	int event;

	events = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 100;
	for (event = 0; event < events && event < EVENTS_MAX; event++) {
		seep_event_begin(event);
		block = malloc(1000);
		memset(block, 1, 1000);
		work(mode, event);
		free(block);
		seep_event_end();
	}
	for (event = 0; !strcmp(mode, "cleaned") && event < events; event++)
		unmap_chunk(event);
	printf("truth bytes_per_event %zu\n", CHUNK);
	return 0;
}
