/* SPDX-License-Identifier: MIT */
/*
 * Asks the program's allocator to return its free memory to the system.
 *
 * The allocator waits for its own locks.  So this must not be called if this thread may have been
 * interrupted inside the allocator, nor while a lock of ours is held: a signal handler on a
 * thread that holds an allocator's lock may be waiting for ours.
 */
#ifndef SEEP_RECORD_HEAP_REAL_REAL_PURGE_H
#define SEEP_RECORD_HEAP_REAL_REAL_PURGE_H

#include "trace/format.h"

#include <stdbool.h>

/* Finds the functions to call; once, at the start.  May allocate, so the guard is set. */
void seep_real_purge_look_up(void);

/* Which allocator it is; SEEP_ALLOCATOR_OTHER cannot be asked. */
enum seep_allocator seep_real_purge_whose(void);

/* False if it refused. */
bool seep_real_purge(void);

#endif
