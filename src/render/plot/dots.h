/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A dot matrix made of characters: braille with 2 x 4 dots per character, or ASCII with 1 x 2.
 *
 * It has two layers, values and guide lines.  Guide lines are dotted, and use other characters
 * in ASCII.
 */
#ifndef SEEP_RENDER_PLOT_DOTS_H
#define SEEP_RENDER_PLOT_DOTS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seep_dots {
	size_t columns, rows;    /* letters */
	size_t wide, high;       /* dots */
	bool braille;
	uint8_t *values, *guides; /* one byte per character, one bit per dot */
	struct seep_arena *arena;
};

void seep_dots_init(struct seep_dots *dots, size_t columns, size_t rows, bool braille,
		    struct seep_arena *arena);

/* Coordinates start at the lower left corner; dots outside are ignored. */
void seep_dots_set(struct seep_dots *dots, double x, double y);
void seep_dots_guide(struct seep_dots *dots, double x, double y);

void seep_dots_line(struct seep_dots *dots, double x0, double y0, double x1, double y1);
void seep_dots_guide_line(struct seep_dots *dots, double x0, double y0, double x1, double y1);

/* The characters of a row, counted from the top, without trailing blanks. */
const char *seep_dots_row(const struct seep_dots *dots, size_t row);

#endif
