/* SPDX-License-Identifier: MIT */
/*
 * The in-process code's only source of memory: its own anonymous maps, which
 * no allocator of the host ever sees.
 *
 * Maps are zeroed, reserve address space only, and take memory as their pages
 * are touched.  Those of seep_mmap_new live as long as the process: the tables of a
 * tracker, which may be in use by any thread at any time.
 */
#ifndef SEEP_OS_MMAP_H
#define SEEP_OS_MMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL if the address space is exhausted (RLIMIT_AS).  errno is kept. */
void *seep_mmap_new(size_t bytes);

/* Gives all of them back, if the tracker steps aside before it has begun. */
void seep_mmap_drop_all(void);

/* The address space that they take. */
uint64_t seep_mmap_reserved_bytes(void);

/* Scratch, for the time of one snapshot.  Not counted as resident. */
void *seep_mmap_scratch(size_t bytes);
void seep_mmap_drop(void *map, size_t bytes);

/* A page that reads as zeros in any child of fork; NULL if the kernel cannot. */
void *seep_mmap_wiped_on_fork(void);

/* Calls visit for all maps made by seep_mmap_new. */
void seep_mmap_visit(void (*visit)(uintptr_t start, uintptr_t end, void *context), void *context);

/* Resident bytes of all maps made by seep_mmap_new, asked from the kernel. */
uint64_t seep_mmap_resident_bytes(void);

#endif
