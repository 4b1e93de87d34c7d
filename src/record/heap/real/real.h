/* SPDX-License-Identifier: MIT */
/*
 * The allocator that the program would have had without us: the next one in
 * the search order (the C library's, or that of another preloaded library).
 *
 * Looking it up may itself allocate.  Those few bytes come from a small static
 * pool, which is bounded and aligned.  free, realloc and malloc_usable_size
 * recognise its blocks as long as the process runs.
 */
#ifndef SEEP_RECORD_HEAP_REAL_REAL_H
#define SEEP_RECORD_HEAP_REAL_REAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seep_real {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	size_t (*usable_size)(void *);
	void (*exit_now)(int);   /* _exit */
	int (*dlclose)(void *);
	size_t least;            /* smallest size to ask for, so that blocks start 16 bytes apart */
	bool from_libc;          /* the C library's own allocator */
	int guard;               /* value of seep_guard while it is called: see real.c */
};

extern struct seep_real seep_real;

/* Makes sure that seep_real is filled; false while it is being filled (use the pool then). */
bool seep_real_ready(void);

/*
 * Whether the program's calls reach us first: not if it, or a library before us, defines malloc.
 * The guard is set; hooks that pass through set seep_real_hook_called.
 */
bool seep_real_is_behind_us(void);
extern bool seep_real_hook_called;

/* Whether the program has a sanitizer, whose own allocator must not be bypassed. */
bool seep_real_is_sanitized(void);

void *seep_real_pool_alloc(size_t bytes, size_t alignment);
bool seep_real_pool_holds(const void *block);
size_t seep_real_pool_size(const void *block);
uint64_t seep_real_pool_blocks(void);

/* Where the pool is, in whole pages. */
const void *seep_real_pool_start(void);
size_t seep_real_pool_bytes(void);

#endif
