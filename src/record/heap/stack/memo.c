/* SPDX-License-Identifier: MIT */
#include "record/heap/stack/memo.h"

#include "record/heap/stack/known.h"

#include <string.h>

#define STEPS_MAX 12u
#define WORDS_MAX 12u

/* From one frame to its caller. */
struct step {
	uintptr_t pc;            /* of the inner frame */
	seep_rule rule;
	uintptr_t bp_slot;       /* where the caller's bp was read from; 0: bp is unchanged */
	struct seep_cpu_frame to;
};

void seep_memo_clear(struct seep_thread *thread)
{
	if (thread->has_memos) /* if not, do not touch their pages */
		memset(thread->memos, 0, sizeof(thread->memos));
	thread->has_memos = false;
}

/* The known frame that the steps lead to; NULL if it is further out. */
static inline struct seep_known_frame *follow(struct seep_thread *thread,
					      struct seep_cpu_frame frame, struct step *steps,
					      uint32_t *n)
{
	uintptr_t end = thread->stack.high, cfa;
	struct seep_known_frame *met;
	struct step *step = steps;
	seep_rule rule;

	while (!(met = seep_known_meet(thread, &frame))) {
		rule = seep_unwind_find(seep_unwind_key(frame.pc, false));
		cfa = (seep_rule_kind(rule) == SEEP_CFI_SP ? frame.sp : frame.bp) +
		      (uintptr_t)seep_rule_offset(rule);
		if (!seep_rule_is_common(rule) || cfa - frame.sp - 1 >= end - frame.sp ||
		    step == steps + STEPS_MAX)
			return NULL;
		step->pc = frame.pc;
		step->rule = rule;
		step->bp_slot = 0;
		if (seep_rule_bp(rule) == SEEP_CFI_BP_AT_CFA) {
			step->bp_slot = cfa + (uintptr_t)seep_rule_bp_offset(rule);
			frame.bp = seep_known_peek(step->bp_slot);
		}
		frame.pc = seep_known_peek(cfa + (uintptr_t)SEEP_CPU_RA_OFFSET);
		frame.sp = cfa;
		step++->to = frame;
	}
	*n = (uint32_t)(step - steps);
	return met;
}

static void add_word(struct seep_memo *memo, uint32_t n, uintptr_t address, uintptr_t value)
{
	uintptr_t base = memo->sp + (uintptr_t)SEEP_CPU_RA_OFFSET;

	memo->words[n / 4].offset[n % 4] = (uint32_t)(address - base);
	memo->words[n / 4].value[n % 4] = value;
}

/* The words that the steps read, and whether the first bp matters; false if they are too many. */
static bool add_words(struct seep_memo *memo, const struct step *steps, uint32_t n_steps,
		      bool bp_live)
{
	uint32_t n = 0;

	while (n_steps--) {
		const struct step *step = &steps[n_steps];

		if (n + 2 > WORDS_MAX || step->to.sp - memo->sp > INT32_MAX)
			return false;
		if (step->bp_slot && bp_live)
			add_word(memo, n++, step->bp_slot, step->to.bp);
		add_word(memo, n++, step->to.sp + (uintptr_t)SEEP_CPU_RA_OFFSET, step->to.pc);
		bp_live = seep_rule_kind(step->rule) == SEEP_CFI_BP ||
			  (!step->bp_slot && bp_live);
	}
	memo->n_words = n;
	memo->bp_mask = bp_live ? UINTPTR_MAX : 0;
	/* Words are compared four at a time: fill up with one that always matches. */
	for (; !n || n % 4; n++)
		add_word(memo, n, memo->sp + (uintptr_t)SEEP_CPU_RA_OFFSET, memo->pc);
	return true;
}

static void make(const struct seep_thread *thread, struct seep_memo *memo,
		 const struct seep_cpu_frame *first, const struct seep_known_frame *met,
		 const struct step *steps, uint32_t n_steps, uint64_t hash)
{
	memo->pc = first->pc;
	memo->sp = first->sp;
	memo->bp = first->bp;
	if (!add_words(memo, steps, n_steps, met->bp_live)) {
		memo->pc = 0;
		return;
	}
	memo->met = (uint32_t)(met - thread->known);
	memo->met_sp = met->frame.sp;
	memo->met_bp = met->frame.bp;
	memo->met_bp_mask = met->bp_live ? UINTPTR_MAX : 0;
	memo->met_hash = met->hash;
	memo->hash = hash;
}

bool seep_memo_walk(struct seep_thread *thread, struct seep_memo_set *set,
		    const struct seep_cpu_frame *first, uint64_t *hash)
{
	struct step steps[STEPS_MAX];
	struct seep_known_frame *met;
	uint32_t order = set->order ^ SEEP_MEMO_ORDER, n, i;

	met = follow(thread, *first, steps, &n);
	if (!met || met >= &thread->known[SEEP_STACK_MAX - 2 * STEPS_MAX] ||
	    seep_known_find_change(thread, met))
		return false;
	*hash = met->hash;
	for (i = n; i--;)
		*hash = seep_known_mix(*hash, steps[i].pc, steps[i].rule);
	/* The new memo replaces the oldest one and comes first. */
	order = order << 8 | order >> 24;
	set->order = order ^ SEEP_MEMO_ORDER;
	make(thread, &set->memos[order & 3], first, met, steps, n, *hash);
	thread->has_memos = true;
	return true;
}
