/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dots made of letters: braille, 2 x 4 of them to a letter, or in ASCII 1 x 2.
 *
 * Two layers: lines that were laid over the values can be told from them in ASCII, and
 * are dotted in both.
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
	uint8_t *values, *guides; /* per letter, a bit for each dot */
	struct seep_arena *arena;
};

void seep_dots_init(struct seep_dots *dots, size_t columns, size_t rows, bool braille,
		    struct seep_arena *arena);

/* From the lower left corner; what is outside is left out. */
void seep_dots_set(struct seep_dots *dots, double x, double y);
void seep_dots_guide(struct seep_dots *dots, double x, double y);

void seep_dots_line(struct seep_dots *dots, double x0, double y0, double x1, double y1);
void seep_dots_guide_line(struct seep_dots *dots, double x0, double y0, double x1, double y1);

/* The letters of a row, from the top, without blanks at its end. */
const char *seep_dots_row(const struct seep_dots *dots, size_t row);

#endif
