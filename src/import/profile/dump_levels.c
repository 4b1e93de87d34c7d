/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/profile/dump_levels.h"

#include <math.h>

void seep_dump_levels_init(struct seep_dump_levels *dump, struct seep_arena *arena)
{
	dump->arena = arena;
	seep_hash_map_init(&dump->sites, arena);
	dump->levels = SEEP_TABLE(arena, struct seep_compose_level *);
}

void seep_dump_levels_add(struct seep_dump_levels *dump, const struct seep_compose_level *level)
{
	struct seep_compose_level *sum = seep_hash_map_get(&dump->sites, level->site);

	if (!sum) {
		sum = seep_arena_alloc(dump->arena, sizeof(*sum));
		*sum = *level;
		seep_hash_map_put(&dump->sites, level->site, sum);
		*(struct seep_compose_level **)seep_table_add(&dump->levels) = sum;
		return;
	}
	sum->blocks += level->blocks;
	sum->bytes += level->bytes;
	sum->error_bytes = hypot(sum->error_bytes, level->error_bytes);
	sum->born_blocks += level->born_blocks;
	sum->born_bytes += level->born_bytes;
}

void seep_dump_levels_compose(const struct seep_dump_levels *dump, struct seep_compose *compose)
{
	struct seep_compose_level *const *levels = dump->levels.items;

	seep_compose_dump_begin(compose);
	for (size_t i = 0; i < dump->levels.n; i++)
		seep_compose_level(compose, levels[i]);
	seep_compose_dump_end(compose);
}
