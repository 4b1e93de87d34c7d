/* SPDX-License-Identifier: MIT */
/*
 * What the program holds outside the heap: mappings, stacks of threads, parts of the break.
 *
 * Like a block, a holding has a site, a birth event and bytes, and its site has the same counters.
 * It may consist of several parts, since a mapping can be unmapped piece by piece; it dies with
 * its last part.
 *
 * Such calls are rare compared with malloc, so one lock protects this file, mappings.c and
 * stacks.c.  Everything here except init, site and the totals is called between enter and leave.
 * The guard is set all the time.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_HOLDINGS_H
#define SEEP_RECORD_HEAP_BOOK_HOLDINGS_H

#include "record/heap/book/live.h"
#include "trace/format.h"

bool seep_holding_init(void);

/* The site of the call whose hook has this frame; 0 if there is no room.  Needs no lock. */
uint32_t seep_holding_site(enum seep_memory_kind kind, const void *frame_address);

/* Takes the lock.  False if these books are closed: then do nothing, and do not call leave. */
bool seep_holding_enter(void);
void seep_holding_leave(void);

/* A new holding of one part, born now; 0 if the table is full. */
uint32_t seep_holding_begin(uint32_t site, uint64_t bytes);

/* Removes a holding as if it had never existed. */
void seep_holding_undo(uint32_t id);

/* The holding has grown, was moved, has one more part. */
void seep_holding_grow(uint32_t id, uint64_t bytes);
void seep_holding_count_move(uint32_t id);
void seep_holding_split(uint32_t id);

/* A part has lost bytes; or has gone, with its last bytes.  frame_address may be NULL. */
void seep_holding_shrink(uint32_t id, uint64_t bytes);
void seep_holding_release(uint32_t id, uint64_t bytes, const void *frame_address);

/* Something was not entered because a table was full. */
void seep_holding_count_dropped(void);
uint64_t seep_holding_dropped(void);

/* Bytes of all holdings. */
int64_t seep_holding_bytes(void);

/* Calls visit for every holding.  Takes the lock itself. */
void seep_holding_scan(void (*visit)(const struct seep_live_block *block, void *context),
		       void *context);

/* The tracker's own memory for this. */
uint64_t seep_holding_own_bytes(void);

/*
 * In a child of fork.  False: another thread was at work here at that moment, so these books
 * cannot be trusted and are closed for good.
 */
bool seep_holding_forked(void);

#endif
