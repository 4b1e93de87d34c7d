/* SPDX-License-Identifier: MIT */
/*
 * For seep calibrate: a known leak, injected on purpose, so that seep's measurement can be
 * compared with the truth.
 *
 * Each event takes 0, L or 2L bytes from the program's allocator, through the same hooks
 * as the program, fills them and never frees them.  A level lasts for a block of
 * events, and the blocks come in this order:
 *
 *	0 L 2L 2L L 0 | 2L L 0 0 L 2L | 2L L 0 0 L 2L | 0 L 2L 2L L 0
 *
 * A row of six reads the same in both directions, and the rows follow each other as ABBA: a drift
 * of the program itself adds equally to all levels, even if the drift is not linear.
 * After four rows the blocks are twice as long, so that some stand out whatever the length of the
 * run.  The first events of the program are only measured, to choose L by their noise.
 *
 * The bytes that an event leaked are in the trace, as the counter "seep.injected".
 */
#ifndef SEEP_RECORD_HEAP_HOOK_INJECTION_H
#define SEEP_RECORD_HEAP_HOOK_INJECTION_H

#include <stdbool.h>
#include <stdint.h>

/* level: bytes, 0: to be chosen; block: events, 0: the default; at most budget bytes in all. */
void seep_injection_start(uint64_t level, uint64_t block, uint64_t budget);

extern bool seep_injection_on;

/* An event has begun.  The recording is not held and the guard is not set. */
void seep_injection_event(void);

/* A leak is being injected right now: no time slice may begin in the middle of it. */
bool seep_injection_is_busy(void);

/* A child of fork is another program, with other noise: nothing is injected there. */
void seep_injection_forked(void);

#endif
