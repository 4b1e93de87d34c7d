/* SPDX-License-Identifier: MIT */
/*
 * The operators new and delete that the program would have had without us.
 *
 * Those of the C++ library call malloc and free by name and so reach our hooks
 * anyway: calls are passed on to them unchanged.  Those of an allocator (jemalloc,
 * tcmalloc, mimalloc) do not: they are tracked.
 */
#ifndef SEEP_RECORD_HEAP_REAL_REAL_NEW_H
#define SEEP_RECORD_HEAP_REAL_REAL_NEW_H

#include <stdbool.h>

/* In the order of the names in real_new.c. */
enum seep_real_operator {
	SEEP_NEW,
	SEEP_NEW_ARRAY,
	SEEP_NEW_NOTHROW,
	SEEP_NEW_ARRAY_NOTHROW,
	SEEP_NEW_ALIGNED,
	SEEP_NEW_ARRAY_ALIGNED,
	SEEP_NEW_ALIGNED_NOTHROW,
	SEEP_NEW_ARRAY_ALIGNED_NOTHROW,
	SEEP_DELETE,
	SEEP_DELETE_ARRAY,
	SEEP_DELETE_SIZED,
	SEEP_DELETE_ARRAY_SIZED,
	SEEP_DELETE_NOTHROW,
	SEEP_DELETE_ARRAY_NOTHROW,
	SEEP_DELETE_ALIGNED,
	SEEP_DELETE_ARRAY_ALIGNED,
	SEEP_DELETE_SIZED_ALIGNED,
	SEEP_DELETE_ARRAY_SIZED_ALIGNED,
	SEEP_DELETE_ALIGNED_NOTHROW,
	SEEP_DELETE_ARRAY_ALIGNED_NOTHROW,
	SEEP_OPERATORS,
};

struct seep_real_new {
	void (*pass)(void);      /* passes the call on; NULL if it is not known, or if own is set */
	void (*own)(void);       /* the allocator's operator: its blocks are tracked here */
};

extern struct seep_real_new seep_real_news[SEEP_OPERATORS];

/* Fills the table; false if this process has no C++ library (yet). */
bool seep_real_find_news(void);

#endif
