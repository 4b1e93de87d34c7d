/* SPDX-License-Identifier: MIT */
/*
 * What a stack has led to: remembers the number that belongs to a hash, for a while.  What was
 * forgotten is found out again, by walking the stack.
 *
 *	key   upper bits: the set     lower 44 bits: compared
 *	set   four words: 44 bits of the key, and the number
 *
 * The bits of the set and those that are compared do not overlap, so that at least 55 of 64 bits
 * decide.  The table grows when it is too small for what the program does again and again; what
 * is done once, such as imports, does not make it grow.
 */
#ifndef SEEP_RECORD_HEAP_STACK_RECALL_H
#define SEEP_RECORD_HEAP_STACK_RECALL_H

#include "os/lock.h"

#include <stdbool.h>
#include <stdint.h>

#define SEEP_RECALL_WAYS 4u
#define SEEP_RECALL_NUMBER_BITS 20 /* numbers are below 2^20 */

struct seep_recall_sets {
	uint32_t shift;          /* of the key, to get its set */
	uint32_t hand;           /* the way that is replaced next */
	uint32_t puts;           /* since the table was made */
	uint32_t again;          /* of these, numbers that there were before */
	_Alignas(32) uint64_t ways[][SEEP_RECALL_WAYS]; /* 0: empty */
};

struct seep_recall {
	struct seep_recall_sets *sets;
	struct seep_lock lock;
};

bool seep_recall_init(struct seep_recall *recall);

/* Of the hash of a stack and what else decides: a site, or a phase and a kind of memory. */
static inline uint64_t seep_recall_key(uint64_t hash, uint64_t other)
{
	uint64_t key = (hash ^ other * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;

	return key ^ key >> 32;
}

/* The number of the key; 0: it is not known (any more). */
static inline uint32_t seep_recall_find(const struct seep_recall *recall, uint64_t key)
{
	const struct seep_recall_sets *sets = __atomic_load_n(&recall->sets, __ATOMIC_ACQUIRE);
	const uint64_t *ways = sets->ways[key >> sets->shift];
	uint64_t wanted = key << SEEP_RECALL_NUMBER_BITS, found;
	uint32_t i;

	for (i = 0; i < SEEP_RECALL_WAYS; i++) {
		found = __atomic_load_n(&ways[i], __ATOMIC_ACQUIRE) ^ wanted;
		if (found >> SEEP_RECALL_NUMBER_BITS == 0)
			return (uint32_t)found;
	}
	return 0;
}

/* again: the number is not new, so its key was forgotten, or it has several. */
void seep_recall_put(struct seep_recall *recall, uint64_t key, uint32_t number, bool again);

uint64_t seep_recall_own_bytes(const struct seep_recall *recall);

#endif
