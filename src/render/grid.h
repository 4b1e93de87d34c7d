/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table with aligned columns.  If a line would be too long, columns that may shrink are
 * shortened in the middle, the widest first.
 */
#ifndef SEEP_RENDER_GRID_H
#define SEEP_RENDER_GRID_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SEEP_GRID_COLUMNS 8

struct seep_grid_column {
	bool right;              /* aligned to the right */
	size_t least;            /* may shrink to this many characters; 0: may not */
	size_t width;            /* filled by seep_grid_print */
};

struct seep_grid {
	struct seep_arena *arena;
	struct seep_grid_column columns[SEEP_GRID_COLUMNS];
	size_t n_columns;
	size_t gap;              /* between columns; filled by seep_grid_print */
	const char *(*rows)[SEEP_GRID_COLUMNS];
	size_t n_rows;
	size_t room;
};

void seep_grid_init(struct seep_grid *grid, struct seep_arena *arena, size_t n_columns);

/* A new row of n_columns cells, to be filled with safe texts; NULL counts as "". */
const char **seep_grid_add(struct seep_grid *grid);

/* Prints label before the first row, and blanks of the same width before the others. */
void seep_grid_print(struct seep_grid *grid, FILE *out, const char *label, size_t width);

#endif
