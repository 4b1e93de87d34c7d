/* SPDX-License-Identifier: MIT */
#include "os/mmap.h"

#include "os/lock.h"
#include "os/silence.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE_BYTES ((size_t)4096)
#define MAPS_MAX 8192
#define MINCORE_PAGES 4096
#define RESERVE_BYTES ((size_t)512 << 20)
#define RESERVE_LEAST ((size_t)1 << 20)
#define LAST_PART 2 /* of the reserve, kept for snapshots */

struct map {
	void *start;
	size_t bytes;
};

static struct map maps[MAPS_MAX];
static _Atomic uint32_t n_maps;

/* Given out from its start; only what was given out last can be given back. */
static struct {
	char *start;             /* NULL: there is none */
	size_t bytes;
	_Atomic size_t used;
	_Atomic bool used_up;    /* something did not fit */
} reserve;

static struct map elsewhere;

static void *map_new(size_t bytes)
{
	int saved = errno;
	void *map;

	map = (void *)seep_syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	errno = saved;
	return map == MAP_FAILED ? NULL : map;
}

static size_t whole_pages(size_t bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

static bool is_reserved(const void *map)
{
	return reserve.start && (uintptr_t)map - (uintptr_t)reserve.start < reserve.bytes;
}

static void *take_reserved(size_t bytes, size_t left)
{
	size_t used = atomic_load(&reserve.used), whole = whole_pages(bytes);

	do {
		if (used > reserve.bytes - left || whole > reserve.bytes - left - used)
			return NULL;
	} while (!atomic_compare_exchange_weak(&reserve.used, &used, used + whole));
	return reserve.start + used;
}

/* The pages must read as zeros again. */
static void give_back(void *map, size_t bytes)
{
	size_t whole = whole_pages(bytes), start = (size_t)((char *)map - reserve.start);
	size_t end = start + whole;

	if (seep_syscall(SYS_madvise, map, whole, MADV_DONTNEED))
		memset(map, 0, whole);
	atomic_compare_exchange_strong(&reserve.used, &end, start);
}

/* What lives as long as the process leaves some of a reserve that cannot grow. */
static void *map_for_good(size_t bytes)
{
	void *map;

	if (!reserve.start)
		return map_new(bytes);
	map = take_reserved(bytes, seep_silence_is_on() ? reserve.bytes / LAST_PART : 0);
	if (!map)
		reserve.used_up = true;
	return map;
}

static void *map_scratch(size_t bytes)
{
	void *map;

	if (!reserve.start)
		return map_new(bytes);
	map = take_reserved(bytes, 0);
	if (!map)
		reserve.used_up = true;
	return map;
}

void seep_mmap_know(void *map, size_t bytes)
{
	elsewhere = (struct map){map, bytes};
}

bool seep_mmap_is_used_up(void)
{
	return reserve.used_up;
}

void seep_mmap_reserve(uint64_t most_bytes)
{
	size_t bytes = RESERVE_BYTES;
	void *map = NULL;

	if (reserve.start)
		return;
	if (bytes > most_bytes)
		bytes = whole_pages((size_t)most_bytes);
	while (!map && bytes >= RESERVE_LEAST) {
		map = map_new(bytes);
		if (!map)
			bytes /= 2;
	}
	if (!map)
		return;
	reserve.bytes = bytes;
	__atomic_store_n(&reserve.start, map, __ATOMIC_RELEASE);
}

void *seep_mmap_new(size_t bytes)
{
	void *map = map_for_good(bytes);
	uint32_t i;

	if (!map)
		return NULL;
	i = atomic_fetch_add_explicit(&n_maps, 1, memory_order_relaxed);
	if (i < MAPS_MAX) {
		maps[i].bytes = bytes;
		maps[i].start = map;
	}
	return map;
}

void seep_mmap_drop_all(void)
{
	uint32_t n = atomic_exchange(&n_maps, 0), i;

	for (i = 0; i < n && i < MAPS_MAX; i++) {
		seep_mmap_drop(maps[i].start, maps[i].bytes);
		maps[i].start = NULL;
	}
}

uint64_t seep_mmap_reserved_bytes(void)
{
	uint32_t n = atomic_load_explicit(&n_maps, memory_order_relaxed), i;
	uint64_t bytes = 0;

	for (i = 0; i < n && i < MAPS_MAX; i++)
		bytes += maps[i].bytes;
	return bytes;
}

void *seep_mmap_scratch(size_t bytes)
{
	return map_scratch(bytes);
}

void seep_mmap_drop(void *map, size_t bytes)
{
	int saved = errno;

	if (is_reserved(map))
		give_back(map, bytes);
	else
		seep_syscall(SYS_munmap, map, bytes);
	errno = saved;
}

void seep_mmap_empty(void *start, size_t bytes)
{
	uintptr_t from = whole_pages((uintptr_t)start);
	uintptr_t to = ((uintptr_t)start + bytes) & ~(PAGE_BYTES - 1);
	int saved = errno;

	if (from < to)
		seep_syscall(SYS_madvise, from, to - from, MADV_DONTNEED);
	errno = saved;
}

void *seep_mmap_wiped_on_fork(void)
{
	void *page = map_for_good(PAGE_BYTES);
	int saved = errno;
	long failed;

	if (!page)
		return NULL;
	failed = seep_syscall(SYS_madvise, page, PAGE_BYTES, MADV_WIPEONFORK);
	errno = saved;
	if (failed) {
		seep_mmap_drop(page, PAGE_BYTES);
		return NULL;
	}
	return page;
}

static uint64_t count_resident(const struct map *map, unsigned char *vector)
{
	size_t pages = (map->bytes + PAGE_BYTES - 1) / PAGE_BYTES, done, i;
	uint64_t resident = 0;

	for (done = 0; done < pages; done += MINCORE_PAGES) {
		size_t n = pages - done < MINCORE_PAGES ? pages - done : MINCORE_PAGES;

		if (seep_syscall(SYS_mincore, (char *)map->start + done * PAGE_BYTES,
				 n * PAGE_BYTES, vector))
			return resident;
		for (i = 0; i < n; i++)
			resident += vector[i] & 1;
	}
	return resident;
}

void seep_mmap_visit(void (*visit)(uintptr_t start, uintptr_t end, void *context), void *context)
{
	uint32_t n = atomic_load_explicit(&n_maps, memory_order_relaxed), i;

	for (i = 0; i < n && i < MAPS_MAX; i++)
		if (maps[i].start)
			visit((uintptr_t)maps[i].start, (uintptr_t)maps[i].start + maps[i].bytes,
			      context);
}

void seep_mmap_visit_all(void (*visit)(uintptr_t start, uintptr_t end, void *context),
			 void *context)
{
	seep_mmap_visit(visit, context);
	if (elsewhere.start)
		visit((uintptr_t)elsewhere.start, (uintptr_t)elsewhere.start + elsewhere.bytes,
		      context);
	if (reserve.start)
		visit((uintptr_t)reserve.start, (uintptr_t)reserve.start + reserve.bytes, context);
}

uint64_t seep_mmap_resident_bytes(void)
{
	unsigned char *vector = map_scratch(MINCORE_PAGES);
	uint32_t n = atomic_load_explicit(&n_maps, memory_order_relaxed), i;
	int saved = errno;
	uint64_t pages = 0;

	if (!vector)
		return 0;
	for (i = 0; i < n && i < MAPS_MAX; i++)
		if (maps[i].start)
			pages += count_resident(&maps[i], vector);
	seep_mmap_drop(vector, MINCORE_PAGES);
	errno = saved;
	return pages * PAGE_BYTES;
}
