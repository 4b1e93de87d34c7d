/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A hash map from numbers to pointers.  Open addressing, never more than half
 * full; nothing is ever removed.
 */
#ifndef SEEP_BASE_HASH_MAP_H
#define SEEP_BASE_HASH_MAP_H

#include "base/arena.h"

#include <stdint.h>

struct seep_hash_map_slot {
	uint64_t key;
	void *value;             /* NULL: the slot is empty */
};

struct seep_hash_map {
	struct seep_arena *arena;
	struct seep_hash_map_slot *slots;
	size_t room;             /* a power of two, or 0 */
	size_t n;
};

void seep_hash_map_init(struct seep_hash_map *map, struct seep_arena *arena);

/* The value of key, or NULL. */
void *seep_hash_map_get(const struct seep_hash_map *map, uint64_t key);

/* Sets the value of key; value may not be NULL. */
void seep_hash_map_put(struct seep_hash_map *map, uint64_t key, void *value);

#endif
