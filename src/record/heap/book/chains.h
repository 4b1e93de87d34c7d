/* SPDX-License-Identifier: MIT */
/*
 * Blocks that grow: arrays, strings and tables whose owner asks for more.
 *
 * There are two ways.  realloc makes a block larger, in place or not.  Or the program
 * allocates a larger block, copies the contents and frees the old one, as std::vector does;
 * then the larger block is the last one that the thread has allocated, and from the same
 * site.  Either way, the sizes that one array has had are a chain:
 *
 *	96 -> 192 -> 384 -> 768            1 chain, 3 growths, first size 96, final size 768
 *
 * A block that has grown is marked (live.h), so that the next growth continues its chain.  The
 * final size of a chain is its latest size.  So nothing has to be done when a block dies, and
 * live chains have a final size too.
 *
 * Chains are counted per site and thread, and only where something grows: for at most
 * SEEP_CHAINS_SITES_MAX sites of each thread.  If there are more, sites that have grown only a
 * few times are evicted.
 *
 * Counts for realloc are exact.  The second way is inferred: if a larger block of the same site was
 * allocated just before a block is freed, it is taken for its successor; if the thread has
 * allocated another block in between, the successor is not found.  In a queue of blocks of all
 * sizes, every other block seems to be replaced by a larger one.  Such a site has short chains;
 * after a few hundred it is called dull and no longer looked at.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_CHAINS_H
#define SEEP_RECORD_HEAP_BOOK_CHAINS_H

#include "record/heap/book/live.h"
#include "trace/format.h"

#define SEEP_CHAINS_SITES_MAX 2048u

/* How a block grew: whether its address changed and its bytes were copied. */
enum seep_chains_way {
	SEEP_CHAINS_IN_PLACE,
	SEEP_CHAINS_REMAPPED,    /* another address, the same pages: nothing was copied */
	SEEP_CHAINS_COPIED,
	SEEP_CHAINS_REPLACED,    /* copied by the program itself */
};

struct seep_pack;
struct seep_thread;

/* realloc has resized the old block to bytes, and the block is in the books again. */
void seep_chains_resized(struct seep_thread *thread, const void *block, uint64_t bytes,
			 const struct seep_live_block *old, enum seep_chains_way way);

/* The same for a block that is in the books as one that has grown. */
void seep_chains_grown(struct seep_thread *thread, uint64_t bytes,
		       const struct seep_live_block *old, enum seep_chains_way way);

/* The old block dies; the last block of this thread is larger and has the same site. */
__attribute__((noinline)) void seep_chains_replaced(struct seep_thread *thread,
						    const struct seep_live_block *old);

/* Packs the chains of a site, added up over all threads, if any; see struct seep_rec_site_moves. */
void seep_chains_pack(struct seep_pack *pack, uint32_t site, uint64_t live_chains,
		      uint64_t live_bytes);

uint64_t seep_chains_own_bytes(void);

#endif
