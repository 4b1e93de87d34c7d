/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hash_map.h"

#define ROOM_FIRST ((size_t)64)

static struct seep_hash_map_slot *find(struct seep_hash_map_slot *slots, size_t room, uint64_t key)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(hash ^ (hash >> 32)) & (room - 1);

	while (slots[i].value && slots[i].key != key)
		i = (i + 1) & (room - 1);
	return &slots[i];
}

void seep_hash_map_init(struct seep_hash_map *map, struct seep_arena *arena)
{
	*map = (struct seep_hash_map){ .arena = arena };
}

void *seep_hash_map_get(const struct seep_hash_map *map, uint64_t key)
{
	return map->room ? find(map->slots, map->room, key)->value : NULL;
}

static void grow(struct seep_hash_map *map)
{
	size_t room = map->room ? map->room * 2 : ROOM_FIRST, i;
	struct seep_hash_map_slot *slots = seep_arena_array(map->arena, room, sizeof(*slots));

	for (i = 0; i < map->room; i++)
		if (map->slots[i].value)
			*find(slots, room, map->slots[i].key) = map->slots[i];
	map->slots = slots;
	map->room = room;
}

void seep_hash_map_put(struct seep_hash_map *map, uint64_t key, void *value)
{
	struct seep_hash_map_slot *slot;

	if (map->n * 2 >= map->room)
		grow(map);
	slot = find(map->slots, map->room, key);
	if (!slot->value)
		map->n++;
	slot->key = key;
	slot->value = value;
}
