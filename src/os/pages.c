/* SPDX-License-Identifier: MIT */
#include "os/pages.h"

#include "os/silence.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_BYTES 4096u
#define WINDOW_BYTES ((uintptr_t)SEEP_PAGES_WINDOW * PAGE_BYTES)
#define PRESENT_OR_SWAPPED ((uint64_t)3 << 62)

bool seep_pages_open(struct seep_pages *pages)
{
	int saved = errno;

	pages->fd = (int)seep_syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap",
				      O_RDONLY | O_CLOEXEC);
	errno = saved;
	return pages->fd >= 0;
}

void seep_pages_close(struct seep_pages *pages)
{
	int saved = errno;

	seep_syscall(SYS_close, pages->fd);
	errno = saved;
}

/* Not inlined, so that its buffer is on the stack only while it runs. */
__attribute__((noinline)) uint64_t seep_pages_look(const struct seep_pages *pages,
						   uintptr_t address, uint32_t n)
{
	uint64_t entries[SEEP_PAGES_WINDOW], present = 0;
	int saved = errno;
	long got, i;

	got = seep_syscall(SYS_pread64, pages->fd, entries, n * sizeof(entries[0]),
		      (long)(address / PAGE_BYTES * sizeof(entries[0])));
	errno = saved;
	for (i = 0; i < got / (long)sizeof(entries[0]); i++)
		present |= (uint64_t)((entries[i] & PRESENT_OR_SWAPPED) != 0) << i;
	return present;
}

uint32_t seep_pages_count(const struct seep_pages *pages, uintptr_t address, uint32_t n)
{
	return (uint32_t)__builtin_popcountll(seep_pages_look(pages, address, n));
}

uint64_t seep_pages_count_bytes(const struct seep_pages *pages, uintptr_t start, uintptr_t end)
{
	uint64_t present = 0;

	for (start -= start % PAGE_BYTES; start < end; start += WINDOW_BYTES) {
		uintptr_t left = (end - start + PAGE_BYTES - 1) / PAGE_BYTES;

		present += seep_pages_count(pages, start, left < SEEP_PAGES_WINDOW ?
					    (uint32_t)left : SEEP_PAGES_WINDOW);
	}
	return present * PAGE_BYTES;
}
