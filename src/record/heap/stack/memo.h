/* SPDX-License-Identifier: MIT */
/*
 * Stacks that a thread has captured before, found by their innermost frame.
 *
 * Most allocations of a loop come from a few places, one after the other, each
 * a few frames below the loop.  A memo holds the inner frames of such a stack: the
 * words on the stack that a walk would read there (return addresses, and saved frame
 * pointers where they matter), and the known frame that it would then meet:
 *
 *	known[met]  <--  word, word ... word  <--  pc, sp of the hook's caller
 *
 * If pc and sp are the same again and no word has changed, a walk would reach the
 * same known frame by the same path, so there is no need for it.  The words
 * are compared all at once, not one after the other, so this is done only on a
 * thread's own stack, where each of them can be read.
 *
 * Several stacks may start alike: each set has four memos, which are tried in
 * turn, the latest first.  If most stacks are new, looking for memos and making
 * them costs more than it saves: then memos pause for a while.
 */
#ifndef SEEP_RECORD_HEAP_STACK_MEMO_H
#define SEEP_RECORD_HEAP_STACK_MEMO_H

#include "record/heap/thread.h"

#define SEEP_MEMO_MISS 6        /* cost of a miss, in hits */
#define SEEP_MEMO_PATIENCE 2048 /* this much may be lost before memos pause */
#define SEEP_MEMO_REST 1024     /* captures in the first pause; each later one is twice as long */
#define SEEP_MEMO_REST_MAX 32768

/* The memos of stacks that start here. */
static inline struct seep_memo_set *seep_memo_find(struct seep_thread *thread,
						   const struct seep_cpu_frame *frame)
{
	uint64_t key = (frame->pc ^ frame->sp << 20) * 0x9e3779b97f4a7c15u;

	return &thread->memos[key >> (64 - SEEP_MEMO_BITS)];
}

/* The bits in which four words of the stack have changed. */
static inline uintptr_t seep_memo_differs(const struct seep_memo_words *words, uintptr_t base)
{
	uintptr_t bits = 0;
	int i;

	for (i = 0; i < 4; i++)
		bits |= *(const uintptr_t *)(base + words->offset[i]) ^ words->value[i];
	return bits;
}

/* Whether a walk from this frame would reach the memo's known frame. */
static inline bool seep_memo_holds(const struct seep_thread *thread, const struct seep_memo *memo,
				   const struct seep_cpu_frame *frame)
{
	const struct seep_known_frame *met = &thread->known[memo->met];
	uintptr_t base = frame->sp + (uintptr_t)SEEP_CPU_RA_OFFSET;

	if ((memo->pc ^ frame->pc) | (memo->sp ^ frame->sp))
		return false;
	if (seep_memo_differs(&memo->words[0], base) ||
	    (memo->n_words > 4 && seep_memo_differs(&memo->words[1], base)) ||
	    (memo->n_words > 8 && seep_memo_differs(&memo->words[2], base)))
		return false;
	if ((met->hash ^ memo->met_hash) | (met->frame.sp ^ memo->met_sp) |
	    ((met->frame.bp ^ memo->met_bp) & memo->met_bp_mask) |
	    ((frame->bp ^ memo->bp) & memo->bp_mask))
		return false;
	return memo->met < thread->n_known && met->bp_live == (memo->met_bp_mask != 0);
}

/* The first memo that is valid; NULL if none is. */
static inline const struct seep_memo *seep_memo_choose(const struct seep_thread *thread,
						       const struct seep_memo_set *set,
						       const struct seep_cpu_frame *frame)
{
	uint32_t order = set->order ^ SEEP_MEMO_ORDER;
	int i;

	for (i = 0; i < 4; i++, order >>= 8)
		if (seep_memo_holds(thread, &set->memos[order & 3], frame))
			return &set->memos[order & 3];
	return NULL;
}

/* Forgets all memos of a thread. */
void seep_memo_clear(struct seep_thread *thread);

/*
 * Takes the few steps to a known frame and makes a memo of them.  False if that is
 * too far, if a frame on the way is unusual, or if a caller further out has changed;
 * otherwise hash is set to the hash of the stack.
 */
bool seep_memo_walk(struct seep_thread *thread, struct seep_memo_set *set,
		    const struct seep_cpu_frame *first, uint64_t *hash);

#endif
