/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the sites hold in one dump, summed by site: different stacks of a foreign profile may
 * have the same names and are then one site.
 */
#ifndef SEEP_IMPORT_PROFILE_DUMP_LEVELS_H
#define SEEP_IMPORT_PROFILE_DUMP_LEVELS_H

#include "base/hash_map.h"
#include "base/table.h"
#include "import/compose.h"

struct seep_dump_levels {
	struct seep_arena *arena;
	struct seep_hash_map sites; /* struct seep_compose_level, by site */
	struct seep_table levels; /* struct seep_compose_level *, in the order of their arrival */
};

void seep_dump_levels_init(struct seep_dump_levels *dump, struct seep_arena *arena);
void seep_dump_levels_add(struct seep_dump_levels *dump, const struct seep_compose_level *level);

/* Writes the sums as the next dump of the trace. */
void seep_dump_levels_compose(const struct seep_dump_levels *dump, struct seep_compose *compose);

#endif
