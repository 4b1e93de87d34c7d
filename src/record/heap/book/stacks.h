/* SPDX-License-Identifier: MIT */
/*
 * The stacks of threads, from pthread_create until the thread was joined, or has ended if it
 * was detached.  A thread that has ended and is never joined keeps its stack.
 *
 * The C library caches stacks for later threads; those belong to the library and are not
 * held by the program.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_STACKS_H
#define SEEP_RECORD_HEAP_BOOK_STACKS_H

#include "record/heap/book/mappings.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* What a new thread runs; C11 threads return an int.  Two words, so that it fits in registers. */
struct seep_stacks_task {
	union {
		void *(*posix)(void *);
		int (*c11)(void *);
	} start;
	void *argument;
};

struct seep_stack_held;

bool seep_stacks_init(void);

/* A thread is about to be created; NULL if it will not be in the books. */
struct seep_stack_held *seep_stacks_begin(uint32_t site, uint64_t bytes, bool detached,
					  const struct seep_stacks_task *task);

/* It could not be created. */
void seep_stacks_undo(struct seep_stack_held *stack);

/* In the new thread, before anything else: what to run. */
struct seep_stacks_task seep_stacks_start(struct seep_stack_held *stack);

/* The thread was joined. */
void seep_stacks_joined(pthread_t thread, const void *frame_address);

/* The thread is about to be detached. */
void seep_stacks_detach(pthread_t thread, const void *frame_address);

/* Calls visit for every stack that is held.  The lock of holdings.h is taken. */
void seep_stacks_visit(void (*visit)(struct seep_mappings_range range, void *context),
		       void *context);

/* In a child of fork, which has only the calling thread; the books of holdings.h are open. */
void seep_stacks_forked(void);

#endif
