/* SPDX-License-Identifier: MIT */
/*
 * Entries for the live blocks that are too small to have two slots in the
 * shadow (live.h).
 *
 * Free entries are chained.  Each thread keeps its own chain and gives half of a
 * long one to a common chain, from which threads with an empty chain refill theirs.
 * So entries circulate if one thread allocates and another frees.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_TINY_H
#define SEEP_RECORD_HEAP_BOOK_TINY_H

#include "record/heap/book/live.h"

bool seep_tiny_init(void);

/* The number of a new entry, from 1 on; 0 if there is no memory. */
uint32_t seep_tiny_add(struct seep_thread *thread, const struct seep_live_block *live);

/* Gives the entry back.  If thread is NULL it is only emptied, since no chain may be touched. */
struct seep_live_block seep_tiny_take(struct seep_thread *thread, uint32_t number);

/* See seep_live_mark. */
bool seep_tiny_mark(uint32_t number, uint32_t site);

/* For a scan; site 0 if the entry is free. */
struct seep_live_block seep_tiny_look(uint32_t number);

uint64_t seep_tiny_own_bytes(void);

void seep_tiny_forked(void);

#endif
