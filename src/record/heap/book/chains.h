/* SPDX-License-Identifier: MIT */
/*
 * Blocks that grow: arrays, strings and tables whose owner asks for more.
 *
 * It is done in two ways.  realloc makes a block larger, here or elsewhere.  Or a larger
 * one is allocated, what was in the old one is copied and the old one freed, as by
 * std::vector; then the larger one was the last that the thread had got before, and from
 * the same site.  Either way the sizes that one array has had are a chain:
 *
 *	96 -> 192 -> 384 -> 768            1 chain, 3 growths, first size 96, final size 768
 *
 * A block that has grown is marked (live.h), so that the next growth is known to go on with its
 * chain.  The final size of a chain is the one it has had last; so nothing is to be done when a
 * block dies, and a chain that is alive has one, too.
 *
 * Counted per site and thread, and only where something grows: for SEEP_CHAINS_SITES_MAX
 * sites of each thread.  If there are more, those that have grown a few times give way.
 * All is exact, but the second way is inferred: a larger block of the same site that was born
 * just before another one died is taken for its successor, and where the thread has got
 * another block in between, the successor is not known.  In a queue of blocks of all sizes
 * every other one seems to be replaced by a larger one.  Such a site has short chains; after a
 * few hundred it is dull and not looked at any more.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_CHAINS_H
#define SEEP_RECORD_HEAP_BOOK_CHAINS_H

#include "record/heap/book/live.h"
#include "trace/format.h"

#define SEEP_CHAINS_SITES_MAX 2048u

/* What became of the block's address and bytes. */
enum seep_chains_way {
	SEEP_CHAINS_IN_PLACE,
	SEEP_CHAINS_REMAPPED,    /* another address, the same pages: nothing was copied */
	SEEP_CHAINS_COPIED,
	SEEP_CHAINS_REPLACED,    /* copied by the program itself */
};

/* Sizes of so many bits. */
struct seep_chains_bin {
	uint64_t firsts;         /* chains that began with it */
	uint64_t finals, final_bytes; /* chains that have it now, or had it last */
	uint64_t largest;
	uint64_t growths, moves; /* to it; of these to another address */
	uint64_t copied_bytes;
};

/* All chains of one site. */
struct seep_chains {
	uint32_t site;
	uint32_t shift;          /* log2 of the events per peak */
	uint64_t chains;
	uint64_t growths, moves, replaced; /* all, to another address, of these the second way */
	uint64_t copied_bytes;
	uint64_t unit_bytes;     /* the greatest common divisor of all sizes */
	uint64_t first_seen;     /* the largest first size, so that it is not divided again */
	uint64_t first_bytes;    /* sum of the first sizes */
	uint64_t grown_bytes;    /* sum of what was added */
	uint64_t last_event;     /* in which something grew */
	struct seep_chains_bin bins[SEEP_TRACE_SIZE_BINS];
	uint64_t peaks[SEEP_TRACE_PEAK_BINS]; /* the largest size reached, by event */
};

struct seep_pack;
struct seep_thread;

/* realloc has made bytes of what was old, and the block is in the books again. */
void seep_chains_resized(struct seep_thread *thread, const void *block, uint64_t bytes,
			 const struct seep_live_block *old, enum seep_chains_way way);

/* The old one dies; the block born last in this thread is larger, and of the same site. */
__attribute__((noinline)) void seep_chains_replaced(struct seep_thread *thread,
						    const struct seep_live_block *old);

/* Packs what is known of a site over all threads, if anything; see struct seep_rec_site_moves. */
void seep_chains_pack(struct seep_pack *pack, uint32_t site, uint64_t live_chains,
		      uint64_t live_bytes);

uint64_t seep_chains_own_bytes(void);

#endif
