/* SPDX-License-Identifier: MIT */
/*
 * Whether the allocator may be asked for something that it takes all its locks for.
 *
 * Not where a signal handler runs on this thread: it may have interrupted the allocator, with
 * a lock held or a list half linked.  Nor in a child that the C library does not know, of a bare
 * system call: a lock that another thread had when it was forked is never given back.
 */
#ifndef SEEP_RECORD_HEAP_AROUND_QUIESCENCE_H
#define SEEP_RECORD_HEAP_AROUND_QUIESCENCE_H

#include <stdbool.h>

/* At the start, and in a child that the C library has forked. */
void seep_quiescence_begin(void);

/* frame_address: of the function that asks, which is one of ours.  The guard is set. */
bool seep_quiescence_holds(const void *frame_address);

#endif
