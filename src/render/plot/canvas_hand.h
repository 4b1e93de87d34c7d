/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hands that draw on a canvas, and what they share. */
#ifndef SEEP_RENDER_PLOT_CANVAS_HAND_H
#define SEEP_RENDER_PLOT_CANVAS_HAND_H

#include "render/plot/canvas.h"

#define SEEP_CANVAS_DASH 5

/* Texts that a hand is given can be drawn, and are not empty. */
struct seep_canvas_hand {
	void (*open)(struct seep_canvas *canvas);
	int (*close)(struct seep_canvas *canvas, struct seep_err *err); /* also drops */
	void (*drop)(struct seep_canvas *canvas);
	void (*fill)(struct seep_canvas *canvas, struct seep_canvas_ink ink,
		     struct seep_canvas_box box);
	void (*path)(struct seep_canvas *canvas, struct seep_canvas_ink ink, const double *x,
		     const double *y, size_t n, bool filled);
	void (*dot)(struct seep_canvas *canvas, struct seep_canvas_ink ink, double x, double y,
		    double radius);
	void (*text)(struct seep_canvas *canvas, struct seep_canvas_letters letters, double x,
		     double y, const char *text);
	double (*measure)(struct seep_canvas *canvas, struct seep_canvas_letters letters,
			  const char *text);
	void (*clip)(struct seep_canvas *canvas, struct seep_canvas_box box);
	void (*unclip)(struct seep_canvas *canvas);
};

struct seep_canvas {
	struct seep_canvas_page page;
	const struct seep_canvas_hand *hand;
	struct seep_arena *arena;
	void *tools;             /* the hand's own */
	char *bytes;             /* of the file */
	size_t n, room;
	size_t clips;            /* SVG: how many there were, to number them */
};

extern const struct seep_canvas_hand seep_svg_hand;

/* PNG and PDF; NULL in a build without cairo. */
extern const struct seep_canvas_hand *const seep_cairo_hand;

void seep_canvas_append(struct seep_canvas *canvas, const void *bytes, size_t n);

#endif
