/* SPDX-License-Identifier: MIT */
#include "os/rss.h"

#include "os/fd.h"

#include <stddef.h>
#include <string.h>

#define TEXT_BYTES 8192

/* "Name:   123" somewhere in the text.  -1 if it is not there. */
static int64_t find_number(const char *text, const char *name)
{
	const char *p = strstr(text, name);
	int64_t number = 0;

	if (!p)
		return -1;
	p += strlen(name);
	while (*p == ' ' || *p == '\t')
		p++;
	if (*p < '0' || *p > '9')
		return -1;
	while (*p >= '0' && *p <= '9')
		number = number * 10 + (*p++ - '0');
	return number;
}

/* In kB, which are KiB. */
static int64_t find_bytes(const char *text, const char *name)
{
	int64_t number = find_number(text, name);

	return number < 0 ? -1 : number * 1024;
}

bool seep_rss_read(struct seep_rss *rss)
{
	static char text[TEXT_BYTES]; /* the caller serialises */

	if (seep_fd_read_file("/proc/self/status", text, sizeof(text)) <= 0)
		return false;
	rss->anon_bytes = find_bytes(text, "\nRssAnon:");
	rss->file_bytes = find_bytes(text, "\nRssFile:");
	rss->shmem_bytes = find_bytes(text, "\nRssShmem:");
	rss->swap_bytes = find_bytes(text, "\nVmSwap:");
	rss->threads = find_number(text, "\nThreads:");
	if (rss->threads < 0)
		rss->threads = 0;
	if (rss->swap_bytes < 0)
		rss->swap_bytes = 0; /* a kernel without swap does not report it */
	return rss->anon_bytes >= 0 && rss->file_bytes >= 0 && rss->shmem_bytes >= 0;
}
