/* SPDX-License-Identifier: MIT */
#include "record/heap/stack/slots.h"

#include "os/mmap.h"

#define FIRST 4096u
#define SMALL 65536u  /* up to here it doubles; then it grows by a quarter */
#define LEAST_FREE 8u /* if there is no memory for a larger table */

static struct seep_slots *make(uint32_t n, uint32_t mask)
{
	struct seep_slots *slots = seep_mmap_new(sizeof(*slots) + n * sizeof(slots->slots[0]));

	if (slots) {
		slots->n = n;
		slots->mask = mask;
	}
	return slots;
}

struct seep_slots *seep_slots_new(uint32_t max)
{
	return make(FIRST, max - 1);
}

void seep_slots_put(struct seep_slots *slots, uint64_t hash, uint32_t number)
{
	uint32_t at = seep_slots_first(slots, hash);

	while (slots->slots[at])
		at = seep_slots_next(slots, at);
	__atomic_store_n(&slots->slots[at], ((uint32_t)(hash >> 32) & ~slots->mask) | number,
			 __ATOMIC_RELEASE);
}

bool seep_slots_make_room(struct seep_slots **slots, uint32_t number,
			  uint64_t (*hash_of)(const void *context, uint32_t number),
			  const void *context)
{
	struct seep_slots *old = *slots, *larger;
	uint32_t i;

	/* Five of six: if nothing is found, a stack is walked, which takes far longer. */
	if (number < old->n / 6 * 5)
		return true;
	larger = make(old->n + old->n / (old->n < SMALL ? 1 : 4), old->mask);
	if (!larger)
		return number < old->n - LEAST_FREE;
	for (i = 1; i < number; i++)
		seep_slots_put(larger, hash_of(context, i), i);
	__atomic_store_n(slots, larger, __ATOMIC_RELEASE);
	seep_mmap_empty(old->slots, old->n * sizeof(old->slots[0]));
	return true;
}
