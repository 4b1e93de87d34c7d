/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/profile/heaptrack_live.h"

#define FIRST_ROOM ((size_t)4096)

void seep_heaptrack_live_init(struct seep_heaptrack_live *live)
{
	*live = (struct seep_heaptrack_live){ 0 };
	seep_arena_init(&live->arena);
}

void seep_heaptrack_live_release(struct seep_heaptrack_live *live)
{
	seep_arena_release(&live->arena);
}

static size_t home_of(const struct seep_heaptrack_live *live, uint64_t address)
{
	uint64_t h = (address ^ address >> 32) * 0x9e3779b97f4a7c15u;

	return (size_t)(h ^ h >> 29) & (live->room - 1);
}

/* The slot of an address, or the empty slot where it belongs. */
static struct seep_heaptrack_block *find(const struct seep_heaptrack_live *live, uint64_t address)
{
	size_t i = home_of(live, address);

	while (live->slots[i].address && live->slots[i].address != address)
		i = (i + 1) & (live->room - 1);
	return &live->slots[i];
}

static void grow(struct seep_heaptrack_live *live)
{
	struct seep_heaptrack_live larger = { .room = live->room ? 2 * live->room : FIRST_ROOM,
					      .n = live->n };

	seep_arena_init(&larger.arena);
	larger.slots = seep_arena_array(&larger.arena, larger.room, sizeof(*larger.slots));
	for (size_t i = 0; i < live->room; i++)
		if (live->slots[i].address)
			*find(&larger, live->slots[i].address) = live->slots[i];
	seep_arena_release(&live->arena);
	*live = larger;
}

bool seep_heaptrack_live_put(struct seep_heaptrack_live *live,
			     const struct seep_heaptrack_block *block,
			     struct seep_heaptrack_block *old)
{
	struct seep_heaptrack_block *slot;

	if (live->n >= SEEP_HEAPTRACK_LIVE_MAX)
		return false;
	if (live->n >= live->room / 4 * 3)
		grow(live);
	slot = find(live, block->address);
	*old = *slot;
	live->n += !slot->address;
	*slot = *block;
	return true;
}

/* Moves entries into the hole that could not be found across it. */
static void close_gap(struct seep_heaptrack_live *live, size_t hole)
{
	size_t mask = live->room - 1, i = hole;

	for (;;) {
		size_t home;

		i = (i + 1) & mask;
		if (!live->slots[i].address)
			break;
		home = home_of(live, live->slots[i].address);
		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		live->slots[hole] = live->slots[i];
		hole = i;
	}
	live->slots[hole] = (struct seep_heaptrack_block){ 0 };
}

bool seep_heaptrack_live_take(struct seep_heaptrack_live *live, uint64_t address,
			      struct seep_heaptrack_block *block)
{
	struct seep_heaptrack_block *slot;

	if (!live->n)
		return false;
	slot = find(live, address);
	if (!slot->address)
		return false;
	*block = *slot;
	live->n--;
	close_gap(live, (size_t)(slot - live->slots));
	return true;
}
