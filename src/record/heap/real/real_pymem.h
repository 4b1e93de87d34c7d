/* SPDX-License-Identifier: MIT */
/*
 * The allocators of CPython: one for memory in general and one for objects, most often pymalloc
 * for both.
 *
 * pymalloc hands out small blocks from arenas of its own and passes larger requests on to malloc.
 * The interpreter lets anybody replace these functions (PyMem_SetAllocator); we put ours in front,
 * and they call the ones that were there.  The third allocator, the raw one, is malloc.
 *
 * The structures are the interpreter's, by its documented API: PyMemAllocatorEx and
 * PyObjectArenaAllocator.
 */
#ifndef SEEP_RECORD_HEAP_REAL_REAL_PYMEM_H
#define SEEP_RECORD_HEAP_REAL_REAL_PYMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seep_real_pymem {
	void *context;
	void *(*malloc)(void *context, size_t bytes);
	void *(*calloc)(void *context, size_t n, size_t size);
	void *(*realloc)(void *context, void *block, size_t bytes);
	void (*free)(void *context, void *block);
};

struct seep_real_arenas {
	void *context;
	void *(*alloc)(void *context, size_t bytes);
	void (*free)(void *context, void *arena, size_t bytes);
};

#define SEEP_PYMEM_DOMAINS 3 /* as the API counts them: 0 raw memory, 1 memory, 2 objects */

/* Of the versions 3.x, those that this was tested with. */
#define SEEP_PYMEM_MINOR_FIRST 9
#define SEEP_PYMEM_MINOR_LAST 13

/* The functions that were there before ours. */
extern struct seep_real_pymem seep_real_pymem[SEEP_PYMEM_DOMAINS];
extern struct seep_real_arenas seep_real_arenas;

/* Ours are, or will be, in front of them. */
extern bool seep_real_pymem_on;

/* The size of all arenas that pymalloc has at the moment. */
extern int64_t seep_real_arena_bytes;

/* Whether this process has a CPython whose allocators can be replaced. */
enum seep_real_pymem_found {
	SEEP_PYMEM_NONE,         /* there is no CPython yet */
	SEEP_PYMEM_REFUSED,
	SEEP_PYMEM_BARRED,       /* refused, and it does not know PYTHONMALLOC=malloc either */
	SEEP_PYMEM_HOOKABLE,     /* seep_real_pymem is filled */
};

/* Allocates nothing; called once.  Where it refuses, why says the reason in half a sentence. */
enum seep_real_pymem_found seep_real_pymem_find(char *why, size_t room);

/* Puts these functions in front. */
void seep_real_pymem_replace(const struct seep_real_pymem *domains,
			     const struct seep_real_arenas *arenas);

/*
 * Python keeps freed objects of some types for the next ones, in free lists: then no allocator is
 * called.  From 3.13 on it can tell a tracer of each new object.
 */
typedef int seep_real_pymem_tracer(void *object, int event, void *data);
bool seep_real_pymem_tells(void);
void seep_real_pymem_trace(seep_real_pymem_tracer *tracer);

/* The block of this object if its type has a free list, otherwise NULL. */
const void *seep_real_pymem_reusable(const void *object);

#endif
