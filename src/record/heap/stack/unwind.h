/* SPDX-License-Identifier: MIT */
/*
 * Unwind rules, compiled from .eh_frame when a return address is first met and
 * kept in a direct-mapped cache for all threads.
 *
 * A rule is one 64-bit word.  A slot holds the word and the word xor the key.
 * A thread that reads a slot while it is being written sees that the two
 * do not belong together, and compiles the rule itself: no lock, no torn rule.
 */
#ifndef SEEP_RECORD_HEAP_STACK_UNWIND_H
#define SEEP_RECORD_HEAP_STACK_UNWIND_H

#include "record/heap/stack/cfi.h"

#include <stdbool.h>
#include <stdint.h>

/* From the top: common 1 | kind 3 | bp 2 | module 12 | bp_offset 20 | offset 26; see unwind.c. */
typedef uint64_t seep_rule;

bool seep_unwind_init(void);

/*
 * Around dlclose.  All rules are forgotten, and none is remembered until it has returned: other
 * code may be at the same addresses by then, and may have run.
 */
void seep_unwind_begin_unload(void);
void seep_unwind_end_unload(void);

/* Forgets all stacks that are remembered; the rules stay. */
void seep_unwind_begin_epoch(void);

/* In a child of fork, where no other thread is in dlclose. */
void seep_unwind_forked(void);

/* Increases when rules are forgotten; a stack remembered from another epoch is not trusted. */
uint32_t seep_unwind_epoch(void);

/* Whether this is the epoch, and nothing is being unloaded. */
extern uint32_t seep_unwind_now, seep_unwind_unloads;
static inline bool seep_unwind_is_epoch(uint32_t epoch)
{
	return __atomic_load_n(&seep_unwind_now, __ATOMIC_ACQUIRE) == epoch &&
	       !__atomic_load_n(&seep_unwind_unloads, __ATOMIC_ACQUIRE);
}

/*
 * exact: pc is the instruction itself, which a signal interrupted.  Otherwise it is
 * a return address, and the call before it is meant.
 */
static inline uintptr_t seep_unwind_key(uintptr_t pc, bool exact)
{
	return exact ? pc : pc - 1;
}

struct seep_unwind_slot {
	uint64_t mixed;          /* rule ^ key */
	seep_rule rule;
};

#define SEEP_UNWIND_SLOTS 32768u

extern struct seep_unwind_slot *seep_unwind_slots;

/* Reads .eh_frame, which is slow, and keeps the rule in the slot. */
seep_rule seep_unwind_learn(struct seep_unwind_slot *slot, uintptr_t key);

static inline seep_rule seep_unwind_find(uintptr_t key)
{
	struct seep_unwind_slot *slot =
		&seep_unwind_slots[(key * 0x9e3779b97f4a7c15u) >> 49];
	seep_rule rule = __atomic_load_n(&slot->rule, __ATOMIC_RELAXED);

	if (__builtin_expect((__atomic_load_n(&slot->mixed, __ATOMIC_RELAXED) ^ rule) == key, 1))
		return rule;
	return seep_unwind_learn(slot, key);
}

static inline enum seep_cfi_kind seep_rule_kind(seep_rule rule)
{
	return (enum seep_cfi_kind)(rule >> 60 & 7);
}

static inline enum seep_cfi_bp seep_rule_bp(seep_rule rule)
{
	return (enum seep_cfi_bp)(rule >> 58 & 3);
}

/* CFA from sp or bp; caller's bp in the register or saved within the frame. */
static inline bool seep_rule_is_common(seep_rule rule)
{
	return rule >> 63;
}

static inline uint32_t seep_rule_module(seep_rule rule)
{
	return (uint32_t)(rule >> 46 & 0xfff);
}

static inline int64_t seep_rule_bp_offset(seep_rule rule)
{
	return (int64_t)(rule << 18) >> 44;
}

static inline int64_t seep_rule_offset(seep_rule rule)
{
	return (int64_t)(rule << 38) >> 38;
}

#endif
