/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A picture to draw on: PNG and PDF by cairo, SVG by our own hand, because there text has to
 * stay text, which can be searched and read aloud, and cairo makes outlines of it.
 *
 * Pixels from the upper left corner.  Texts must have gone through render/safe.h.
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

/* What is drawn as it is: picture of so many pixels, when (for PDF), title (for readers). */
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

/* Writes it to out, and lets go of it in any case. */
int seep_canvas_close(struct seep_canvas *canvas, FILE *out, struct seep_err *err);

/* Lets go of it. */
void seep_canvas_drop(struct seep_canvas *canvas);

void seep_canvas_fill(struct seep_canvas *canvas, struct seep_canvas_ink ink,
		      struct seep_canvas_box box);
void seep_canvas_line(struct seep_canvas *canvas, struct seep_canvas_ink ink, const double *x,
		      const double *y, size_t n);
void seep_canvas_area(struct seep_canvas *canvas, struct seep_canvas_ink ink, const double *x,
		      const double *y, size_t n);
void seep_canvas_dot(struct seep_canvas *canvas, struct seep_canvas_ink ink, double x, double y,
		     double radius);

/* y is the line that the letters stand on. */
void seep_canvas_text(struct seep_canvas *canvas, struct seep_canvas_letters letters, double x,
		      double y, const char *text);
double seep_canvas_measure(struct seep_canvas *canvas, struct seep_canvas_letters letters,
			   const char *text);

/* The text itself if it fits; else its ends with "..." between them; "" if nothing does. */
const char *seep_canvas_shorten(struct seep_canvas *canvas, struct seep_canvas_letters letters,
				const char *text, double width);

/* What is drawn until seep_canvas_unclip stays inside of the box; not nested. */
void seep_canvas_clip(struct seep_canvas *canvas, struct seep_canvas_box box);
void seep_canvas_unclip(struct seep_canvas *canvas);

#endif
