/* SPDX-License-Identifier: MIT */
/*
 * For heap profilers other than seep: keeps some blocks in every event, has others that
 * come and go, and a cache that is filled in the first events and stays.
 *
 *	profiled EVENTS [MILLISECONDS]      of which an event lasts so long
 *
 * At the end of each event jemalloc or gperftools is asked for a dump, where one of them is
 * loaded and PROFILED_DUMPS is set: with jemalloc the name is its own, and with
 * PROFILED_LOG there is a line on stdout as Gaudi's log has it.
 */
#include "truth.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEPT_BLOCKS 40
#define KEPT_BYTES 1216
#define CACHE_EVENTS 3
#define CACHE_BYTES 50000
#define EVENTS_MAX 1000

int mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes)
	__attribute__((weak));
void HeapProfilerDump(const char *reason) __attribute__((weak));

static void *kept[EVENTS_MAX * KEPT_BLOCKS], *cache[CACHE_EVENTS];
static size_t n_kept;

SITE static void keep_hit(void)
{
	kept[n_kept++] = malloc(KEPT_BYTES);
	KEEP_FRAME();
}

SITE static void fill_cache(int event)
{
	cache[event] = malloc(CACHE_BYTES);
	KEEP_FRAME();
}

SITE static void work(void)
{
	void *blocks[8];

	for (size_t i = 0; i < 8; i++) {
		blocks[i] = malloc(3000 + 16 * i);
		memset(blocks[i], 1, 3000);
	}
	for (size_t i = 0; i < 8; i++)
		free(blocks[i]);
	KEEP_FRAME();
}

static void dump(int event)
{
	if (!getenv("PROFILED_DUMPS"))
		return;
	if (getenv("PROFILED_LOG")) {
		printf("JemallocProfile      INFO Jemalloc Dumping heap at event %d\n", event);
		fflush(stdout);
	}
	if (mallctl)
		mallctl("prof.dump", NULL, NULL, NULL, 0);
	if (HeapProfilerDump)
		HeapProfilerDump("event");
}

int main(int argc, char **argv)
{
	int events = argc > 1 ? atoi(argv[1]) : 0, pause = argc > 2 ? atoi(argv[2]) : 0;

	if (events < 1 || events > EVENTS_MAX)
		return 2;
	for (int event = 0; event < events; event++) {
		for (int i = 0; i < KEPT_BLOCKS; i++)
			keep_hit();
		if (event < CACHE_EVENTS)
			fill_cache(event);
		work();
		usleep((useconds_t)pause * 1000);
		dump(event * 10 + 1);
	}
	truth_site("keep_hit", (long long)n_kept, (long long)n_kept * KEPT_BYTES);
	truth_site("fill_cache", events < CACHE_EVENTS ? events : CACHE_EVENTS,
		   (events < CACHE_EVENTS ? events : CACHE_EVENTS) * (long long)CACHE_BYTES);
	return cache[0] == NULL;
}
