/* SPDX-License-Identifier: MIT */
/*
 * Numbers for pairs of 64-bit keys: the same pair always gets the same number, from 1
 * on.  Stack nodes, sites and free sites are all kept this way.  Each number may carry a
 * third value, which is set when the pair is first added.  Other pairs may be given
 * the number of one, as aliases of it.
 *
 *      slots (open addressing, replaced by a table of twice the size when three quarters full)
 *        a word each: 32 bits of the key, and the id
 *              |
 *              v
 *      items[id] = { a, b }, values[id]       (never move, never change)
 *
 * Aliases are items too, from the end of the table down; their value is the number that they stand
 * for.
 *
 * The key is 64 bits mixed from a and b.  Look-ups take no lock: an item is complete before its
 * number is stored into a slot.  An outgrown table stays mapped and reads as empty, and what is
 * not found is looked up once more under the lock.  Inserts take the lock.
 */
#ifndef SEEP_RECORD_HEAP_STACK_INTERN_H
#define SEEP_RECORD_HEAP_STACK_INTERN_H

#include "os/lock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seep_intern_item {
	uint64_t a, b;
};

struct seep_intern_slots {
	uint64_t mask;
	uint64_t slots[];        /* upper half of the key << 32 | id; 0: empty */
};

struct seep_intern {
	struct seep_intern_slots *slots;
	struct seep_intern_item *items; /* items[0] is unused */
	uint32_t *values;        /* not touched where all values are 0 */
	uint32_t n;              /* ids given so far + 1 */
	uint32_t n_aliases;
	uint32_t max;
	uint64_t refused;        /* pairs that came when the table was full */
	struct seep_lock lock;
};

/* max: highest id + 1.  False if there is no address space. */
bool seep_intern_init(struct seep_intern *table, uint32_t max);

/* The id of the pair, which is added if need be; 0 when the table is full. */
uint32_t seep_intern_add(struct seep_intern *table, uint64_t a, uint64_t b, uint32_t value);

/* From now on this pair has the id, too, unless there is no room. */
void seep_intern_alias(struct seep_intern *table, uint64_t a, uint64_t b, uint32_t id);

static inline uint64_t seep_intern_key(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ (b * 0x9e3779b97f4a7c15u)) * 0xd6e8feb86659fd93u;

	h ^= h >> 32;
	return h ? h : 1;
}

static inline uint32_t seep_intern_resolve(const struct seep_intern *table, uint32_t id)
{
	uint32_t aliases = __atomic_load_n(&table->n_aliases, __ATOMIC_RELAXED);

	return __builtin_expect(id < table->max - aliases, 1) ? id : table->values[id];
}

/* The id of the pair; 0 if it is not known, or if the table is just being replaced. */
static inline uint32_t seep_intern_find(const struct seep_intern *table, uint64_t a, uint64_t b)
{
	const struct seep_intern_slots *slots = __atomic_load_n(&table->slots, __ATOMIC_ACQUIRE);
	uint64_t key = seep_intern_key(a, b), at, found;
	const struct seep_intern_item *item;

	for (at = key;; at++) {
		found = __atomic_load_n(&slots->slots[at & slots->mask], __ATOMIC_ACQUIRE);
		if (!found)
			return 0;
		if ((found ^ key) >> 32)
			continue;
		item = &table->items[(uint32_t)found];
		if (__builtin_expect(item->a == a && item->b == b, 1))
			return seep_intern_resolve(table, (uint32_t)found);
	}
}

/* How many ids there are (the highest + 1). */
static inline uint32_t seep_intern_count(const struct seep_intern *table)
{
	return __atomic_load_n(&table->n, __ATOMIC_ACQUIRE);
}

/* Bytes of the items and the slots. */
static inline uint64_t seep_intern_own_bytes(const struct seep_intern *table)
{
	uint64_t slots = __atomic_load_n(&table->slots, __ATOMIC_ACQUIRE)->mask + 1;

	return (seep_intern_count(table) + table->n_aliases) *
		       (sizeof(*table->items) + sizeof(*table->values)) +
	       slots * sizeof(uint64_t);
}

#endif
