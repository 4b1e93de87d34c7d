/* SPDX-License-Identifier: MIT */
#include "record/heap/entry/entry_memory.h"

#include "os/silence.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_BYTES ((uintptr_t)4096)
#define LEAST_ADDRESS ((uintptr_t)1 << 20)
#define FIRST_STEP ((uintptr_t)1 << 20)
#define MOST_STEP ((uintptr_t)1 << 26)
#define UNIT 16 /* bytes that can be replaced at once */

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static void *map_at(uintptr_t at)
{
	void *wanted = (void *)at;
	void *page = (void *)seep_syscall(SYS_mmap, wanted, PAGE_BYTES, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	if (page == wanted)
		return page;
	seep_syscall(SYS_munmap, page, PAGE_BYTES); /* a kernel before 4.17 takes it for a hint */
	return NULL;
}

/* Below first: the program break grows above the program. */
void *seep_entry_memory_page(uintptr_t at)
{
	uintptr_t near = at & ~(PAGE_BYTES - 1), away, step = FIRST_STEP;
	int saved = errno;
	void *page = NULL;

	for (away = step; !page && away < SEEP_ENTRY_REACH && away + LEAST_ADDRESS < near;
	     away += step) {
		page = map_at(near - away);
		if (step < MOST_STEP && away >= 16 * step)
			step *= 2;
	}
	for (away = SEEP_ENTRY_REACH & ~(PAGE_BYTES - 1); !page && away >= MOST_STEP;
	     away -= MOST_STEP)
		page = map_at(near + away);
	errno = saved;
	return page;
}

static int protect(uintptr_t start, size_t bytes, int protection)
{
	int saved = errno, failed = 0;

	if (seep_syscall(SYS_mprotect, start, bytes, protection))
		failed = -errno;
	errno = saved;
	return failed;
}

int seep_entry_memory_seal(void *page)
{
	return protect((uintptr_t)page, PAGE_BYTES, PROT_READ | PROT_EXEC);
}

int seep_entry_memory_unseal(void *page)
{
	return protect((uintptr_t)page, PAGE_BYTES, PROT_READ | PROT_WRITE);
}

#ifdef __x86_64__

/* All in one store, if they lie in one unit. */
static void store(uintptr_t at, const void *bytes, size_t n)
{
	uintptr_t start = at & ~(uintptr_t)(UNIT - 1);
	uint64_t old[2], new[2];
	bool done = false;

	if (at + n > start + UNIT) {
		memcpy((void *)at, bytes, n);
		return;
	}
	memcpy(old, (const void *)start, UNIT);
	while (!done) {
		memcpy(new, old, UNIT);
		memcpy((char *)new + (at - start), bytes, n);
		__asm__ volatile("lock cmpxchg16b %1"
				 : "=@ccz"(done), "+m"(*(uint64_t(*)[2])start), "+a"(old[0]),
				   "+d"(old[1])
				 : "b"(new[0]), "c"(new[1])
				 : "memory");
	}
}

#else

static void store(uintptr_t at, const void *bytes, size_t n)
{
	memcpy((void *)at, bytes, n);
}

#endif

int seep_entry_memory_write(uintptr_t at, const void *bytes, size_t n)
{
	uintptr_t start = at & ~(PAGE_BYTES - 1), end = (at + n + PAGE_BYTES - 1) &
							~(PAGE_BYTES - 1);
	int failed = protect(start, end - start, PROT_READ | PROT_WRITE | PROT_EXEC);

	if (failed)
		return failed;
	store(at, bytes, n);
	return protect(start, end - start, PROT_READ | PROT_EXEC);
}
