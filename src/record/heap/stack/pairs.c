/* SPDX-License-Identifier: MIT */
#include "record/heap/stack/pairs.h"

#include "os/mmap.h"

bool seep_pairs_init(struct seep_pairs *pairs, uint32_t max)
{
	pairs->items = seep_mmap_new(max * sizeof(*pairs->items));
	pairs->slots = seep_slots_new(max);
	pairs->n = 1;
	pairs->max = max;
	return pairs->items && pairs->slots;
}

static uint64_t hash_of(const void *context, uint32_t number)
{
	const struct seep_pairs *pairs = context;

	return seep_slots_hash(pairs->items[number].a, pairs->items[number].b);
}

uint32_t seep_pairs_find(const struct seep_pairs *pairs, uint32_t a, uint32_t b)
{
	const struct seep_slots *slots = __atomic_load_n(&pairs->slots, __ATOMIC_ACQUIRE);
	uint64_t hash = seep_slots_hash(a, b);
	uint32_t at = seep_slots_first(slots, hash), id;

	do {
		id = seep_slots_find(slots, hash, &at);
	} while (id && (pairs->items[id].a != a || pairs->items[id].b != b));
	return id;
}

uint32_t seep_pairs_add(struct seep_pairs *pairs, uint32_t a, uint32_t b)
{
	uint32_t id;

	seep_lock_take(&pairs->lock);
	id = seep_pairs_find(pairs, a, b);
	if (!id && pairs->n < pairs->max &&
	    seep_slots_make_room(&pairs->slots, pairs->n, hash_of, pairs)) {
		id = pairs->n;
		pairs->items[id] = (struct seep_pairs_item){a, b};
		/* In this order: a child forked in between must not use the number again. */
		__atomic_store_n(&pairs->n, id + 1, __ATOMIC_RELEASE);
		seep_slots_put(pairs->slots, hash_of(pairs, id), id);
	}
	seep_lock_give(&pairs->lock);
	return id;
}
