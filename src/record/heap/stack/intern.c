/* SPDX-License-Identifier: MIT */
#include "record/heap/stack/intern.h"

#include "os/mmap.h"

#define SLOTS_FIRST 4096u
#define ALIASES_PART 2 /* of the numbers */

static struct seep_intern_slots *make_slots(uint32_t n)
{
	struct seep_intern_slots *slots;

	slots = seep_mmap_new(sizeof(*slots) + n * sizeof(slots->slots[0]));

	if (slots)
		slots->mask = n - 1;
	return slots;
}

bool seep_intern_init(struct seep_intern *table, uint32_t max)
{
	table->items = seep_mmap_new(max * sizeof(*table->items));
	table->values = seep_mmap_new(max * sizeof(*table->values));
	table->slots = make_slots(SLOTS_FIRST);
	table->n = 1;
	table->max = max;
	return table->items && table->values && table->slots;
}

static void put(const struct seep_intern *table, struct seep_intern_slots *slots, uint32_t id)
{
	uint64_t key = seep_intern_key(table->items[id].a, table->items[id].b), at = key;

	while (slots->slots[at & slots->mask])
		at++;
	__atomic_store_n(&slots->slots[at & slots->mask], key >> 32 << 32 | id, __ATOMIC_RELEASE);
}

/* Keeps a quarter of the table free.  Threads that still read the old one find nothing there. */
static bool make_room(struct seep_intern *table)
{
	struct seep_intern_slots *slots = table->slots, *larger;
	uint32_t n = (uint32_t)slots->mask + 1, used = table->n + table->n_aliases, id;

	if (used == table->max)
		return false;
	if (used < n / 4 * 3)
		return true;
	larger = make_slots(n * 2);
	if (!larger)
		return used < n - 8;
	for (id = 1; id < table->n; id++)
		put(table, larger, id);
	for (id = 1; id <= table->n_aliases; id++)
		put(table, larger, table->max - id);
	__atomic_store_n(&table->slots, larger, __ATOMIC_RELEASE);
	seep_mmap_empty(slots->slots, n * sizeof(slots->slots[0]));
	return true;
}

uint32_t seep_intern_add(struct seep_intern *table, uint64_t a, uint64_t b, uint32_t value)
{
	uint32_t id;

	seep_lock_take(&table->lock);
	id = seep_intern_find(table, a, b);
	if (!id && !make_room(table)) {
		table->refused++;
	} else if (!id) {
		id = table->n;
		table->items[id].a = a;
		table->items[id].b = b;
		if (value)
			table->values[id] = value;
		/* In this order: a child forked in between must not use the number again. */
		__atomic_store_n(&table->n, id + 1, __ATOMIC_RELEASE);
		put(table, table->slots, id);
	}
	seep_lock_give(&table->lock);
	return id;
}

void seep_intern_alias(struct seep_intern *table, uint64_t a, uint64_t b, uint32_t id)
{
	uint32_t alias;

	seep_lock_take(&table->lock);
	if (table->n_aliases < table->max / ALIASES_PART && !seep_intern_find(table, a, b) &&
	    make_room(table)) {
		alias = table->max - 1 - table->n_aliases;
		table->items[alias].a = a;
		table->items[alias].b = b;
		table->values[alias] = id;
		__atomic_store_n(&table->n_aliases, table->n_aliases + 1, __ATOMIC_RELEASE);
		put(table, table->slots, alias);
	}
	seep_lock_give(&table->lock);
}
