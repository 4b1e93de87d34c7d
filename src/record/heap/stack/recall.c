/* SPDX-License-Identifier: MIT */
#include "record/heap/stack/recall.h"

#include "os/mmap.h"

#define BITS_FIRST 11            /* sets: 64 KiB */
#define BITS_BEFORE_PATIENCE 13  /* 256 KiB; up to this size it grows when half of it is full */
#define BITS_MAX 18              /* 8 MiB */
#define PATIENCE 2u              /* how often all may be forgotten before a larger one grows */
#define WAYS SEEP_RECALL_WAYS

static uint32_t bits_of(const struct seep_recall_sets *sets)
{
	return 64 - sets->shift;
}

static size_t bytes_of(uint32_t bits)
{
	return sizeof(struct seep_recall_sets) + (sizeof(uint64_t[WAYS]) << bits);
}

static struct seep_recall_sets *make(uint32_t bits)
{
	struct seep_recall_sets *sets = seep_mmap_new(bytes_of(bits));

	if (sets)
		sets->shift = 64 - bits;
	return sets;
}

bool seep_recall_init(struct seep_recall *recall)
{
	recall->sets = make(BITS_FIRST);
	return recall->sets;
}

static bool is_too_small(const struct seep_recall_sets *sets)
{
	uint32_t bits = bits_of(sets), n = WAYS << bits;

	if (bits < BITS_BEFORE_PATIENCE)
		return sets->puts > n / 2;
	return bits < BITS_MAX && sets->again > PATIENCE * n;
}

/* The larger one begins empty: what it has to know comes soon enough. */
static void grow(struct seep_recall *recall)
{
	struct seep_recall_sets *sets = recall->sets, *larger = make(bits_of(sets) + 1);

	if (!larger) {
		sets->puts = sets->again = 0;
		return;
	}
	__atomic_store_n(&recall->sets, larger, __ATOMIC_RELEASE);
	/* Threads that still read the old one find nothing there, or what is right. */
	seep_mmap_empty(sets->ways, bytes_of(bits_of(sets)) - sizeof(*sets));
}

static uint64_t *choose_way(struct seep_recall_sets *sets, uint64_t key)
{
	uint64_t *ways = sets->ways[key >> sets->shift];
	uint32_t i;

	for (i = 0; i < WAYS; i++)
		if (!ways[i])
			return &ways[i];
	return &ways[sets->hand++ % WAYS];
}

void seep_recall_put(struct seep_recall *recall, uint64_t key, uint32_t number, bool again)
{
	seep_lock_take(&recall->lock);
	recall->sets->puts++;
	recall->sets->again += again;
	if (is_too_small(recall->sets))
		grow(recall);
	/* The number is known to other threads: what it stands for was complete before. */
	__atomic_store_n(choose_way(recall->sets, key),
			 key << SEEP_RECALL_NUMBER_BITS | number, __ATOMIC_RELEASE);
	seep_lock_give(&recall->lock);
}

uint64_t seep_recall_own_bytes(const struct seep_recall *recall)
{
	return bytes_of(bits_of(__atomic_load_n(&recall->sets, __ATOMIC_ACQUIRE)));
}
