/* SPDX-License-Identifier: MIT */
/*
 * Sampling: only some blocks are tracked, and each counts for several.
 *
 * Which ones is decided before the real allocator is called, by a countdown of
 * bytes in each thread (poisson.h).  A block that is not chosen costs that
 * subtraction and nothing more: no guard, no stack, no slot.  At its end one
 * byte of a filter says that there is nothing to look for:
 *
 *	address  ->  filter[address >> 12]  =  tracked blocks that start in this page
 *
 * Few pages have any, and 64 pages share a cache line of the filter.
 *
 * A reallocation ends one block and begins another, whose size decides anew.  So
 * every block was chosen with the probability of the size it has, and nothing
 * need be known of those that were not.
 *
 * The mean may be raised while the program runs.  Each mean is a level; a block
 * tells its own through its site, since the sites of a level above the first
 * have numbers of their own (aliases) and are added up in snapshots.
 */
#ifndef SEEP_RECORD_HEAP_SAMPLE_H
#define SEEP_RECORD_HEAP_SAMPLE_H

#include "record/heap/live.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEP_SAMPLE_LEVELS 16u
#define SEEP_SAMPLE_LEVEL_SHIFT 24 /* of the level, in the second word of a site's key */
#define SEEP_SAMPLE_PAGE_BITS 12

enum seep_sample_mode {
	SEEP_SAMPLE_OFF = 0,     /* every block is tracked */
	SEEP_SAMPLE_PLAIN = 1,   /* the C library's allocator: unchosen blocks go straight there */
	SEEP_SAMPLE_CAREFUL = 2, /* another one, which may call itself through our hooks */
};

extern uint32_t seep_sample_mode;

struct seep_sample_thread {
	int64_t left;            /* bytes to go before the next sample */
	uint64_t random;         /* 0: this thread has not drawn yet */
	uint32_t level;          /* under which left was drawn */
	uint32_t due;            /* level of the block that was chosen last */
};

extern __thread struct seep_sample_thread seep_sample_self
	__attribute__((tls_model("initial-exec")));

extern unsigned char *seep_sample_filter;
extern uintptr_t seep_sample_filter_mask;

/* Samples from the start; false if there is no address space. */
bool seep_sample_start(uint64_t mean);

/* Writes what is new about the sampling; the recording is held. */
void seep_sample_write_new(void);

/* The countdown is over, or was never begun: is the block chosen? */
bool seep_sample_draw(size_t bytes);

/* To be done once for each block that is about to be allocated; false: it is not chosen. */
static inline bool seep_sample_count(size_t bytes)
{
	seep_sample_self.left -= (int64_t)(bytes + !bytes);
	return __builtin_expect(seep_sample_self.left < 0, 0);
}

/* Then this tells. */
static inline bool seep_sample_is_due(size_t bytes)
{
	return seep_sample_self.left < 0 && seep_sample_draw(bytes);
}

/* False: this block is certainly not tracked. */
static inline bool seep_sample_may_hold(const void *block)
{
	uintptr_t page = (uintptr_t)block >> SEEP_SAMPLE_PAGE_BITS;

	return __atomic_load_n(&seep_sample_filter[page & seep_sample_filter_mask],
			       __ATOMIC_RELAXED) != 0;
}

/* A tracked block arrives or leaves. */
void seep_sample_mark(const void *block);
void seep_sample_unmark(const void *block);

/* The site for blocks of a level; 0 if there are too many. */
uint32_t seep_sample_site(uint32_t site, uint32_t level);

/* The site of level 0 that an alias stands for; 0: not known yet. */
uint32_t seep_sample_find_base(uint32_t site);

static inline uint32_t seep_sample_base(uint32_t site)
{
	return seep_sample_mode == SEEP_SAMPLE_OFF ? site : seep_sample_find_base(site);
}

/* The alias of a site, or 0. */
uint32_t seep_sample_alias(uint32_t site, uint32_t level);

uint64_t seep_sample_weigh(uintptr_t address, const struct seep_live_block *live);

/* How many blocks this one stands for: the same number from its birth to its death. */
static inline uint64_t seep_sample_weight(const void *block, const struct seep_live_block *live)
{
	return __builtin_expect(seep_sample_mode != SEEP_SAMPLE_OFF, 0)
		? seep_sample_weigh((uintptr_t)block, live) : 1;
}

#endif
