/* SPDX-License-Identifier: MIT */
/*
 * The in-process code's only source of memory: its own anonymous maps, which
 * no allocator of the host ever sees.
 *
 * Maps are zeroed, reserve address space only, and take memory as their pages
 * are touched.  Those of seep_map_new live as long as the process: the tables of a
 * tracker, which may be in use by any thread at any time.
 */
#ifndef SEEP_OS_MAP_H
#define SEEP_OS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL if the address space is exhausted (RLIMIT_AS).  errno is kept. */
void *seep_map_new(size_t bytes);

/* Gives all of them back, if the tracker steps aside before it has begun. */
void seep_map_drop_all(void);

/* The address space that they take. */
uint64_t seep_map_reserved_bytes(void);

/* Scratch, for the time of one snapshot.  Not counted as resident. */
void *seep_map_scratch(size_t bytes);
void seep_map_drop(void *map, size_t bytes);

/* A page that reads as zeros in any child of fork; NULL if the kernel cannot. */
void *seep_map_wiped_on_fork(void);

/* Calls visit for all maps made by seep_map_new. */
void seep_map_visit(void (*visit)(uintptr_t start, uintptr_t end, void *context), void *context);

/* Resident bytes of all maps made by seep_map_new, asked from the kernel. */
uint64_t seep_map_resident_bytes(void);

#endif
