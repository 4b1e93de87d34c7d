/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two hands that draw on a canvas share. */
#ifndef SEEP_RENDER_PLOT_CANVAS_SVG_H
#define SEEP_RENDER_PLOT_CANVAS_SVG_H

#include "render/plot/canvas.h"

#include <cairo.h>

#define SEEP_CANVAS_DASH 5
#define SEEP_CANVAS_FONT "sans-serif"

struct seep_canvas {
	struct seep_canvas_page page;
	struct seep_arena *arena;
	cairo_surface_t *surface; /* of an SVG: one of no size, to measure texts with */
	cairo_t *cairo;
	char *bytes;             /* of the file */
	size_t n, room;
	size_t clips;            /* SVG: how many there were, to number them */
};

void seep_canvas_append(struct seep_canvas *canvas, const void *bytes, size_t n);

void seep_svg_open(struct seep_canvas *canvas);
void seep_svg_close(struct seep_canvas *canvas);
void seep_svg_fill(struct seep_canvas *canvas, struct seep_canvas_ink ink,
		   struct seep_canvas_box box);
void seep_svg_path(struct seep_canvas *canvas, struct seep_canvas_ink ink, const double *x,
		   const double *y, size_t n, bool filled);
void seep_svg_dot(struct seep_canvas *canvas, struct seep_canvas_ink ink, double x, double y,
		  double radius);
void seep_svg_text(struct seep_canvas *canvas, struct seep_canvas_letters letters, double x,
		   double y, const char *text);
void seep_svg_clip(struct seep_canvas *canvas, struct seep_canvas_box box);
void seep_svg_unclip(struct seep_canvas *canvas);

#endif
