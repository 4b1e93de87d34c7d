/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/profile/address_map.h"

#include "import/number.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

void seep_address_map_init(struct seep_address_map *map, struct seep_arena *arena)
{
	map->ranges = SEEP_TABLE(arena, struct seep_address_range);
}

/* A program linked for fixed addresses is mapped where its file says. */
static bool is_fixed(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	Elf64_Ehdr header;
	bool fixed;

	if (fd < 0)
		return false;
	fixed = read(fd, &header, sizeof(header)) == (ssize_t)sizeof(header) &&
		!memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_type == ET_EXEC;
	close(fd);
	return fixed;
}

uint64_t seep_address_map_bias(const char *path, uint64_t start, uint64_t offset)
{
	return path[0] == '/' && is_fixed(path) ? 0 : start - offset;
}

/* Finds the start of the file: its segments are neighbours in the map, the first one first. */
static uint64_t find_bias(const struct seep_address_map *map, const char *path, uint64_t start,
			  uint64_t offset)
{
	const struct seep_address_range *ranges = map->ranges.items;

	if (map->ranges.n && !strcmp(ranges[map->ranges.n - 1].path, path))
		return ranges[map->ranges.n - 1].bias;
	return seep_address_map_bias(path, start, offset);
}

/* "7f13-7f15 r-xp 00000000 08:01 1234    /usr/lib/x.so" */
void seep_address_map_add(struct seep_address_map *map, const char *line)
{
	struct seep_arena *arena = map->ranges.arena;
	uint64_t start, end, offset, number;
	struct seep_address_range *range;
	uint64_t bias;

	if (!seep_number_hexadecimal(&line, &start) || !seep_number_word(&line, "-") ||
	    !seep_number_hexadecimal(&line, &end) || !seep_number_word(&line, " ") || end <= start)
		return;
	line += strcspn(line, " ");
	seep_number_blanks(&line);
	if (!seep_number_hexadecimal(&line, &offset) || offset > start)
		return;
	seep_number_blanks(&line);
	line += strcspn(line, " ");
	seep_number_blanks(&line);
	if (!seep_number_decimal(&line, &number))
		return;
	seep_number_blanks(&line);
	if (!*line)
		return;
	bias = find_bias(map, line, start, offset);
	range = seep_table_add(&map->ranges);
	*range = (struct seep_address_range){ .start = start, .end = end, .bias = bias,
					      .path = seep_arena_copy(arena, line, strlen(line)) };
}

uint32_t seep_address_map_find(const struct seep_address_map *map, struct seep_compose *compose,
			       uint64_t pc)
{
	struct seep_address_range *all = map->ranges.items;
	size_t low = 0, high = map->ranges.n;

	while (low < high) { /* a return address may be the first byte after the range */
		size_t middle = low + (high - low) / 2;

		if (all[middle].end < pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == map->ranges.n || pc <= all[low].start)
		return 0;
	if (!all[low].module)
		all[low].module = seep_compose_module(compose, all[low].start, all[low].end,
						      all[low].bias, NULL, 0, all[low].path);
	return all[low].module;
}
