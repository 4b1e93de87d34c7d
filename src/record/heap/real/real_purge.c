/* SPDX-License-Identifier: MIT */
#include "record/heap/real/real_purge.h"

#include "record/heap/real/real.h"
#include "record/heap/real/real_map.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>

static struct {
	enum seep_allocator whose;
	int (*mallctl)(const char *, void *, size_t *, void *, size_t); /* jemalloc */
	void (*release)(void);   /* tcmalloc */
} purge;

/* The function of this name in the object that holds malloc, not in any other. */
static void *find(const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	return seep_real_map_is_allocator(symbol) ? symbol : NULL;
}

void seep_real_purge_look_up(void)
{
	if (seep_real.from_libc) {
		purge.whose = SEEP_ALLOCATOR_GLIBC;
		return;
	}
	*(void **)(void *)&purge.mallctl = find("mallctl");
	*(void **)(void *)&purge.release = find("MallocExtension_ReleaseFreeMemory");
	if (purge.mallctl)
		purge.whose = SEEP_ALLOCATOR_JEMALLOC;
	else if (purge.release)
		purge.whose = SEEP_ALLOCATOR_TCMALLOC;
}

enum seep_allocator seep_real_purge_whose(void)
{
	return purge.whose;
}

/* 4096 is MALLCTL_ARENAS_ALL.  Setting the epoch updates jemalloc's figures. */
static bool purge_jemalloc(void)
{
	uint64_t epoch = 1;

	purge.mallctl("thread.tcache.flush", NULL, NULL, NULL, 0);
	purge.mallctl("epoch", NULL, NULL, &epoch, sizeof(epoch));
	return !purge.mallctl("arena.4096.purge", NULL, NULL, NULL, 0);
}

bool seep_real_purge(void)
{
	switch (purge.whose) {
	case SEEP_ALLOCATOR_GLIBC:
		malloc_trim(0); /* 0 is not a failure: there was nothing to give back */
		return true;
	case SEEP_ALLOCATOR_JEMALLOC:
		return purge_jemalloc();
	case SEEP_ALLOCATOR_TCMALLOC:
		purge.release();
		return true;
	default:
		return false;
	}
}
