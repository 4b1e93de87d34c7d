/* SPDX-License-Identifier: MIT */
/*
 * Capturing a stack, the heart of the tracker's speed.
 *
 * Between two allocations of a thread most of its stack stays as it was.  So
 * the last stack is remembered, outermost frame first, and a new walk goes from
 * the inside out only until it meets a remembered frame:
 *
 *	known[0]  known[1]  ...  known[k]       known[k+1] ...  (popped: returned since)
 *	_start    main           loop
 *	                           ^
 *	                           |  same pc, sp and bp
 *	                         fresh[1] <-- fresh[0] <-- the hook's caller
 *
 * A frame is a function of the next inner one (its pc, sp, bp) and of the two
 * stack slots its caller's pc and bp were read from.  So if the walk stands at
 * known[k], and all slots between known[k] and known[0] still hold what they
 * held, then a full walk would find exactly known[k-1] ... known[0], and need not
 * be made.  The slots are compared from the inside out: each address that is
 * read is one that the full walk would have read, too.
 *
 * Frames beyond a signal frame are not remembered.
 */
#include "record/heap/walk.h"

#include "record/heap/rules.h"

struct seep_intern seep_walk_nodes;

#define NODES_MAX ((uint32_t)1 << 22)

struct walk {
	struct seep_cpu_frame frame;
	uint32_t n_fresh;
	uint32_t root;           /* node above the outermost fresh frame */
	bool exact;              /* frame.pc is no return address */
	bool forget;             /* a signal frame was crossed */
};

bool seep_walk_init(void)
{
	return seep_intern_init(&seep_walk_nodes, NODES_MAX);
}

static uintptr_t peek(uintptr_t address)
{
	return *(const uintptr_t *)address;
}

/* Whether the slots that led from known[top] to known[0] are unchanged. */
static bool suffix_holds(const struct seep_thread *thread, uint32_t top)
{
	const struct seep_known_frame *inner = &thread->known[top];

	for (; inner > thread->known; inner--) {
		const struct seep_known_frame *outer = inner - 1;

		if (peek(outer->frame.sp + (uintptr_t)SEEP_CPU_RA_OFFSET) != outer->frame.pc)
			return false;
		if (inner->bp_slot && peek(inner->bp_slot) != outer->frame.bp)
			return false;
	}
	return true;
}

/* Drops the remembered frames that have returned; true if the walk has met one that stands. */
static bool meets_known(struct seep_thread *thread, const struct walk *walk)
{
	const struct seep_cpu_frame *frame = &walk->frame;
	uint32_t n = thread->n_known;

	while (n && thread->known[n - 1].frame.sp < frame->sp)
		n--;
	thread->n_known = n;
	if (!n || thread->known[n - 1].frame.sp != frame->sp)
		return false;
	thread->n_known = n - 1;
	if (thread->known[n - 1].frame.pc != frame->pc || thread->known[n - 1].frame.bp != frame->bp)
		return false;
	if (!suffix_holds(thread, n - 1)) {
		thread->n_known = 0;
		return false;
	}
	thread->n_known = n;
	return true;
}

/* The end of the stack that sp is on; 0 if that cannot be told. */
static uintptr_t stack_end(struct seep_thread *thread, uintptr_t sp)
{
	if (sp >= thread->stack.low && sp < thread->stack.high)
		return thread->stack.high;
	if (sp >= thread->other.low && sp < thread->other.high)
		return thread->other.high;
	return seep_stack_find(sp, &thread->other) ? thread->other.high : 0;
}

static uintptr_t find_cfa(const struct seep_cpu_frame *frame, seep_rule rule, uintptr_t end)
{
	uintptr_t offset = (uintptr_t)seep_rule_offset(rule);

	switch (seep_rule_kind(rule)) {
	case SEEP_CFI_SP:
		return frame->sp + offset;
	case SEEP_CFI_BP:
		return frame->bp + offset;
	case SEEP_CFI_BP_DEREF:
		if (frame->bp + offset < frame->sp || frame->bp + offset > end - sizeof(uintptr_t))
			return 0;
		return peek(frame->bp + offset);
	default:
		return 0;
	}
}

/* The slot that holds the caller's bp; 0 if it is in the register, 1 if the rule makes no sense. */
static uintptr_t find_bp_slot(const struct seep_cpu_frame *frame, seep_rule rule, uintptr_t cfa,
			      uintptr_t end)
{
	uintptr_t slot;

	if (seep_rule_bp(rule) == SEEP_CFI_BP_SAME)
		return 0;
	slot = seep_rule_bp(rule) == SEEP_CFI_BP_AT_CFA ? cfa : frame->bp;
	slot += (uintptr_t)seep_rule_bp_offset(rule);
	return slot >= frame->sp && slot <= end - sizeof(uintptr_t) ? slot : 1;
}

/* From the current frame to its caller; false where the rule does not lead up the stack. */
static bool step(struct walk *walk, struct seep_known_frame *known, seep_rule rule, uintptr_t end)
{
	struct seep_cpu_frame *frame = &walk->frame;
	uintptr_t cfa = find_cfa(frame, rule, end), bp_slot;

	if (cfa <= frame->sp || cfa > end)
		return false;
	bp_slot = find_bp_slot(frame, rule, cfa, end);
	if (bp_slot == 1)
		return false;
	known->bp_slot = bp_slot;
	frame->pc = peek(cfa + (uintptr_t)SEEP_CPU_RA_OFFSET);
	frame->sp = cfa;
	if (bp_slot)
		frame->bp = peek(bp_slot);
	walk->exact = false;
	return true;
}

static bool step_over_signal(struct seep_thread *thread, struct walk *walk, uintptr_t end)
{
	if (end - walk->frame.sp < SEEP_CPU_SIGNAL_FRAME_BYTES)
		return false;
	walk->frame = seep_cpu_interrupted(walk->frame.sp);
	walk->exact = true;
	walk->forget = true;
	thread->n_known = 0;
	return true;
}

static uint32_t mark(uint32_t pc)
{
	return seep_intern_get(&seep_walk_nodes, pc, 0);
}

/* One frame outwards.  False: the walk is over, root says how it ended. */
static bool advance(struct seep_thread *thread, struct walk *walk)
{
	struct seep_known_frame *known = &thread->fresh[walk->n_fresh];
	seep_rule rule = seep_rules_find(seep_rules_key(walk->frame.pc, walk->exact));
	uintptr_t end = stack_end(thread, walk->frame.sp);
	bool moved = false;

	known->frame = walk->frame;
	known->frame.pc += walk->exact; /* readers take one off, as for a return address */
	known->bp_slot = 0;
	known->module = seep_rule_module(rule);
	walk->n_fresh++;
	if (seep_rule_kind(rule) == SEEP_CFI_END)
		return false;
	if (end && seep_rule_kind(rule) == SEEP_CFI_SIGNAL)
		moved = step_over_signal(thread, walk, end);
	else if (end)
		moved = step(walk, known, rule, end);
	if (!moved) {
		thread->lost_walks++;
		walk->root = mark(SEEP_PC_LOST);
		return false;
	}
	if (!walk->frame.pc)
		return false;
	if (walk->n_fresh + thread->n_known < SEEP_STACK_MAX)
		return true;
	walk->root = mark(SEEP_PC_CUT);
	thread->n_known = 0;
	return false;
}

/* Numbers the fresh frames from the outermost in and remembers them. */
static uint32_t remember(struct seep_thread *thread, const struct walk *walk, uint32_t node)
{
	uint32_t i = walk->n_fresh;

	while (i--) {
		struct seep_known_frame *known = &thread->known[thread->n_known];

		*known = thread->fresh[i];
		node = seep_intern_get(&seep_walk_nodes, known->frame.pc,
				       (uint64_t)node << 32 | known->module);
		if (!node) {
			thread->n_known = 0;
			return 0;
		}
		known->node = node;
		thread->n_known++;
	}
	if (walk->forget)
		thread->n_known = 0;
	return node;
}

uint32_t seep_walk_capture(struct seep_thread *thread, const void *frame_address)
{
	struct walk walk = {.frame = seep_cpu_caller(frame_address)};
	uint32_t epoch = seep_rules_epoch();

	if (thread->epoch != epoch) {
		thread->epoch = epoch;
		thread->n_known = 0;
	}
	do {
		if (meets_known(thread, &walk))
			return remember(thread, &walk, thread->known[thread->n_known - 1].node);
	} while (advance(thread, &walk));
	thread->n_known = 0;
	return remember(thread, &walk, walk.root);
}
