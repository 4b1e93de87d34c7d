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
 * A stack is told from others by a hash that each frame adds to; only when a
 * hash is new to its user are the frames entered into the tree of stacks.
 *
 * Frames beyond a signal frame are not remembered.
 */
#include "record/heap/walk.h"

#include "record/heap/rules.h"

struct seep_intern seep_walk_nodes;

#define NODES_MAX ((uint32_t)1 << 22)
#define LIKELY(x) __builtin_expect(!!(x), 1)

struct walk {
	struct seep_cpu_frame frame;
	uint32_t n_fresh;
	uint32_t end;            /* how it ended: SEEP_PC_CUT, SEEP_PC_LOST or 0 */
	uintptr_t stack_end;     /* of the stack that frame.sp is on; 0: not looked up yet */
	bool exact;              /* frame.pc is no return address */
	bool forget;             /* a signal frame was crossed */
};

bool seep_walk_init(void)
{
	return seep_intern_init(&seep_walk_nodes, NODES_MAX);
}

static inline uintptr_t peek(uintptr_t address)
{
	return *(const uintptr_t *)address;
}

/* Whether the slots that led from known[top] to known[0] are unchanged. */
static inline bool suffix_holds(const struct seep_thread *thread, uint32_t top)
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
static inline bool meets_known(struct seep_thread *thread, const struct seep_cpu_frame *frame)
{
	uint32_t n = thread->n_known;

	while (n && thread->known[n - 1].frame.sp < frame->sp)
		n--;
	thread->n_known = n;
	if (!n || thread->known[n - 1].frame.sp != frame->sp)
		return false;
	thread->n_known = n - 1;
	if (thread->known[n - 1].frame.pc != frame->pc || thread->known[n - 1].frame.bp != frame->bp)
		return false;
	thread->n_known = suffix_holds(thread, n - 1) ? n : 0;
	return thread->n_known;
}

/* The end of the stack that sp is on; 0 if that cannot be told. */
static __attribute__((noinline)) uintptr_t find_stack_end(struct seep_thread *thread, uintptr_t sp)
{
	if (sp >= thread->stack.low && sp < thread->stack.high)
		return thread->stack.high;
	if (sp >= thread->other.low && sp < thread->other.high)
		return thread->other.high;
	return seep_stack_find(sp, &thread->other) ? thread->other.high : 0;
}

/* The word at an address that must be on this stack; 0 if it is not. */
static uintptr_t peek_checked(const struct walk *walk, uintptr_t address)
{
	if (address < walk->frame.sp || address > walk->stack_end - sizeof(uintptr_t))
		return 0;
	return peek(address);
}

static inline uintptr_t find_cfa(const struct walk *walk, seep_rule rule)
{
	uintptr_t offset = (uintptr_t)seep_rule_offset(rule);

	switch (seep_rule_kind(rule)) {
	case SEEP_CFI_SP:
		return walk->frame.sp + offset;
	case SEEP_CFI_BP:
		return walk->frame.bp + offset;
	case SEEP_CFI_BP_DEREF:
		return peek_checked(walk, walk->frame.bp + offset);
	default:
		return 0;
	}
}

/* From the current frame to its caller; false where the rule does not lead up the stack. */
static inline bool step(struct walk *walk, struct seep_known_frame *known, seep_rule rule)
{
	struct seep_cpu_frame *frame = &walk->frame;
	uintptr_t cfa = find_cfa(walk, rule), slot = 0;

	if (cfa <= frame->sp || cfa > walk->stack_end)
		return false;
	if (seep_rule_bp(rule) != SEEP_CFI_BP_SAME) {
		slot = seep_rule_bp(rule) == SEEP_CFI_BP_AT_CFA ? cfa : frame->bp;
		slot += (uintptr_t)seep_rule_bp_offset(rule);
		if (slot < frame->sp || slot > walk->stack_end - sizeof(uintptr_t))
			return false;
		frame->bp = peek(slot);
	}
	known->bp_slot = slot;
	frame->pc = peek(cfa + (uintptr_t)SEEP_CPU_RA_OFFSET);
	frame->sp = cfa;
	walk->exact = false;
	return true;
}

static bool step_over_signal(struct seep_thread *thread, struct walk *walk)
{
	if (walk->stack_end - walk->frame.sp < SEEP_CPU_SIGNAL_FRAME_BYTES)
		return false;
	walk->frame = seep_cpu_interrupted(walk->frame.sp);
	walk->stack_end = find_stack_end(thread, walk->frame.sp);
	walk->exact = true;
	walk->forget = true;
	thread->n_known = 0;
	return walk->stack_end != 0;
}

/* One frame outwards.  False: the walk is over. */
static inline bool advance(struct seep_thread *thread, struct walk *walk)
{
	struct seep_known_frame *known = &thread->fresh[walk->n_fresh++];
	seep_rule rule = seep_rules_find(seep_rules_key(walk->frame.pc, walk->exact));
	bool moved;

	known->frame = walk->frame;
	known->frame.pc += walk->exact; /* readers take one off, as for a return address */
	known->bp_slot = 0;
	known->module = seep_rule_module(rule);
	if (LIKELY(seep_rule_kind(rule) < SEEP_CFI_SIGNAL))
		moved = step(walk, known, rule);
	else if (seep_rule_kind(rule) == SEEP_CFI_END)
		return false;
	else
		moved = step_over_signal(thread, walk);
	if (!moved) {
		thread->lost_walks++;
		walk->end = SEEP_PC_LOST;
		return false;
	}
	if (LIKELY(walk->frame.pc && walk->n_fresh + thread->n_known < SEEP_STACK_MAX))
		return true;
	walk->end = walk->frame.pc ? SEEP_PC_CUT : 0;
	return false;
}

static inline uint64_t mix(uint64_t hash, uint64_t pc, uint64_t module)
{
	hash = (hash ^ pc ^ module << 48) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

/* Puts the fresh frames on top of the known ones, from the outermost in. */
static inline uint64_t remember(struct seep_thread *thread, const struct walk *walk, uint64_t hash)
{
	struct seep_known_frame *known = &thread->known[thread->n_known];
	const struct seep_known_frame *fresh = &thread->fresh[walk->n_fresh];

	while (fresh-- > thread->fresh) {
		*known = *fresh;
		hash = mix(hash, known->frame.pc, known->module);
		known->hash = hash;
		known++;
	}
	thread->n_last = thread->n_known = (uint32_t)(known - thread->known);
	if (walk->forget)
		thread->n_known = 0;
	return hash;
}

uint64_t seep_walk_capture(struct seep_thread *thread, const void *frame_address)
{
	struct walk walk = {.frame = seep_cpu_caller(frame_address)};
	uint32_t epoch = seep_rules_epoch();

	if (thread->epoch != epoch) {
		thread->epoch = epoch;
		thread->n_known = 0;
	}
	walk.stack_end = find_stack_end(thread, walk.frame.sp);
	do {
		if (meets_known(thread, &walk.frame))
			return remember(thread, &walk, thread->known[thread->n_known - 1].hash);
	} while (advance(thread, &walk));
	thread->n_known = 0;
	thread->last_end = walk.end;
	return remember(thread, &walk, walk.end);
}

uint32_t seep_walk_node(const struct seep_thread *thread)
{
	uint32_t node = 0, i;

	if (thread->last_end)
		node = seep_intern_add(&seep_walk_nodes, thread->last_end, 0, 0);
	for (i = 0; i < thread->n_last; i++) {
		uint64_t under = (uint64_t)node << 32 | thread->known[i].module;
		uint32_t found = seep_intern_find(&seep_walk_nodes, thread->known[i].frame.pc, under);

		node = found ? found : seep_intern_add(&seep_walk_nodes, thread->known[i].frame.pc,
						       under, 0);
		if (!node)
			return 0;
	}
	return node;
}
