/* SPDX-License-Identifier: MIT */
/*
 * The books: a block is born at a site, in an event and a phase; it dies at an
 * age.  Every function is called with the guard set.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_ACCOUNT_H
#define SEEP_RECORD_HEAP_BOOK_ACCOUNT_H

#include "record/heap/book/chains.h"
#include "record/heap/book/live.h"
#include "record/heap/stack/pairs.h"
#include "record/heap/stack/recall.h"
#include "trace/format.h"

/* Numbers for stacks together with something else: phase << 32 | kind, or a site. */
struct seep_account_table {
	struct seep_pairs pairs;
	struct seep_recall recall; /* by the stack's hash */
};

/* Sites: a is kind << SEEP_ACCOUNT_NODE_BITS | the stack's node, b the phase. */
extern struct seep_account_table seep_account_sites;

/* Which stacks free the blocks of a site: a is the site, b the stack's node. */
extern struct seep_account_table seep_account_frees;

#define SEEP_ACCOUNT_NODE_BITS 22

bool seep_account_init(void);

/* frame_address: of the hook that the program called. */
void seep_account_birth(const void *block, size_t bytes, const void *frame_address);

/* The same, and its stack is remembered (flat.h), where hooks_fast.c has not found it. */
struct seep_thread;
void seep_account_birth_anew(struct seep_thread *thread, const void *block, size_t bytes,
			     const void *frame_address);

/* The same for a block whose site is known, which may have SEEP_SITE_DULL set. */
void seep_account_enter(struct seep_thread *thread, const void *block, size_t bytes,
			uint32_t site);

/* The block is about to be freed; must come before the real free. */
void seep_account_free(const void *block, const void *frame_address);

/*
 * Takes the block out of the books; must come before the real free or realloc.  Returns its entry.
 * inside: a signal handler has interrupted this thread in its books.
 */
struct seep_live_block seep_account_leave(const void *block, bool inside);

/* ... and it is really gone.  n: the blocks that this one stands for, 1 without sampling. */
void seep_account_deaths(const struct seep_live_block *live, uint64_t n,
			 const void *frame_address);

/* ... or it was not freed after all. */
void seep_account_stay(const void *block, const struct seep_live_block *live, bool inside);

/* ... or realloc has resized it, in place or not: it keeps its site and birth event. */
void seep_account_return(const void *block, size_t bytes, const struct seep_live_block *live,
			 enum seep_chains_way way);

/* A death while this thread is inside its books: counted in the stray record. */
void seep_account_stray_death(const struct seep_live_block *live);

/*
 * For memory outside the heap (holdings.c): the site of a call; whether the stack of a
 * site's nth death is wanted; counting such a stack.
 */
uint32_t seep_account_site(struct seep_thread *thread, enum seep_memory_kind kind,
			   const void *frame_address);
void seep_account_count_free(struct seep_thread *thread, uint32_t site, unsigned int bin,
			     const void *frame_address);

/*
 * For sampling, where one chosen block stands for n (sample.h): the site of the stack (0: none),
 * and births there.
 */
uint32_t seep_account_site_here(const void *frame_address);
void seep_account_add(uint32_t site, uint64_t bytes, uint64_t n);
void seep_account_stray_deaths(const struct seep_live_block *live, uint64_t n);
void seep_account_count_dropped(void);

/*
 * The site, which may have SEEP_SITE_DULL set (0: it is not known yet), and its counters (NULL: it
 * has had few blocks).
 */
struct seep_tally;
struct seep_account_place {
	struct seep_tally *tally;
	uint32_t site;
};

/* Of the stack with this native hash and the thread's Python frames, in the current phase. */
struct seep_account_place seep_account_find_python(struct seep_thread *thread, uint64_t hash);

/* The number of a stack whose hash the table does not have; 0 if there is no room.  Slow. */
uint32_t seep_account_add_number(struct seep_thread *thread, const void *frame_address,
				 struct seep_account_table *table, uint64_t hash, uint64_t other)
	__attribute__((noinline));

/* By the stack's node: 0 if it has none; or one is added if need be, 0 if there is no room. */
uint32_t seep_account_find_number(const struct seep_account_table *table, uint32_t node,
				  uint64_t other);
uint32_t seep_account_give_number(struct seep_account_table *table, uint32_t node, uint64_t other);

/* Writes the sites below n that the trace does not have yet.  The recording is held. */
void seep_account_write_sites(uint32_t n);

/* A block is about to be freed: it may be the code of a Python function. */
void seep_account_forget_code(const void *block);

/*
 * The memory of the tables that grow with the program, computed from their counts: the
 * shadow, the entries of tiny and of chosen blocks, stacks and sites.
 */
int64_t seep_account_own_bytes(void);

struct seep_account_losses {
	uint64_t missed, dropped, lost_walks;
};
void seep_account_losses(struct seep_account_losses *losses);

void seep_account_count_missed(void);

/* Age bins of a sampled free pair; ages has SEEP_TRACE_AGE_BINS entries. */
void seep_account_free_ages(uint32_t pair, uint64_t *ages);

/*
 * The stack of a free costs as much as that of a malloc, and a sample of them is enough:
 * the first few of each site, then one in 64, chosen by a hash (a fixed step could be in
 * phase with a loop).
 */
static inline bool seep_account_is_sampled(uint64_t nth)
{
	return nth < 4 || ((nth * 0x9e3779b97f4a7c15u) >> 58) == 0;
}

/* The bin of an age: see SEEP_TRACE_AGE_BINS. */
static inline unsigned int seep_account_age_bin(uint32_t age)
{
	return age ? 32u - (unsigned int)__builtin_clz(age) : 0;
}

void seep_account_forked(void);

#endif
