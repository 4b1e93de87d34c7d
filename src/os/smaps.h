/* SPDX-License-Identifier: MIT */
/*
 * The areas of this process's address space and what of each is in memory, as the
 * kernel counts it page by page: exact, where the counters of rss.h may lag behind, and
 * a millisecond or more.  The caller serialises; errno is kept.
 */
#ifndef SEEP_OS_SMAPS_H
#define SEEP_OS_SMAPS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Anonymous bytes are those in memory or swapped out, but for what the kernel was told that
 * it may take (MADV_FREE), which is as good as gone.
 */
struct seep_smaps_area {
	uintptr_t start, end;
	bool is_plain;           /* private, writable, of no file, not the main thread's stack */
	bool is_locked;          /* some of it, by mlock: then it cannot be given back */
	int64_t anonymous_bytes;
};

/* Calls visit for each area, in the order of their addresses; false if they cannot be read. */
bool seep_smaps_visit(void (*visit)(const struct seep_smaps_area *area, void *context),
		      void *context);

/* The same of the whole process; -1 if it cannot be read. */
int64_t seep_smaps_anonymous(void);

#endif
