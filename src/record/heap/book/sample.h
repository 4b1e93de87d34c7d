/* SPDX-License-Identifier: MIT */
/*
 * Sampling: only some blocks are tracked, and each counts for several.
 *
 * Which ones is decided before the real allocator is called, by a countdown of
 * bytes in each thread (poisson.h).  A block that is not chosen costs that
 * subtraction and nothing more: no guard, no stack, no entry.  At its end one
 * byte of a filter says that there is nothing to look for:
 *
 *	address  ->  filter[address >> 12]  =  chosen blocks that start in this page
 *
 * Few pages have any, and 64 pages share a cache line of the filter.
 *
 * A reallocation ends one block and begins another, whose size decides anew.  So
 * every block was chosen with the probability of the size it has, and nothing
 * need be known of those that were not.
 *
 * The mean may be raised while the program runs, or sampling begin: each block
 * keeps the weight that it had at its birth, and those from before sampling stay
 * in the shadow (live.h), as one each.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_SAMPLE_H
#define SEEP_RECORD_HEAP_BOOK_SAMPLE_H

#include "record/heap/book/chosen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEP_SAMPLE_PAGE_BITS 12
#define SEEP_SAMPLE_FILTER_BYTES ((size_t)1 << 24) /* 64 GiB before two pages share a byte */

enum seep_sample_mode {
	SEEP_SAMPLE_OFF = 0,     /* every block is tracked */
	SEEP_SAMPLE_PLAIN = 1,   /* the C library's allocator: unchosen blocks go straight there */
	SEEP_SAMPLE_CAREFUL = 2, /* another one, which may call itself through our hooks */
};

extern uint32_t seep_sample_mode;

struct seep_sample_thread {
	int64_t left;            /* bytes to go before the next sample */
	uint64_t random;         /* 0: this thread has not drawn yet */
	uint64_t mean;           /* under which left was drawn */
	uint64_t due;            /* the mean under which the last block was chosen; 0: none was */
};

extern __thread struct seep_sample_thread seep_sample_self
	__attribute__((tls_model("initial-exec")));

/* NULL while blocks may be tracked that were not chosen, or not at all: each is looked for then. */
extern unsigned char *seep_sample_filter;

/* Samples from the start; false if there is no address space. */
bool seep_sample_start(uint64_t mean);

/*
 * From this much memory of the tracker's own on, new blocks are sampled, and the fewer
 * of them the more it takes.  0: no ceiling.
 */
void seep_sample_set_ceiling(uint64_t bytes);

/* The tracker has grown by a page or so. */
void seep_sample_mind_ceiling(void);

/* Writes what is new about the sampling; the recording is held. */
void seep_sample_write_new(void);

void seep_sample_forked(void);

/* The countdown is over, or was never begun: is the block chosen? */
bool seep_sample_draw(size_t bytes);

/* To be done once for each block that is about to be allocated; false: it is not chosen. */
static inline bool seep_sample_count(size_t bytes)
{
	/* What is larger than any block can be must not put the countdown up. */
	seep_sample_self.left -= (int64_t)((bytes + !bytes) & INT64_MAX);
	return __builtin_expect(seep_sample_self.left < 0, 0);
}

/* Then this tells. */
static inline bool seep_sample_is_due(size_t bytes)
{
	return seep_sample_self.left < 0 && seep_sample_draw(bytes);
}

/* False: this block is certainly not tracked, and not of the pool. */
static inline bool seep_sample_may_hold(const void *block)
{
	uintptr_t page = (uintptr_t)block >> SEEP_SAMPLE_PAGE_BITS;
	const unsigned char *filter = seep_sample_filter;

	return !filter || __atomic_load_n(&filter[page % SEEP_SAMPLE_FILTER_BYTES],
					  __ATOMIC_RELAXED) != 0;
}

/* A block that was chosen has arrived.  As in account.h, with the guard set. */
void seep_sample_birth(const void *block, size_t bytes, const void *frame_address);

/* The block leaves, before the real free; false if it was not chosen. */
bool seep_sample_leave(const void *block, struct seep_chosen *chosen, bool inside);

/* ... and has really gone.  frame_address is NULL inside. */
void seep_sample_end(const struct seep_chosen *chosen, const void *frame_address);

/* ... or has stayed after all. */
void seep_sample_stay(const struct seep_chosen *chosen, bool inside);

#endif
