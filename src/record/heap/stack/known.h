/* SPDX-License-Identifier: MIT */
/*
 * The frames of a stack that a thread remembers, and whether they are still valid.  walk.c
 * explains why comparing slots of the stack is enough to know.
 */
#ifndef SEEP_RECORD_HEAP_STACK_KNOWN_H
#define SEEP_RECORD_HEAP_STACK_KNOWN_H

#include "record/heap/stack/unwind.h"
#include "record/heap/thread.h"

static inline uintptr_t seep_known_peek(uintptr_t address)
{
	return *(const uintptr_t *)address;
}

/* The hash of a stack, from that of its callers and the innermost frame with its rule. */
static inline uint64_t seep_known_mix(uint64_t hash, uintptr_t pc, seep_rule rule)
{
	/* The rule is scattered first: its offset and the low bits of pc could cancel out. */
	hash = (hash ^ pc ^ rule * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static inline bool seep_known_is_own_stack(const struct seep_thread *thread, uintptr_t sp)
{
	return thread->stack_is_sure &&
	       sp - thread->stack.low < thread->stack.high - thread->stack.low;
}

/* The bits in which the return address that led from a frame to its caller has changed. */
static inline uintptr_t seep_known_differs(const struct seep_known_frame *inner)
{
	const struct seep_known_frame *outer = inner - 1;

	return seep_known_peek(outer->frame.sp + (uintptr_t)SEEP_CPU_RA_OFFSET) ^
	       outer->frame.pc;
}

/* The first frame outwards whose return address has changed; the outermost if none has. */
static inline struct seep_known_frame *seep_known_find_ra(struct seep_thread *thread,
							  struct seep_known_frame *inner)
{
	struct seep_known_frame *outermost = &thread->known[1];

	/*
	 * Four at a time on the thread's own stack, which stays mapped.  Elsewhere one by
	 * one, since a slot may be read only if those before it are unchanged.
	 */
	if (__builtin_expect(seep_known_is_own_stack(thread, inner->frame.sp), 1))
		while (inner - outermost >= 4 &&
		       !(seep_known_differs(inner) | seep_known_differs(inner - 1) |
			 seep_known_differs(inner - 2) | seep_known_differs(inner - 3)))
			inner -= 4;
	while (inner > outermost && !seep_known_differs(inner))
		inner--;
	return inner;
}

/* Whether the caller's bp has changed, or where its frame starts if that is kept on the stack. */
static inline bool seep_known_bp_differs(const struct seep_known_frame *known)
{
	if (known->bp_slot && seep_known_peek(known->bp_slot) != known[-1].frame.bp)
		return true;
	return __builtin_expect(seep_rule_kind(known->rule) == SEEP_CFI_BP_DEREF, 0) &&
	       seep_known_peek(known->frame.bp + (uintptr_t)seep_rule_offset(known->rule)) !=
		       known[-1].frame.sp;
}

/* The first frame, from this one outwards, whose slots have changed; NULL if none has. */
static inline struct seep_known_frame *seep_known_find_change(struct seep_thread *thread,
							      struct seep_known_frame *inner)
{
	struct seep_known_frame *change = seep_known_find_ra(thread, inner), *known;
	uint32_t i;

	for (i = inner->bp_check; i; i = known[-1].bp_check) {
		known = &thread->known[i];
		if (known <= change)
			break;
		if (seep_known_bp_differs(known))
			return known;
	}
	return change > &thread->known[1] ? change : NULL;
}

/* Enters a frame into the table in which seep_known_meet looks. */
static inline void seep_known_enter(struct seep_thread *thread,
				    const struct seep_known_frame *known)
{
	thread->by_sp[known->frame.sp / 16 % SEEP_BY_SP] = (uint16_t)(known - thread->known);
}

/* The known frame that equals this one; NULL if there is none, or if its entry was reused. */
static inline struct seep_known_frame *seep_known_meet(struct seep_thread *thread,
						       const struct seep_cpu_frame *frame)
{
	uint32_t i = thread->by_sp[frame->sp / 16 % SEEP_BY_SP];
	struct seep_known_frame *known = &thread->known[i];

	if (i < thread->n_known && known->frame.sp == frame->sp &&
	    known->frame.pc == frame->pc && (!known->bp_live || known->frame.bp == frame->bp))
		return known;
	return NULL;
}

#endif
