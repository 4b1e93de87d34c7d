/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A picture to draw on.  Cairo draws PNG and PDF.  SVG is written directly, because cairo would
 * turn text into outlines, and text should stay searchable and readable by screen readers.
 *
 * Coordinates are pixels from the upper left corner.  Texts must be safe (render/safe.h).
 */
#ifndef SEEP_RENDER_PLOT_CANVAS_H
#define SEEP_RENDER_PLOT_CANVAS_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum seep_canvas_kind {
	SEEP_CANVAS_PNG,
	SEEP_CANVAS_SVG,
	SEEP_CANVAS_PDF,
};

struct seep_canvas_ink {
	uint32_t rgb;
	double alpha;            /* 0: the same as 1 */
	double width;            /* of a line */
	bool dashed;
};

enum seep_canvas_align {
	SEEP_ALIGN_LEFT,
	SEEP_ALIGN_MIDDLE,
	SEEP_ALIGN_RIGHT,
};

struct seep_canvas_letters {
	double size;
	uint32_t rgb;
	bool bold;
	enum seep_canvas_align align;
};

struct seep_canvas_box {
	double x, y, width, height;
};

/* The page: its size in pixels, its date (for PDF) and its title (for screen readers). */
struct seep_canvas_page {
	enum seep_canvas_kind kind;
	double width, height;
	const char *title;
	int64_t made_ns;
};

struct seep_canvas;

/* -ENOTSUP: this build cannot draw such a picture. */
int seep_canvas_check(enum seep_canvas_kind kind, struct seep_err *err);

struct seep_canvas *seep_canvas_open(const struct seep_canvas_page *page,
				     struct seep_arena *arena);

/* Writes the picture to out; releases it even if this fails. */
int seep_canvas_close(struct seep_canvas *canvas, FILE *out, struct seep_err *err);

/* Releases the picture without writing it. */
void seep_canvas_drop(struct seep_canvas *canvas);

void seep_canvas_fill(struct seep_canvas *canvas, struct seep_canvas_ink ink,
		      struct seep_canvas_box box);
void seep_canvas_line(struct seep_canvas *canvas, struct seep_canvas_ink ink, const double *x,
		      const double *y, size_t n);
void seep_canvas_area(struct seep_canvas *canvas, struct seep_canvas_ink ink, const double *x,
		      const double *y, size_t n);
void seep_canvas_dot(struct seep_canvas *canvas, struct seep_canvas_ink ink, double x, double y,
		     double radius);

/* y is the baseline of the text. */
void seep_canvas_text(struct seep_canvas *canvas, struct seep_canvas_letters letters, double x,
		      double y, const char *text);
double seep_canvas_measure(struct seep_canvas *canvas, struct seep_canvas_letters letters,
			   const char *text);

/*
 * The text itself if it fits; otherwise its two ends with "..." between them; "" if even that
 * does not fit.
 */
const char *seep_canvas_shorten(struct seep_canvas *canvas, struct seep_canvas_letters letters,
				const char *text, double width);

/* Clips all drawing to the box until seep_canvas_unclip; cannot be nested. */
void seep_canvas_clip(struct seep_canvas *canvas, struct seep_canvas_box box);
void seep_canvas_unclip(struct seep_canvas *canvas);

#endif
