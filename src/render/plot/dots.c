/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/plot/dots.h"

#include <math.h>
#include <string.h>

#define BRAILLE_BYTES 3
#define GUIDE_EVERY 3            /* a guide line has one dot in so many */

void seep_dots_init(struct seep_dots *dots, size_t columns, size_t rows, bool braille,
		    struct seep_arena *arena)
{
	*dots = (struct seep_dots){
		.columns = columns,
		.rows = rows,
		.wide = columns * (braille ? 2 : 1),
		.high = rows * (braille ? 4 : 2),
		.braille = braille,
		.values = seep_arena_array(arena, columns * rows, 1),
		.guides = seep_arena_array(arena, columns * rows, 1),
		.arena = arena,
	};
}

/* The bit of a dot in its character; in ASCII, 1 is the upper dot and 2 the lower. */
static uint8_t bit_of(const struct seep_dots *dots, size_t x, size_t y)
{
	static const uint8_t braille[4][2] = { { 1, 8 }, { 2, 16 }, { 4, 32 }, { 64, 128 } };

	if (!dots->braille)
		return y % 2 ? 2 : 1;
	return braille[y % 4][x % 2];
}

static void set(struct seep_dots *dots, uint8_t *layer, double x, double y)
{
	size_t column, row, across, down;

	x = nearbyint(x);
	y = nearbyint(y);
	if (!(x >= 0 && x < (double)dots->wide && y >= 0 && y < (double)dots->high))
		return;
	across = (size_t)x;
	down = dots->high - 1 - (size_t)y;
	column = across / (dots->braille ? 2 : 1);
	row = down / (dots->braille ? 4 : 2);
	layer[row * dots->columns + column] |= bit_of(dots, across, down);
}

void seep_dots_set(struct seep_dots *dots, double x, double y)
{
	set(dots, dots->values, x, y);
}

void seep_dots_guide(struct seep_dots *dots, double x, double y)
{
	set(dots, dots->guides, x, y);
}

/* A line to a point far outside would take forever to draw. */
static double confine(double value, double most)
{
	return fmin(fmax(value, -most), 2 * most);
}

static void draw(struct seep_dots *dots, uint8_t *layer, const double *ends, size_t every)
{
	double wide = (double)dots->wide, high = (double)dots->high;
	double x0 = confine(ends[0], wide), y0 = confine(ends[1], high);
	double x1 = confine(ends[2], wide), y1 = confine(ends[3], high);
	double steps = ceil(fmax(fabs(x1 - x0), fabs(y1 - y0)));

	for (size_t i = 0; (double)i <= steps; i += every) {
		double part = steps > 0 ? (double)i / steps : 0;

		set(dots, layer, x0 + part * (x1 - x0), y0 + part * (y1 - y0));
	}
}

void seep_dots_line(struct seep_dots *dots, double x0, double y0, double x1, double y1)
{
	draw(dots, dots->values, (double[]){ x0, y0, x1, y1 }, 1);
}

void seep_dots_guide_line(struct seep_dots *dots, double x0, double y0, double x1, double y1)
{
	draw(dots, dots->guides, (double[]){ x0, y0, x1, y1 }, dots->braille ? GUIDE_EVERY : 1);
}

static size_t put_braille(char *text, uint8_t bits)
{
	if (!bits) {
		*text = ' ';
		return 1;
	}
	text[0] = (char)0xe2;
	text[1] = (char)(0xa0 | bits >> 6);
	text[2] = (char)(0x80 | (bits & 63));
	return BRAILLE_BYTES;
}

static size_t put_ascii(char *text, uint8_t values, uint8_t guides)
{
	*text = values ? " '.:"[values & 3] : guides ? '-' : ' ';
	return 1;
}

const char *seep_dots_row(const struct seep_dots *dots, size_t row)
{
	char *text = seep_arena_alloc(dots->arena, dots->columns * BRAILLE_BYTES + 1);
	size_t n = 0, end = 0;

	for (size_t i = 0; i < dots->columns; i++) {
		size_t cell = row * dots->columns + i;
		uint8_t values = dots->values[cell], guides = dots->guides[cell];

		n += dots->braille ? put_braille(text + n, values | guides)
				   : put_ascii(text + n, values, guides);
		if (text[n - 1] != ' ')
			end = n;
	}
	text[end] = 0;
	return text;
}
