/* SPDX-License-Identifier: MIT */
/*
 * Where to look for the number of what has this hash: a table of half words, with a number in the
 * lower bits of each and some bits of the hash above it.
 *
 * Look-ups take no lock.  A full table is replaced by a larger one; the old one stays mapped and
 * reads as empty.  What is not found is looked up once more under the lock of those
 * who insert.
 */
#ifndef SEEP_RECORD_HEAP_STACK_SLOTS_H
#define SEEP_RECORD_HEAP_STACK_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seep_slots {
	uint32_t n;
	uint32_t mask;           /* of the numbers */
	uint32_t slots[];        /* 0: empty */
};

static inline uint64_t seep_slots_hash(uint32_t a, uint32_t b)
{
	uint64_t hash = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;

	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
	return hash ^ hash >> 32;
}

static inline uint32_t seep_slots_first(const struct seep_slots *slots, uint64_t hash)
{
	return (uint32_t)((hash & UINT32_MAX) * slots->n >> 32);
}

static inline uint32_t seep_slots_next(const struct seep_slots *slots, uint32_t at)
{
	return at + 1 == slots->n ? 0 : at + 1;
}

/* The number in the first slot from *at on that may be it, and *at is behind it; 0: none. */
static inline uint32_t seep_slots_find(const struct seep_slots *slots, uint64_t hash, uint32_t *at)
{
	for (;;) {
		uint32_t found = __atomic_load_n(&slots->slots[*at], __ATOMIC_ACQUIRE);

		*at = seep_slots_next(slots, *at);
		if (!found || !((found ^ (uint32_t)(hash >> 32)) & ~slots->mask))
			return found & slots->mask;
	}
}

/* An empty table; max: the highest number + 1, a power of two.  NULL if there is no memory. */
struct seep_slots *seep_slots_new(uint32_t max);

/* The number is not in the table, and there is room.  What it stands for is complete. */
void seep_slots_put(struct seep_slots *slots, uint64_t hash, uint32_t number);

/*
 * Sees to it that there is room for the number, which is the highest + 1.  hash_of: of the lower
 * ones, from 1 on.  False if there is no memory.
 */
bool seep_slots_make_room(struct seep_slots **slots, uint32_t number,
			  uint64_t (*hash_of)(const void *context, uint32_t number),
			  const void *context);

static inline uint64_t seep_slots_own_bytes(struct seep_slots *const *slots)
{
	return __atomic_load_n(slots, __ATOMIC_ACQUIRE)->n * sizeof(uint32_t);
}

#endif
