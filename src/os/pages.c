/* SPDX-License-Identifier: MIT */
#include "os/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_BYTES 4096u
#define PRESENT_OR_SWAPPED ((uint64_t)3 << 62)

bool seep_pages_open(struct seep_pages *pages)
{
	int saved = errno;

	pages->fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	errno = saved;
	return pages->fd >= 0;
}

void seep_pages_close(struct seep_pages *pages)
{
	int saved = errno;

	syscall(SYS_close, pages->fd);
	errno = saved;
}

uint32_t seep_pages_count(const struct seep_pages *pages, uintptr_t address, uint32_t n)
{
	uint64_t entries[SEEP_PAGES_WINDOW];
	uint32_t present = 0;
	int saved = errno;
	long got, i;

	got = syscall(SYS_pread64, pages->fd, entries, n * sizeof(entries[0]),
		      (long)(address / PAGE_BYTES * sizeof(entries[0])));
	errno = saved;
	for (i = 0; i < got / (long)sizeof(entries[0]); i++)
		present += (entries[i] & PRESENT_OR_SWAPPED) != 0;
	return present;
}
