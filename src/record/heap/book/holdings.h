/* SPDX-License-Identifier: MIT */
/*
 * What the program holds outside the heap: mappings, stacks of threads, pieces of
 * the break.
 *
 * A holding has a site, a birth event and bytes, as a block has, and the same is counted of
 * its site.  It may consist of several parts, for a mapping can be unmapped
 * piecewise; when the last part goes, it has died.
 *
 * There are few such calls, compared with malloc, so one lock is around all of it, this file,
 * mappings.c and stacks.c: everything here but init, site and the totals is called
 * between enter and leave.  The guard is set all the time.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_HOLDINGS_H
#define SEEP_RECORD_HEAP_BOOK_HOLDINGS_H

#include "record/heap/book/live.h"
#include "trace/format.h"

bool seep_holding_init(void);

/* The site of the call whose hook has this frame; 0 if there is no room.  Not under the lock. */
uint32_t seep_holding_site(enum seep_memory_kind kind, const void *frame_address);

/* Takes the lock.  False if these books are closed: then there is nothing to do, or to leave. */
bool seep_holding_enter(void);
void seep_holding_leave(void);

/* A new holding of one part, born now; 0 if the table is full. */
uint32_t seep_holding_begin(uint32_t site, uint64_t bytes);

/* It never was. */
void seep_holding_undo(uint32_t id);

/* It has become larger, has been moved, has one part more. */
void seep_holding_grow(uint32_t id, uint64_t bytes);
void seep_holding_count_move(uint32_t id);
void seep_holding_split(uint32_t id);

/* Bytes of a part go; or the part, which had so many left.  frame_address may be NULL. */
void seep_holding_shrink(uint32_t id, uint64_t bytes);
void seep_holding_release(uint32_t id, uint64_t bytes, const void *frame_address);

/* Something was not entered, for a table was full. */
void seep_holding_count_dropped(void);
uint64_t seep_holding_dropped(void);

/* All that is held now. */
int64_t seep_holding_bytes(void);

/* Calls visit for every holding.  Takes the lock itself. */
void seep_holding_scan(void (*visit)(const struct seep_live_block *block, void *context),
		       void *context);

/* Memory of our own that this takes. */
uint64_t seep_holding_own_bytes(void);

/*
 * In a child of fork.  False: another thread was at work here when it was forked, so
 * that these books cannot be trusted; they are closed for good.
 */
bool seep_holding_forked(void);

#endif
