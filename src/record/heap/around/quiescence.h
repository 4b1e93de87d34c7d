/* SPDX-License-Identifier: MIT */
/*
 * Whether it is safe to ask the allocator for something that takes all its locks.
 *
 * Not if a signal handler runs on this thread: it may have interrupted the allocator, with
 * a lock held or a list half linked.  Nor in a child forked by a bare system call, which the
 * C library does not know of: a lock that another thread held at that moment is never released.
 */
#ifndef SEEP_RECORD_HEAP_AROUND_QUIESCENCE_H
#define SEEP_RECORD_HEAP_AROUND_QUIESCENCE_H

#include <stdbool.h>

/* At the start, and in a child that the C library has forked. */
void seep_quiescence_begin(void);

/* frame_address: of the calling function.  The guard is set. */
bool seep_quiescence_holds(const void *frame_address);

#endif
