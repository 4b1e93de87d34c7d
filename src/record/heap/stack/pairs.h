/* SPDX-License-Identifier: MIT */
/*
 * Numbers for pairs of 32-bit keys: the same pair always gets the same number, from 1 on.  What
 * intern.h has for 64-bit keys, in a third of the memory.
 *
 *      slots.h ---> items[number] = { a, b }  (never move, never change)
 */
#ifndef SEEP_RECORD_HEAP_STACK_PAIRS_H
#define SEEP_RECORD_HEAP_STACK_PAIRS_H

#include "os/lock.h"
#include "record/heap/stack/slots.h"

#include <stdbool.h>
#include <stdint.h>

struct seep_pairs_item {
	uint32_t a, b;
};

struct seep_pairs {
	struct seep_slots *slots;
	struct seep_pairs_item *items; /* items[0] is unused */
	uint32_t n;              /* numbers given so far + 1 */
	uint32_t max;
	struct seep_lock lock;
};

/* max: highest number + 1, a power of two.  False if there is no address space. */
bool seep_pairs_init(struct seep_pairs *pairs, uint32_t max);

/* The number of the pair; 0 if it has none, or if the table is just being replaced. */
uint32_t seep_pairs_find(const struct seep_pairs *pairs, uint32_t a, uint32_t b);

/* The same; the pair is added if need be; 0 when the table is full. */
uint32_t seep_pairs_add(struct seep_pairs *pairs, uint32_t a, uint32_t b);

/* How many numbers there are (the highest + 1). */
static inline uint32_t seep_pairs_count(const struct seep_pairs *pairs)
{
	return __atomic_load_n(&pairs->n, __ATOMIC_ACQUIRE);
}

/* Bytes of the items and the slots. */
static inline uint64_t seep_pairs_own_bytes(const struct seep_pairs *pairs)
{
	return seep_pairs_count(pairs) * sizeof(*pairs->items) +
	       seep_slots_own_bytes(&pairs->slots);
}

#endif
