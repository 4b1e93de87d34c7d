/* SPDX-License-Identifier: MIT */
#include "os/statm.h"

#include "os/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct seep_fd statm = {.fd = -1};
static int64_t page_bytes;

void seep_statm_reopen(void)
{
	seep_fd_close(&statm);
	page_bytes = sysconf(_SC_PAGESIZE);
	seep_fd_open(&statm, "/proc/self/statm", O_RDONLY, 0);
}

/* A number of pages at *text, which is moved behind it; -1 if there is none. */
static int64_t parse_pages(const char **text)
{
	const char *p = *text;
	int64_t pages = 0;

	while (*p == ' ')
		p++;
	if (*p < '0' || *p > '9')
		return -1;
	while (*p >= '0' && *p <= '9')
		pages = pages * 10 + (*p++ - '0');
	*text = p;
	return pages;
}

static bool read_once(int64_t *vm_bytes, int64_t *rss_bytes)
{
	char text[128];
	const char *p = text;
	int64_t vm, rss;
	long n;

	if (statm.fd < 0)
		return false;
	n = syscall(SYS_pread64, statm.fd, text, sizeof(text) - 1, 0L);
	if (n <= 0)
		return false;
	text[n] = '\0';
	vm = parse_pages(&p);
	rss = parse_pages(&p);
	if (vm < 0 || rss < 0)
		return false;
	*vm_bytes = vm * page_bytes;
	*rss_bytes = rss * page_bytes;
	return true;
}

bool seep_statm_read(int64_t *vm_bytes, int64_t *rss_bytes)
{
	int saved = errno;
	bool known = read_once(vm_bytes, rss_bytes);

	/* The host may have closed the descriptor, or put a file of its own there. */
	if (!known) {
		seep_statm_reopen();
		known = read_once(vm_bytes, rss_bytes);
	}
	if (!known)
		*vm_bytes = *rss_bytes = 0;
	errno = saved;
	return known;
}
