/* SPDX-License-Identifier: MIT */
/*
 * The functions for memory outside the heap that the program would have called
 * without us.  Known once seep_real_ready() is true; before that, we call the kernel directly.
 */
#ifndef SEEP_RECORD_HEAP_REAL_REAL_MAP_H
#define SEEP_RECORD_HEAP_REAL_REAL_MAP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <threads.h>
#include <time.h>

struct seep_real_map {
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	int (*munmap)(void *, size_t);
	void *(*mremap)(void *, size_t, size_t, int, ...);
	int (*mprotect)(void *, size_t, int);
	void *(*sbrk)(intptr_t);
	int (*brk)(void *);
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*join)(pthread_t, void **);
	int (*tryjoin)(pthread_t, void **);
	int (*timedjoin)(pthread_t, void **, const struct timespec *);
	int (*clockjoin)(pthread_t, void **, clockid_t, const struct timespec *);
	int (*detach)(pthread_t);
	int (*create_c11)(thrd_t *, thrd_start_t, void *);
	int (*join_c11)(thrd_t, int *);
	int (*detach_c11)(thrd_t);
	/* The object that holds an allocator other than the C library's: what it maps is heap. */
	uintptr_t allocator_start, allocator_end;
};

extern struct seep_real_map seep_real_map;

void seep_real_map_look_up(void);

/* Whether the code at this address is the allocator's. */
static inline bool seep_real_map_is_allocator(const void *code)
{
	return (uintptr_t)code - seep_real_map.allocator_start <
	       seep_real_map.allocator_end - seep_real_map.allocator_start;
}

/* These work at any time. */
void *seep_real_map_mmap(void *address, size_t bytes, int prot, int flags, int fd, off_t offset);
int seep_real_map_munmap(void *address, size_t bytes);
void *seep_real_map_mremap(void *old, size_t old_bytes, size_t bytes, int flags, void *address);
int seep_real_map_mprotect(void *address, size_t bytes, int prot);

#endif
