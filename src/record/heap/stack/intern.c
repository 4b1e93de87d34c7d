/* SPDX-License-Identifier: MIT */
#include "record/heap/stack/intern.h"

#include "os/mmap.h"

#define SLOTS_FIRST 4096u

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
	struct seep_intern_slot *slot;

	while (slots->slots[at & slots->mask].key)
		at++;
	slot = &slots->slots[at & slots->mask];
	slot->id = id;
	__atomic_store_n(&slot->key, key, __ATOMIC_RELEASE);
}

/* Keeps the table at most half full.  The old one stays for threads that still read it. */
static bool make_room(struct seep_intern *table)
{
	struct seep_intern_slots *larger;
	uint32_t id;

	if (table->n == table->max)
		return false;
	if (table->n < table->slots->mask / 2)
		return true;
	larger = make_slots(((uint32_t)table->slots->mask + 1) * 4);
	if (!larger)
		return table->n < table->slots->mask - 8;
	for (id = 1; id < table->n; id++)
		put(table, larger, id);
	__atomic_store_n(&table->slots, larger, __ATOMIC_RELEASE);
	return true;
}

uint32_t seep_intern_add(struct seep_intern *table, uint64_t a, uint64_t b, uint32_t value)
{
	uint32_t id;

	seep_lock_take(&table->lock);
	id = seep_intern_find_in(table->slots, seep_intern_key(a, b));
	if (!id && !make_room(table)) {
		table->refused++;
	} else if (!id) {
		id = table->n;
		table->items[id].a = a;
		table->items[id].b = b;
		table->values[id] = value;
		/* In this order: a child forked in between must not use the number again. */
		__atomic_store_n(&table->n, id + 1, __ATOMIC_RELEASE);
		put(table, table->slots, id);
	}
	seep_lock_give(&table->lock);
	return id;
}
