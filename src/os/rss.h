/* SPDX-License-Identifier: MIT */
/*
 * The resident memory of this process by kind, and how much is swapped out.  Takes tens of
 * microseconds, so it is for occasional use; stamps use statm.h.
 */
#ifndef SEEP_OS_RSS_H
#define SEEP_OS_RSS_H

#include <stdbool.h>
#include <stdint.h>

struct seep_rss {
	int64_t threads;         /* of the process; 0: not known */
	int64_t anon_bytes, file_bytes, shmem_bytes, swap_bytes;
};

/* False if it cannot be read.  errno is kept. */
bool seep_rss_read(struct seep_rss *rss);

#endif
