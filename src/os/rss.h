/* SPDX-License-Identifier: MIT */
/*
 * What kinds of memory this process has resident, and what of it was swapped out.
 * Tens of microseconds: for now and then.  statm.h is for every stamp.
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
