/* SPDX-License-Identifier: MIT */
/*
 * What each thread keeps for itself: counters per site that no other thread
 * writes, the stack it saw last, and scratch.
 *
 * Stamps and snapshots add up the figures of all threads.  The figures of a thread that ends are
 * not moved anywhere: its record goes to the next new thread, which continues to count in it.
 */
#ifndef SEEP_RECORD_HEAP_THREAD_H
#define SEEP_RECORD_HEAP_THREAD_H

#include "os/cpu.h"
#include "os/stack.h"
#include "record/heap/few.h"
#include "trace/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEP_SITES_MAX ((uint32_t)1 << 20)
#define SEEP_STACK_MAX 16384u /* frames of a stack; deeper stacks are cut */

#define SEEP_YOUNG_AGES 2u

/* Per site and thread, if few.h is not enough: one cache line. */
struct seep_tally {
	uint64_t born_blocks, born_bytes;
	uint64_t died_blocks, died_bytes;
	uint64_t moved_blocks;
	uint64_t ages[SEEP_YOUNG_AGES]; /* deaths at age 0 and 1 */
	uint32_t old_ages;       /* head of ages.h: the others */
	uint32_t pad;
};

#define SEEP_CHUNK_SITES 1024u
#define SEEP_CHUNKS (SEEP_SITES_MAX / SEEP_CHUNK_SITES)

/* A frame of the last stack, outermost first; see walk.c. */
struct seep_known_frame {
	struct seep_cpu_frame frame;
	uintptr_t bp_slot;       /* where the caller's bp was read from; 0: it is the same */
	uint64_t hash;           /* of the stack from the root to this frame */
	uint64_t rule;           /* by which its caller was found; see unwind.h */
	uint32_t node;           /* of the stack from the root to this frame; 0: not known yet */
	uint16_t bp_check;       /* the next frame outwards with slots beside the pc's; 0 none */
	bool bp_used;            /* the caller is found by bp */
	bool bp_live;            /* bp here matters: to this frame or to one further out */
};

#define SEEP_BY_SP 1024u

/* Words of the stack and where they are, from the hook's return address on. */
struct seep_memo_words {
	uintptr_t value[4];
	uint32_t offset[4];
};

/* The inner frames of a stack captured before; see memo.h. */
struct seep_memo {
	uintptr_t pc, sp, bp;    /* of the innermost frame; pc 0: no memo */
	uintptr_t met_sp, met_bp; /* of the known frame that the walk met */
	uintptr_t bp_mask, met_bp_mask; /* 0 where bp does not matter, else all bits */
	uint64_t met_hash, hash; /* of the stack to there, and of the whole */
	uint32_t met;            /* index of that frame in known[] */
	uint32_t n_words;
	struct seep_memo_words words[3];
};

struct seep_memo_set {
	uint32_t order;          /* a byte each, the latest in the lowest; xor SEEP_MEMO_ORDER */
	struct seep_memo memos[4];
};

#define SEEP_MEMO_BITS 5
#define SEEP_MEMO_ORDER 0x03020100u /* the first order, so that new memory holds it as 0 */

/* Sites that this thread used recently.  They are in its cache; the common table is not. */
struct seep_recent_site {
	uint64_t hash;
	uint32_t phase;
	uint32_t site;           /* may have SEEP_SITE_DULL set */
};

/* Whole stacks captured before, with their sites; see flat.h. */
struct seep_flat_words {
	uint32_t offset[4];      /* from the frame address of the hook */
	uintptr_t value[4];
};

struct seep_flat {
	uintptr_t frame;         /* frame address of the hook; 0: no entry */
	union {
		struct seep_tally *tally;
		uint64_t hash;       /* of the native stack, if site is 0 */
	};
	const struct seep_flat_words *end;
	uint32_t site;           /* may have SEEP_SITE_DULL set; 0: depends on Python frames */
	uint32_t phase;
#ifdef SEEP_FLAT_CHECK
	uint64_t stack, pad;     /* hash of the native stack */
#endif
	struct seep_flat_words words[];
};

/* Where two words are that tell stacks apart which start alike. */
struct seep_flat_choice {
	uintptr_t frame;
	uint64_t places;         /* two offsets, 32 bits each */
};

#define SEEP_FLAT_BITS 11
#define SEEP_FLAT_CHOICE_BITS 9
#define SEEP_FLAT_UNIT 16u       /* entries start at multiples of this */
#define SEEP_FLAT_ROOM ((size_t)256 << 10)

struct seep_flats {
	uint64_t hits;           /* since the last miss */
	uint32_t epoch;          /* of the unwind rules; 0: nothing is to be looked up */
	uint32_t used;           /* units of room; 0: none yet */
	int32_t credit;          /* hits minus misses, at most 0 */
	uint32_t rest, rest_left; /* length of the last pause, and what is left of it, in misses */
	struct seep_flat_choice choices[1 << SEEP_FLAT_CHOICE_BITS];
	uint16_t index[1 << SEEP_FLAT_BITS]; /* where an entry starts, in units */
	_Alignas(16) unsigned char room[SEEP_FLAT_ROOM];
};

#define SEEP_RECENT_SITES 512u
#define SEEP_SITE_DULL ((uint32_t)1 << 31) /* its blocks replace others, but do not form chains */

struct seep_thread {
	struct seep_thread *next;  /* list of all records, never shortened */
	uint32_t in_use;
	uint32_t tid;
	uint32_t epoch;            /* of the rules under which known[] was made */
	uint32_t last_site;        /* of the last block born here; 0: it has replaced another */
	int64_t live_bytes;        /* born minus died here: the sum over threads is the truth */
	int64_t live_blocks;
	uint64_t last_bytes;
	const void *last_block;
	uint64_t dropped;          /* allocations that found no site */
	uint64_t lost_walks;
	struct seep_stack_bounds stack, other;
	uint32_t captures;         /* counted until the lower end of the stack is verified */
	bool stack_is_sure;        /* nothing but this thread's stack lies within its bounds */
	uint32_t tiny_chain;       /* free entries of tiny.c */
	uint32_t n_tiny;
	_Alignas(64) struct seep_recent_site sites[SEEP_RECENT_SITES]; /* four to a cache line */
	uint32_t n_known;          /* end of the frames that a later walk may rely on */
	uint32_t n_last;           /* end of the frames of the last stack */
	uint32_t last_end;         /* SEEP_PC_CUT, SEEP_PC_LOST or 0: how it ended */
	int32_t memo_credit;       /* hits minus misses, at most 0; if very low, memos pause */
	int32_t memo_rest;         /* how long the last pause was, in captures */
	bool has_memos;
	bool last_signal;          /* the last stack that was walked to its end crossed a signal */
	uint32_t python_epoch;     /* see python.c; 0: none of its frames are known */
	struct seep_python_thread *python; /* NULL: no Python has run here */
	uint16_t by_sp[SEEP_BY_SP]; /* known frames by their sp */
	struct seep_memo_set memos[1 << SEEP_MEMO_BITS];
	uint64_t *counts[SEEP_CHUNKS]; /* by site: see few.h */
	struct seep_chains_book *growths; /* see chains.h; NULL: nothing has grown here */
	struct seep_known_frame known[SEEP_STACK_MAX]; /* known[0]: no frame; sp is above all */
	struct seep_known_frame fresh[SEEP_STACK_MAX];
	struct seep_flats flats;
};

extern __thread struct seep_thread *seep_thread_self __attribute__((tls_model("initial-exec")));

bool seep_thread_init(void);

/* A record for the calling thread; NULL if there is no memory. */
__attribute__((cold)) struct seep_thread *seep_thread_new(void);

static inline struct seep_thread *seep_thread_get(void)
{
	struct seep_thread *thread = seep_thread_self;

	return __builtin_expect(thread != NULL, 1) ? thread : seep_thread_new();
}

/* The first of all records, for adding up. */
struct seep_thread *seep_thread_first(void);

/* Whether no other thread has a record: none that could allocate or free unnoticed. */
bool seep_thread_is_alone(void);

/*
 * A record that belongs to no thread, for what happens in a signal handler that has interrupted
 * its thread's own record.  All threads add to it, atomically.
 */
struct seep_thread *seep_thread_stray(void);

/* A chunk of counts, and a tally at this place, created if need be; NULL if there is no memory. */
__attribute__((cold)) uint64_t *seep_thread_add_chunk(struct seep_thread *thread, uint32_t chunk);
__attribute__((cold)) struct seep_tally *seep_thread_add_tally(uint64_t *place);

static inline struct seep_recent_site *seep_thread_recent(struct seep_thread *thread,
							  uint64_t hash, uint32_t phase)
{
	return &thread->sites[(hash ^ phase) % SEEP_RECENT_SITES];
}

/* Where the thread counts for a site; NULL if there is no memory. */
static inline uint64_t *seep_thread_place(struct seep_thread *thread, uint32_t site)
{
	/* Acquire: several threads fill the stray record. */
	uint64_t *chunk = __atomic_load_n(&thread->counts[site / SEEP_CHUNK_SITES],
					  __ATOMIC_ACQUIRE);

	if (__builtin_expect(!chunk, 0)) {
		chunk = seep_thread_add_chunk(thread, site / SEEP_CHUNK_SITES);
		if (!chunk)
			return NULL;
	}
	return &chunk[site % SEEP_CHUNK_SITES];
}

/* The tally, with what was counted before; NULL if there is no memory. */
static inline struct seep_tally *seep_thread_tally(struct seep_thread *thread, uint32_t site)
{
	uint64_t *place = seep_thread_place(thread, site);
	struct seep_tally *tally;

	if (__builtin_expect(!place, 0))
		return NULL;
	tally = seep_few_tally(__atomic_load_n(place, __ATOMIC_ACQUIRE));
	return __builtin_expect(tally != NULL, 1) ? tally : seep_thread_add_tally(place);
}

/* Bytes of all tallies. */
uint64_t seep_thread_tally_bytes(void);

/* Live bytes and blocks over all threads. */
void seep_thread_totals(int64_t *live_bytes, int64_t *live_blocks);

/* Adds up what all threads have counted.  ages has SEEP_TRACE_AGE_BINS entries. */
void seep_thread_sum_site(uint32_t site, struct seep_tally *sum, uint64_t *ages);

/* Forgets what the thread has learned about its stack, and what it was about to change. */
void seep_thread_reset(struct seep_thread *thread);

void seep_thread_forked(void);

#endif
