/* SPDX-License-Identifier: MIT */
/*
 * The in-process code's only source of memory: its own anonymous maps, which
 * the program's allocator never sees.
 *
 * Maps are zeroed, only reserve address space, and take memory as their pages
 * are touched.  Those of seep_mmap_new live as long as the process: they are the tables of
 * the tracker, and any thread may use them at any time.
 */
#ifndef SEEP_OS_MMAP_H
#define SEEP_OS_MMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL if the address space is exhausted (RLIMIT_AS).  errno is kept. */
void *seep_mmap_new(size_t bytes);

/*
 * From now on, memory comes from a reserve that is made now.  It is for programs in which a mapping
 * made later would not be as it should, or could not be made.
 */
void seep_mmap_reserve(uint64_t most_bytes);

/* Whether something did not fit into the reserve. */
bool seep_mmap_is_used_up(void);

/* Memory of ours that was mapped elsewhere, for seep_mmap_visit_all. */
void seep_mmap_know(void *map, size_t bytes);

/* Unmaps all of them, if the tracker gives up before it has started. */
void seep_mmap_drop_all(void);

/* The address space that they take. */
uint64_t seep_mmap_reserved_bytes(void);

/* Scratch memory for one snapshot.  Not counted as resident. */
void *seep_mmap_scratch(size_t bytes);
void seep_mmap_drop(void *map, size_t bytes);

/*
 * Gives the whole pages in this range back to the kernel, if it takes them.  The range stays mapped
 * and reads as zeros from now on, or as before.
 */
void seep_mmap_empty(void *start, size_t bytes);

/* A page that reads as zeros in any child of fork; NULL if the kernel cannot. */
void *seep_mmap_wiped_on_fork(void);

/* Calls visit for all maps made by seep_mmap_new. */
void seep_mmap_visit(void (*visit)(uintptr_t start, uintptr_t end, void *context), void *context);

/* The same, and for the reserve. */
void seep_mmap_visit_all(void (*visit)(uintptr_t start, uintptr_t end, void *context),
			 void *context);

/* Resident bytes of all maps made by seep_mmap_new, according to the kernel. */
uint64_t seep_mmap_resident_bytes(void);

#endif
