/* SPDX-License-Identifier: MIT */
/*
 * Asks the program's allocator to give the system back what it keeps.
 *
 * It waits for the allocator's own locks.  So it must not be called where this thread
 * may have been interrupted inside the allocator, nor with a lock of ours held: a
 * thread that has an allocator's lock may be waiting for ours in a signal handler.
 */
#ifndef SEEP_RECORD_HEAP_REAL_REAL_PURGE_H
#define SEEP_RECORD_HEAP_REAL_REAL_PURGE_H

#include "trace/format.h"

#include <stdbool.h>

/* Looks for how it is asked; once, at the start.  The guard is set, for that may allocate. */
void seep_real_purge_look_up(void);

/* Whose it is; SEEP_ALLOCATOR_OTHER cannot be asked. */
enum seep_allocator seep_real_purge_whose(void);

/* False if it refused. */
bool seep_real_purge(void);

#endif
