/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/grid.h"
#include "render/safe.h"

#include <string.h>

#define GAP_WIDE 3
#define GAP_NARROW 2 /* if the line would be too long */

void seep_grid_init(struct seep_grid *grid, struct seep_arena *arena, size_t n_columns)
{
	memset(grid, 0, sizeof(*grid));
	grid->arena = arena;
	grid->n_columns = n_columns;
}

const char **seep_grid_add(struct seep_grid *grid)
{
	grid->rows = seep_arena_grow(grid->arena, grid->rows, grid->n_rows, &grid->room,
				      sizeof(grid->rows[0]));
	memset(grid->rows[grid->n_rows], 0, sizeof(grid->rows[0]));
	return grid->rows[grid->n_rows++];
}

static void measure(struct seep_grid *grid)
{
	for (size_t row = 0; row < grid->n_rows; row++) {
		for (size_t i = 0; i < grid->n_columns; i++) {
			const char *cell = grid->rows[row][i];
			size_t width = cell ? seep_safe_width(cell) : 0;

			if (width > grid->columns[i].width)
				grid->columns[i].width = width;
		}
	}
}

static size_t sum_widths(const struct seep_grid *grid)
{
	size_t sum = 0;

	for (size_t i = 0; i < grid->n_columns; i++)
		sum += grid->columns[i].width + (grid->columns[i].width ? grid->gap : 0);
	return sum ? sum - grid->gap : 0;
}

/* The widest column that can still shrink, or NULL. */
static struct seep_grid_column *find_widest(struct seep_grid *grid)
{
	struct seep_grid_column *widest = NULL;

	for (size_t i = 0; i < grid->n_columns; i++) {
		struct seep_grid_column *column = &grid->columns[i];

		if (!column->least || column->width <= column->least)
			continue;
		if (!widest || column->width > widest->width)
			widest = column;
	}
	return widest;
}

static void shrink(struct seep_grid *grid, size_t width)
{
	struct seep_grid_column *widest;

	grid->gap = GAP_WIDE;
	if (sum_widths(grid) > width)
		grid->gap = GAP_NARROW;
	while (sum_widths(grid) > width && (widest = find_widest(grid)))
		widest->width--;
}

static bool is_last(const struct seep_grid *grid, const char **row, size_t column)
{
	for (size_t i = column + 1; i < grid->n_columns; i++)
		if (row[i] && *row[i])
			return false;
	return true;
}

static void print_row(const struct seep_grid *grid, FILE *out, const char **row)
{
	for (size_t i = 0; i < grid->n_columns; i++) {
		const struct seep_grid_column *column = &grid->columns[i];
		const char *cell = row[i] ? row[i] : "";
		bool last = is_last(grid, row, i);
		int blanks;

		if (!column->width)
			continue;
		if (column->least)
			cell = seep_safe_shorten(grid->arena, cell, column->width);
		blanks = (int)column->width - (int)seep_safe_width(cell);
		if (blanks < 0)
			blanks = 0;
		if (column->right)
			fprintf(out, "%*s%s", blanks, "", cell);
		else
			fprintf(out, "%s%*s", cell, last ? 0 : blanks, "");
		if (last)
			break;
		fprintf(out, "%*s", (int)grid->gap, "");
	}
	fputc('\n', out);
}

void seep_grid_print(struct seep_grid *grid, FILE *out, const char *label, size_t width)
{
	size_t indent = seep_safe_width(label);

	measure(grid);
	shrink(grid, width > indent ? width - indent : 0);
	for (size_t row = 0; row < grid->n_rows; row++) {
		if (row)
			fprintf(out, "%*s", (int)indent, "");
		else
			fputs(label, out);
		print_row(grid, out, grid->rows[row]);
	}
}
