/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory map of a process, copied into a profile: finds the object an address lies in. */
#ifndef SEEP_IMPORT_PROFILE_ADDRESS_MAP_H
#define SEEP_IMPORT_PROFILE_ADDRESS_MAP_H

#include "base/table.h"
#include "import/compose.h"

struct seep_address_range {
	uint64_t start, end, bias;
	const char *path;
	uint32_t module;         /* 0: not yet in the trace */
};

struct seep_address_map {
	struct seep_table ranges; /* struct seep_address_range, by increasing address */
};

void seep_address_map_init(struct seep_address_map *map, struct seep_arena *arena);

/* Adds a line of /proc/PID/maps; ignores any other line. */
void seep_address_map_add(struct seep_address_map *map, const char *line);

/* The module of an address, 0 if there is none.  Writes the module to the trace on first use. */
uint32_t seep_address_map_find(const struct seep_address_map *map, struct seep_compose *compose,
			       uint64_t pc);

/* The address of byte 0 of the file, if its byte at offset is mapped at start. */
uint64_t seep_address_map_bias(const char *path, uint64_t start, uint64_t offset);

#endif
