/* SPDX-License-Identifier: MIT */
/*
 * Sampling: only some blocks are tracked, and each counts for several.
 *
 * A countdown of bytes in each thread decides which ones, before the real allocator is
 * called (poisson.h).  A block that is not chosen costs that subtraction and nothing
 * more: no guard, no stack, no entry.  The countdown goes in steps, and the clock of time slices
 * is looked at only when a step ends.  When the block is freed, one byte of a filter says
 * that there is nothing to look for:
 *
 *	address  ->  filter[address >> 12]  =  chosen blocks that start in this page
 *
 * Few pages have any, and 64 pages share a cache line of the filter.
 *
 * A reallocation ends one block and begins another, whose new size decides again.  So
 * every block was chosen with the probability for its present size, and nothing
 * need be known of blocks that were not chosen.
 *
 * Sampling may start, or the mean may be raised, while the program runs.  Each block keeps the
 * weight that it had at its birth.  Blocks from before sampling stay in the shadow (live.h) and
 * count as one each.
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
	SEEP_SAMPLE_CAREFUL = 2, /* another one or pymalloc, which may call our hooks themselves */
};

extern uint32_t seep_sample_mode;

/* Which way malloc and free take; see entry.c. */
enum seep_sample_way {
	SEEP_SAMPLE_WAY_LONG = 0, /* as they must in all other cases */
	SEEP_SAMPLE_WAY_FAST = 1, /* every block is tracked, and is the C library's */
	SEEP_SAMPLE_WAY_PASS = 2, /* SEEP_SAMPLE_PLAIN: past the tracker, for almost every block */
};

extern uint32_t seep_sample_way;

/* Tracking begins, or ends for good. */
void seep_sample_choose_way(bool is_tracking);

struct seep_sample_thread {
	int64_t left;            /* bytes to go in this step of the countdown */
	int64_t later;           /* ... and in later steps, before the next sample */
	int64_t step;            /* length of the next step, in bytes */
	uint64_t tick;           /* time slice in which this step began */
	uint64_t random;         /* 0: this thread has not drawn yet */
	uint64_t mean;           /* under which the countdown was drawn */
	uint64_t due;            /* the mean under which the last block was chosen; 0: none was */
};

extern __thread struct seep_sample_thread seep_sample_self
	__attribute__((tls_model("initial-exec")));

/* NULL if there may be tracked blocks that were not chosen: then every block is looked up. */
extern unsigned char *seep_sample_filter;

/* Makes the tables; false if there is no address space. */
bool seep_sample_init(void);

/* Samples from the start.  The tables must be there to stay: hooks read them from now on. */
void seep_sample_start(uint64_t mean);

/*
 * The ceiling of the tracker's own memory.  Close to it, new blocks are sampled, and the closer,
 * the fewer of them.  0: no ceiling.
 */
void seep_sample_set_ceiling(uint64_t bytes);

/* The tracker has grown by a page or so. */
void seep_sample_watch_ceiling(void);

/* So that a block that was not chosen goes the long way when it is freed, and the end of that. */
void seep_sample_watch(const void *block);
void seep_sample_unwatch(const void *block);

/* Writes the means that the trace does not have yet.  The recording is held. */
void seep_sample_write_new(void);

void seep_sample_forked(void);

/* A step of the countdown is over, or none was ever begun: whether the block is chosen. */
bool seep_sample_draw(size_t bytes);

/* Called once for each block that is about to be allocated; false: it is not chosen. */
static inline bool seep_sample_count(size_t bytes)
{
	/* An impossibly large size must not raise the countdown. */
	seep_sample_self.left -= (int64_t)((bytes + !bytes) & INT64_MAX);
	return __builtin_expect(seep_sample_self.left < 0, 0);
}

/* If seep_sample_count was true: whether the block is chosen. */
static inline bool seep_sample_is_due(size_t bytes)
{
	return seep_sample_self.left < 0 && seep_sample_draw(bytes);
}

/* False: this block is certainly not tracked and not from the pool. */
static inline bool seep_sample_may_hold(const void *block)
{
	uintptr_t page = (uintptr_t)block >> SEEP_SAMPLE_PAGE_BITS;
	const unsigned char *filter = seep_sample_filter;

	return !filter || __atomic_load_n(&filter[page % SEEP_SAMPLE_FILTER_BYTES],
					  __ATOMIC_RELAXED) != 0;
}

/* A chosen block has arrived.  As in account.h, the guard is set. */
void seep_sample_birth(const void *block, size_t bytes, const void *frame_address);

/* The block leaves, before the real free; false if it was not chosen. */
bool seep_sample_leave(const void *block, struct seep_chosen *chosen, bool inside);

/* ... and is really gone.  frame_address is NULL in an interrupted thread. */
void seep_sample_end(const struct seep_chosen *chosen, const void *frame_address);

/* ... or was not freed after all. */
void seep_sample_stay(const struct seep_chosen *chosen, bool inside);

#endif
