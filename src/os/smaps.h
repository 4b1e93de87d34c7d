/* SPDX-License-Identifier: MIT */
/*
 * The areas of this process's address space and how much of each is in memory, as the
 * kernel counts it page by page.  That is exact, while the counters of rss.h may lag behind, but
 * takes a millisecond or more.  The caller serialises; errno is kept.
 */
#ifndef SEEP_OS_SMAPS_H
#define SEEP_OS_SMAPS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Anonymous bytes are those in memory or swapped out, without what the kernel may take at any
 * time (MADV_FREE), which is as good as gone.
 */
struct seep_smaps_area {
	uintptr_t start, end;
	bool is_accessible;      /* by reading or writing */
	bool is_plain;           /* private, writable, no file, not the main thread's stack */
	bool is_locked;          /* at least partly, by mlock, so that it cannot be given back */
	int64_t anonymous_bytes;
};

/* Calls visit for each area, in the order of their addresses; false if they cannot be read. */
bool seep_smaps_visit(void (*visit)(const struct seep_smaps_area *area, void *context),
		      void *context);

/* Anonymous bytes of the whole process; -1 if they cannot be read. */
int64_t seep_smaps_anonymous(void);

#endif
