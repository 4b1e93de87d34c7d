/* SPDX-License-Identifier: MIT */
#include "os/statm.h"

#include "os/fd.h"
#include "os/silence.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIELDS 7
#define CHECK_PERIOD 16 /* reads from one check that the file is still ours to the next */

static struct seep_fd statm = {.fd = -1};
static int64_t page_bytes;
static uint32_t reads;

void seep_statm_reopen(void)
{
	seep_fd_close(&statm);
	reads = 0;
	page_bytes = sysconf(_SC_PAGESIZE);
	seep_fd_open(&statm, "/proc/self/statm", O_RDONLY, 0);
}

/* Reads a number of pages and skips the blank after it; -1 if there is no number. */
static int64_t parse_pages(const char **text)
{
	const char *p = *text;
	int64_t pages = 0;

	if (*p < '0' || *p > '9')
		return -1;
	while (*p >= '0' && *p <= '9')
		pages = pages * 10 + (*p++ - '0');
	*text = *p == ' ' ? p + 1 : p;
	return pages;
}

/*
 * A line of statm: seven numbers, of which the fifth and the last are always 0.  Hardly any
 * other file looks like that, and the check costs nothing.
 */
static bool parse(const char *text, int64_t *vm, int64_t *rss)
{
	int64_t fields[FIELDS];
	int i;

	for (i = 0; i < FIELDS; i++)
		fields[i] = parse_pages(&text);
	*vm = fields[0];
	*rss = fields[1];
	return *vm >= *rss && *rss >= 0 && fields[4] == 0 && fields[6] == 0 && *text == '\n';
}

/* The program may have closed the descriptor, or put its own file there. */
static bool read_once(int64_t *vm_bytes, int64_t *rss_bytes)
{
	char text[128];
	int64_t vm, rss;
	long n;

	if (statm.fd < 0 || (reads++ % CHECK_PERIOD == 0 && !seep_fd_is_ours(&statm)))
		return false;
	n = seep_syscall(SYS_pread64, statm.fd, text, sizeof(text) - 1, 0L);
	if (n <= 0)
		return false;
	text[n] = '\0';
	if (!parse(text, &vm, &rss))
		return false;
	*vm_bytes = vm * page_bytes;
	*rss_bytes = rss * page_bytes;
	return true;
}

bool seep_statm_read(int64_t *vm_bytes, int64_t *rss_bytes)
{
	int saved = errno;
	bool known = read_once(vm_bytes, rss_bytes);

	if (!known) {
		seep_statm_reopen();
		known = read_once(vm_bytes, rss_bytes);
	}
	if (!known)
		*vm_bytes = *rss_bytes = 0;
	errno = saved;
	return known;
}

uint64_t seep_statm_address_left(void)
{
	int64_t vm_bytes, rss_bytes;
	struct rlimit limit;

	if (seep_silence_is_on() || getrlimit(RLIMIT_AS, &limit) ||
	    limit.rlim_cur == RLIM_INFINITY || !seep_statm_read(&vm_bytes, &rss_bytes))
		return UINT64_MAX;
	return limit.rlim_cur > (uint64_t)vm_bytes ? limit.rlim_cur - (uint64_t)vm_bytes : 0;
}
