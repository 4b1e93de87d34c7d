/* SPDX-License-Identifier: MIT */
/*
 * Capturing a stack, the heart of the tracker's speed.
 *
 * Between two allocations of a thread most of its stack stays as it was.  So
 * the last stack is remembered, outermost frame first, and a new walk goes from
 * the inside out only until it meets a remembered frame:
 *
 *	known[1]  known[2]  ...  known[k]       known[k+1] ...  (dropped: returned since)
 *	_start    main           loop
 *	                           ^
 *	                           |  same pc, sp and bp
 *	                         fresh[1] <-- fresh[0] <-- the hook's caller
 *
 * A frame is a function of the next inner one (its pc, sp, bp) and of the two
 * stack slots from which its caller's pc and bp were read.  A function that realigns its stack
 * keeps its caller's sp in a third slot.  (bp counts only if a frame
 * further out is found by it: otherwise it is a register like others, which
 * changes all the time.)  So if the walk is at known[k], and no slot between known[k] and
 * known[1] has changed, then a full walk would find exactly known[k-1] ... known[1],
 * and is not needed.  The slots are compared from the inside out: each address that is
 * read is one that the full walk would have read too.
 *
 * A stack is identified by a hash that each frame adds to.  Only when a
 * hash is new to its user are the frames entered into the tree of stacks.
 *
 * Frames beyond a signal frame are not remembered, nor is a stack that was cut.
 */
#include "record/heap/stack/walk.h"

#include "record/heap/stack/flat.h"
#include "record/heap/stack/known.h"
#include "record/heap/stack/memo.h"
#include "record/heap/stack/nodes.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define WORD sizeof(uintptr_t)
#define SURE_PERIOD 1024u
#define FRESH_MAX (SEEP_STACK_MAX - 3)

struct walk {
	struct seep_cpu_frame frame; /* the current frame of the walk */
	struct seep_known_frame *top; /* the innermost known frame that may still be valid */
	struct seep_known_frame *fresh; /* one past the last fresh frame */
	uintptr_t end;           /* of the stack that frame.sp is on */
	uint32_t how;            /* it ended: SEEP_PC_CUT, SEEP_PC_LOST or 0 */
	uintptr_t below;         /* bytes under frame.sp that the frame may still own */
	bool exact;              /* frame.pc is not a return address */
	bool forget;             /* a signal frame was crossed, or the stack cut */
	bool signal;             /* a signal frame was crossed */
};

/* The end of the stack that sp is on; 0 if that cannot be found out. */
static inline uintptr_t find_end(struct seep_thread *thread, uintptr_t sp)
{
	if (LIKELY(sp >= thread->stack.low && sp < thread->stack.high))
		return thread->stack.high;
	if (sp >= thread->other.low && sp < thread->other.high)
		return thread->other.high;
	return seep_stack_find(sp, &thread->other) ? thread->other.high : 0;
}

/*
 * Finds where a thread's stack really begins: the mapping that holds its frames ends at the
 * guard page below.  Only for threads that live long enough to be worth it.
 */
static __attribute__((noinline)) void make_sure(struct seep_thread *thread, uintptr_t sp)
{
	struct seep_stack_bounds found;

	if (sp < thread->stack.low || sp >= thread->stack.high || !seep_stack_find(sp, &found) ||
	    found.high < thread->stack.high)
		return;
	thread->stack.low = found.low;
	thread->stack_is_sure = true;
}

/* The word at an address that must be on this stack; 0 if it is not. */
static uintptr_t peek_checked(const struct walk *walk, uintptr_t address)
{
	if (address < walk->frame.sp || address > walk->end - WORD)
		return 0;
	return seep_known_peek(address);
}

/* Goes from the current frame to its caller, whose sp is cfa; false if that makes no sense. */
static inline bool step_to(struct walk *walk, seep_rule rule, uintptr_t cfa)
{
	struct seep_cpu_frame *frame = &walk->frame;
	uintptr_t slot;

	if (cfa <= frame->sp || cfa > walk->end)
		return false;
	if (seep_rule_bp(rule) != SEEP_CFI_BP_SAME) {
		slot = seep_rule_bp(rule) == SEEP_CFI_BP_AT_CFA ? cfa : frame->bp;
		slot += (uintptr_t)seep_rule_bp_offset(rule);
		if (slot < frame->sp - walk->below || slot > walk->end - WORD)
			return false;
		walk->fresh[-1].bp_slot = slot;
		frame->bp = seep_known_peek(slot);
	}
	frame->pc = seep_known_peek(cfa + (uintptr_t)SEEP_CPU_RA_OFFSET);
	frame->sp = cfa;
	return true;
}

static bool step_over_signal(struct seep_thread *thread, struct walk *walk)
{
	if (walk->end - walk->frame.sp < SEEP_CPU_SIGNAL_FRAME_BYTES)
		return false;
	walk->frame = seep_cpu_interrupted(walk->frame.sp);
	walk->end = find_end(thread, walk->frame.sp);
	walk->exact = true;
	walk->signal = walk->forget = true;
	walk->top = thread->known;
	return walk->end != 0;
}

/* For frames that are not of the common kinds; the outermost is one of them. */
static __attribute__((noinline)) bool step_rarely(struct seep_thread *thread, struct walk *walk,
						  seep_rule rule)
{
	bool moved = false;

	if (seep_rule_kind(rule) == SEEP_CFI_END)
		return false;
	if (walk->end && seep_rule_kind(rule) == SEEP_CFI_SIGNAL)
		moved = step_over_signal(thread, walk);
	else if (walk->end && seep_rule_kind(rule) == SEEP_CFI_BP_DEREF)
		moved = step_to(walk, rule, peek_checked(walk, walk->frame.bp +
							 (uintptr_t)seep_rule_offset(rule)));
	if (!moved) {
		thread->lost_walks++;
		walk->how = SEEP_PC_LOST;
	}
	return moved && walk->frame.pc;
}

/* Goes one frame outwards if it is not of a common kind.  False: the walk is over. */
static bool advance(struct seep_thread *thread, struct walk *walk)
{
	struct seep_known_frame *fresh = walk->fresh++;
	seep_rule rule = seep_unwind_find(seep_unwind_key(walk->frame.pc, walk->exact));
	enum seep_cfi_kind kind = seep_rule_kind(rule);

	fresh->frame = walk->frame;
	fresh->frame.pc += walk->exact; /* readers subtract one, as for a return address */
	fresh->bp_slot = 0;
	fresh->rule = rule;
	fresh->bp_used = kind != SEEP_CFI_SP || seep_rule_bp(rule) == SEEP_CFI_BP_AT_BP;
	walk->below = walk->exact ? SEEP_CPU_RED_ZONE_BYTES : 0;
	walk->exact = false;
	if (kind == SEEP_CFI_SP || kind == SEEP_CFI_BP) {
		uintptr_t base = kind == SEEP_CFI_SP ? walk->frame.sp : walk->frame.bp;

		if (step_to(walk, rule, base + (uintptr_t)seep_rule_offset(rule)))
			return walk->frame.pc;
		rule = 0;
	}
	return step_rarely(thread, walk, rule);
}

/*
 * The same for the common kinds, until a known frame is met (true) or a frame
 * is not of a common kind (false).  All in registers: this is where the time goes.
 */
static inline bool run(struct seep_thread *thread, struct walk *walk)
{
	struct seep_cpu_frame frame = walk->frame;
	struct seep_known_frame *top = walk->top, *fresh = walk->fresh;
	const struct seep_known_frame *last = thread->fresh + FRESH_MAX;
	uintptr_t end = walk->end, cfa, slot;
	bool met = false;
	seep_rule rule;

	for (;;) {
		while (top->frame.sp < frame.sp)
			top--;
		if (top->frame.sp == frame.sp) {
			met = top->frame.pc == frame.pc &&
			      (!top->bp_live || top->frame.bp == frame.bp);
			if (met)
				break;
			top--;
		}
		rule = seep_unwind_find(seep_unwind_key(frame.pc, false));
		cfa = (seep_rule_kind(rule) == SEEP_CFI_SP ? frame.sp : frame.bp) +
		      (uintptr_t)seep_rule_offset(rule);
		if (!LIKELY(seep_rule_is_common(rule) && cfa - frame.sp - 1 < end - frame.sp &&
			    fresh < last))
			break;
		fresh->frame = frame;
		fresh->bp_slot = 0;
		fresh->rule = rule;
		fresh->bp_used = seep_rule_kind(rule) == SEEP_CFI_BP;
		if (seep_rule_bp(rule) == SEEP_CFI_BP_AT_CFA) {
			slot = cfa + (uintptr_t)seep_rule_bp_offset(rule);
			fresh->bp_slot = slot;
			frame.bp = seep_known_peek(slot);
		}
		frame.pc = seep_known_peek(cfa + (uintptr_t)SEEP_CPU_RA_OFFSET);
		frame.sp = cfa;
		fresh++;
	}
	walk->frame = frame;
	walk->top = top;
	walk->fresh = fresh;
	return met;
}

/* Whether the fresh frames fit above the known one that was met. */
static inline bool fits(const struct seep_thread *thread, const struct walk *walk)
{
	return (walk->fresh - thread->fresh) + (walk->top - thread->known) <
	       (ptrdiff_t)SEEP_STACK_MAX - 1;
}

/*
 * A known frame was met, but a caller further out has changed.  The frames up to
 * that caller are unchanged, except for bp, and need not be found again.
 */
static __attribute__((noinline)) void take_over(struct seep_thread *thread, struct walk *walk,
						const struct seep_known_frame *change)
{
	const struct seep_known_frame *known = walk->top;
	const struct seep_known_frame *last = thread->fresh + FRESH_MAX;
	uintptr_t bp = walk->frame.bp;

	for (; known > change && walk->fresh < last; known--, walk->fresh++) {
		*walk->fresh = *known;
		walk->fresh->frame.bp = bp;
		if (known->bp_slot)
			bp = seep_known_peek(known->bp_slot);
	}
	walk->frame = known->frame;
	walk->frame.bp = bp;
}

/* What bp means to this frame and those further out. */
static inline void link_bp(const struct seep_thread *thread, struct seep_known_frame *known)
{
	const struct seep_known_frame *outer = known - 1;

	known->bp_live = known->bp_used | (!known->bp_slot & outer->bp_live);
	known->bp_check = (known->bp_slot && outer->bp_live) ||
				  seep_rule_kind(known->rule) == SEEP_CFI_BP_DEREF
				  ? (uint16_t)(known - thread->known) : outer->bp_check;
}

/* Puts the fresh frames on top of the known ones, from the outermost in. */
static inline uint64_t remember(struct seep_thread *thread, const struct walk *walk, uint64_t hash)
{
	struct seep_known_frame *known = walk->top + 1;
	struct seep_known_frame *fresh = walk->fresh;

	while (fresh-- > thread->fresh) {
		*known = *fresh;
		known->node = 0;
		link_bp(thread, known);
		hash = seep_known_mix(hash, known->frame.pc, known->rule);
		known->hash = hash;
		seep_known_enter(thread, known);
		known++;
	}
	thread->n_last = thread->n_known = (uint32_t)(known - thread->known);
	if (__builtin_expect(walk->forget, 0))
		thread->n_known = 1;
	return hash;
}

/* After a walk that went all the way: none of the known frames is reused. */
static uint64_t remember_whole(struct seep_thread *thread, struct walk *walk)
{
	thread->last_end = walk->how;
	thread->last_signal = walk->signal;
	walk->top = thread->known;
	return remember(thread, walk, walk->how);
}

/* Walks until a known frame is met, and remembers the whole stack. */
static __attribute__((noinline)) uint64_t capture_all(struct seep_thread *thread,
						      const struct seep_cpu_frame *first)
{
	struct walk walk = {.frame = *first, .fresh = thread->fresh};
	const struct seep_known_frame *change;

	walk.top = &thread->known[thread->n_known - 1];
	walk.end = find_end(thread, walk.frame.sp);
	do {
		if (!walk.exact && run(thread, &walk)) {
			change = seep_known_find_change(thread, walk.top);
			if (LIKELY(!change && fits(thread, &walk)))
				return remember(thread, &walk, walk.top->hash);
			take_over(thread, &walk, change ? change : walk.top);
		}
		if (walk.fresh - thread->fresh >= (ptrdiff_t)FRESH_MAX) {
			walk.how = SEEP_PC_CUT;
			walk.forget = true; /* a longer stack would be cut at another frame */
			break;
		}
	} while (walk.frame.pc && advance(thread, &walk));
	return remember_whole(thread, &walk);
}

/* Before the first capture, after an unloading, and on other stacks, more has to be done. */
static __attribute__((noinline)) uint64_t capture_rarely(struct seep_thread *thread,
							 const struct seep_cpu_frame *first)
{
	uint32_t epoch = seep_unwind_epoch();

	if (thread->epoch != epoch) {
		thread->epoch = epoch;
		thread->n_known = 1;
		thread->known[0].frame.sp = UINTPTR_MAX; /* above any stack */
		seep_memo_clear(thread);
		seep_flat_clear(thread);
	}
	if (!thread->stack_is_sure && ++thread->captures % SURE_PERIOD == 0)
		make_sure(thread, first->sp);
	return capture_all(thread, first);
}

/* No memo holds. */
static __attribute__((noinline)) uint64_t capture_anew(struct seep_thread *thread,
						       const struct seep_cpu_frame *first,
						       struct seep_memo_set *set)
{
	uint64_t hash;

	thread->memo_credit -= SEEP_MEMO_MISS;
	if (thread->memo_credit < -SEEP_MEMO_PATIENCE) {
		thread->memo_rest = thread->memo_rest ? 2 * thread->memo_rest : SEEP_MEMO_REST;
		if (thread->memo_rest > SEEP_MEMO_REST_MAX)
			thread->memo_rest = SEEP_MEMO_REST_MAX;
		thread->memo_credit = -SEEP_MEMO_PATIENCE - thread->memo_rest;
	}
	return seep_memo_walk(thread, set, first, &hash) ? hash : capture_all(thread, first);
}

uint64_t seep_walk_capture(struct seep_thread *thread, const void *frame_address)
{
	struct seep_cpu_frame first = seep_cpu_caller(frame_address);
	const struct seep_memo *memo;
	struct seep_memo_set *set;

	if (!LIKELY(thread->epoch == seep_unwind_epoch() &&
		    seep_known_is_own_stack(thread, first.sp)))
		return capture_rarely(thread, &first);
	if (thread->memo_credit < -SEEP_MEMO_PATIENCE) {
		if (++thread->memo_credit == -SEEP_MEMO_PATIENCE)
			thread->memo_credit = 0;
		return capture_all(thread, &first);
	}
	set = seep_memo_find(thread, &first);
	memo = seep_memo_choose(thread, set, &first);
	if (!LIKELY(memo && !seep_known_find_change(thread, &thread->known[memo->met])))
		return capture_anew(thread, &first, set);
	thread->memo_credit += thread->memo_credit < 0;
	return memo->hash;
}

uint64_t seep_walk_capture_frames(struct seep_thread *thread, const void *frame_address)
{
	struct seep_cpu_frame first = seep_cpu_caller(frame_address);

	if (!LIKELY(thread->epoch == seep_unwind_epoch() &&
		    seep_known_is_own_stack(thread, first.sp)))
		return capture_rarely(thread, &first);
	return capture_all(thread, &first);
}

bool seep_walk_crossed_signal(const struct seep_thread *thread)
{
	/* Such a stack was walked to its end, and is not remembered. */
	return thread->n_known == 1 && thread->last_signal;
}

void seep_walk_again(struct seep_thread *thread, const void *frame_address)
{
	struct seep_cpu_frame first = seep_cpu_caller(frame_address);

	capture_all(thread, &first); /* a memo has no frames */
}

uint32_t seep_walk_child(uint32_t caller, uint64_t pc, uint32_t module, bool create)
{
	return create ? seep_nodes_add(caller, pc, module) : seep_nodes_find(caller, pc, module);
}

uint32_t seep_walk_root(uint32_t how, bool create)
{
	return seep_walk_child(0, how, 0, create);
}

/* The first of the n inner frames, or the outermost. */
static uint32_t find_inner(const struct seep_thread *thread, uint32_t n)
{
	return n < thread->n_last - 1 ? thread->n_last - n : 1;
}

static uint32_t add_known(uint32_t caller, const struct seep_known_frame *known, bool create)
{
	return seep_walk_child(caller, known->frame.pc, seep_rule_module(known->rule), create);
}

/*
 * Begins at the innermost frame whose node is known: deep in a recursion, each new stack differs
 * from the last one by a frame or two.
 */
static uint32_t find_whole(struct seep_thread *thread, bool create)
{
	struct seep_known_frame *known = thread->known;
	uint32_t i = thread->n_last, node = 0;

	while (i > 1 && !known[i - 1].node)
		i--;
	if (i > 1)
		node = known[i - 1].node;
	else if (thread->last_end)
		node = seep_walk_root(thread->last_end, create);
	if (!node && thread->last_end)
		return 0;
	for (; i < thread->n_last; i++) {
		node = add_known(node, &known[i], create);
		if (!node)
			return 0;
		known[i].node = node;
	}
	return node;
}

uint32_t seep_walk_node(struct seep_thread *thread, uint32_t n, bool create)
{
	uint32_t node, i;

	if (n == SEEP_WALK_WHOLE)
		return find_whole(thread, create);
	node = seep_walk_root(SEEP_PC_CUT, create);
	for (i = find_inner(thread, n); i < thread->n_last && node; i++)
		node = add_known(node, &thread->known[i], create);
	return node;
}

bool seep_walk_sees_signal(struct seep_thread *thread, const void *frame_address)
{
	struct seep_cpu_frame first = seep_cpu_caller(frame_address);
	uint64_t lost_walks = thread->lost_walks;
	uint32_t i;

	capture_rarely(thread, &first);
	/* As if this walk had not been: it is never counted as lost, the next starts afresh. */
	thread->lost_walks = lost_walks;
	thread->n_known = 1;
	for (i = 1; i < thread->n_last; i++)
		if (seep_rule_kind(thread->known[i].rule) == SEEP_CFI_SIGNAL)
			return true;
	return false;
}

bool seep_walk_may_interrupt(struct seep_thread *thread, const void *frame_address)
{
	return seep_walk_sees_signal(thread, frame_address) || thread->last_end != 0;
}
