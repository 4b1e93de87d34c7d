/* SPDX-License-Identifier: MIT */
/*
 * For seep calibrate: memory that this process loses on purpose, so that what seep reads
 * can be held against what is known.
 *
 * Each event takes 0, L or 2L bytes from the program's allocator, through the same hooks
 * as the program, fills them and never gives them back.  A level lasts for a block of
 * events, and the blocks come as
 *
 *	0 L 2L 2L L 0 | 2L L 0 0 L 2L | 2L L 0 0 L 2L | 0 L 2L 2L L 0
 *
 * A row of six is the same forth and back, and the rows follow each other as ABBA: a drift
 * of the program's own adds as much to one level as to another, also if it bends.
 * After four rows the blocks are twice as long, so that they stand out from any number of
 * events.  The first events of the program are only looked at, to choose L by their noise.
 *
 * What an event has lost is in the trace, as the counter "seep.injected".
 */
#ifndef SEEP_RECORD_HEAP_HOOK_INJECTION_H
#define SEEP_RECORD_HEAP_HOOK_INJECTION_H

#include <stdbool.h>
#include <stdint.h>

/* level 0: to be chosen; block: events, 0: the usual; at most budget bytes in all. */
void seep_injection_start(uint64_t level, uint64_t block, uint64_t budget);

extern bool seep_injection_on;

/* An event has begun.  Neither the recording is held nor is the guard set. */
void seep_injection_event(void);

/* Memory is being lost at this moment: no time slice may begin in the middle of it. */
bool seep_injection_is_busy(void);

/* A child of fork is another program, with other noise: it loses nothing. */
void seep_injection_forked(void);

#endif
