/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map of a process as another program copied it: which object an address is in. */
#ifndef SEEP_IMPORT_PROFILE_ADDRESS_MAP_H
#define SEEP_IMPORT_PROFILE_ADDRESS_MAP_H

#include "base/table.h"
#include "import/compose.h"

struct seep_address_range {
	uint64_t start, end, bias;
	const char *path;
	uint32_t module;         /* 0: not yet told */
};

struct seep_address_map {
	struct seep_table ranges; /* struct seep_address_range, by rising address */
};

void seep_address_map_init(struct seep_address_map *map, struct seep_arena *arena);

/* A line of it; what is none is left out. */
void seep_address_map_add(struct seep_address_map *map, const char *line);

/* The module of an address, told to the trace when it is first asked for; 0: in none. */
uint32_t seep_address_map_find(const struct seep_address_map *map, struct seep_compose *compose,
			       uint64_t pc);

/* Where byte 0 of that file is, if its byte at offset is at start. */
uint64_t seep_address_map_bias(const char *path, uint64_t start, uint64_t offset);

#endif
