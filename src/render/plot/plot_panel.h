/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the panels share: axes, legends, names and numbers. */
#ifndef SEEP_RENDER_PLOT_PLOT_PANEL_H
#define SEEP_RENDER_PLOT_PLOT_PANEL_H

#include "render/plot/plot.h"

#define SEEP_PLOT_LEFT 78.0      /* room for the labels beside an axis */
#define SEEP_PLOT_RIGHT 20.0
#define SEEP_PLOT_HEAD 17.0      /* the line with the name of a panel */
#define SEEP_PLOT_LINE 15.0      /* a line of small text */
#define SEEP_PLOT_FOOT 26.0      /* below a panel: the labels of its axis, and a gap */
#define SEEP_PLOT_SMALL 11.0     /* letters */

#define SEEP_PLOT_BLACK 0x222222
#define SEEP_PLOT_GREY 0x666666

/* A panel: how to draw it, the height it wants, and the height it needs. */
struct seep_plot_drawing {
	void (*draw)(const struct seep_plot *plot, struct seep_canvas *canvas,
		     struct seep_canvas_box box);
	double (*wanted)(const struct seep_plot *plot);
	double least;
	bool stretches;          /* it gains from more height */
};

extern const struct seep_plot_drawing seep_plot_curve_drawing;
extern const struct seep_plot_drawing seep_plot_delta_drawing;
extern const struct seep_plot_drawing seep_plot_phases_drawing;
extern const struct seep_plot_drawing seep_plot_survivors_drawing;

/* The rectangle in which a panel draws its values, and the ranges it shows. */
struct seep_plot_axes {
	struct seep_canvas_box box;
	struct seep_range x, y;
};

double seep_plot_x(const struct seep_plot_axes *axes, double event);
double seep_plot_y(const struct seep_plot_axes *axes, double bytes);

/* Small text, left-aligned at x, centred or right-aligned. */
struct seep_canvas_letters seep_plot_small(enum seep_canvas_align align);

/* Draws the name of the panel at its top, and note at the right if there is room. */
void seep_plot_head(struct seep_canvas *canvas, struct seep_canvas_box box, const char *name,
		    const char *note);

/* Draws horizontal lines, labelled with bytes. */
void seep_plot_bytes_axis(struct seep_canvas *canvas, const struct seep_plot_axes *axes);

/* Draws the axis below the box: events, or times if events are time slices. */
void seep_plot_events_axis(const struct seep_plot *plot, struct seep_canvas *canvas,
			   const struct seep_plot_axes *axes);

/* Draws a time axis above the box, unless time is already below it. */
bool seep_plot_has_time(const struct seep_plot *plot);
void seep_plot_time_axis(const struct seep_plot *plot, struct seep_canvas *canvas,
			 const struct seep_plot_axes *axes);

/* Like seep_canvas_clip, with room for the dots of the first and last event. */
void seep_plot_clip(struct seep_canvas *canvas, struct seep_canvas_box box);

/* Draws the warm-up in grey, with a line at its end. */
void seep_plot_warmup(const struct seep_plot *plot, struct seep_canvas *canvas,
		      const struct seep_plot_axes *axes);

struct seep_plot_key {
	struct seep_canvas_ink ink; /* width 0: an area */
	const char *text;
};

/* Draws entries side by side, in several lines if necessary; returns the height. */
double seep_plot_legend(struct seep_canvas *canvas, double x, double y, double width,
			const struct seep_plot_key *keys, size_t n);

/* The event at this time since the start; NAN outside the run. */
double seep_plot_event_at(const struct seep_plot *plot, double seconds);

/* "2.13 MB/event  [2.13, 2.14]". */
const char *seep_plot_rate(const struct seep_plot *plot, const struct seep_estimate *rate);

/* The label of the memory limit. */
const char *seep_plot_limit(const struct seep_plot *plot);

/* "HEAD -> TAIL"; "Tran<double>::Invert  hits.cc:183"; and what became of the blocks. */
const char *seep_plot_phase_name(const struct seep_plot *plot, size_t phase);
const char *seep_plot_site_name(const struct seep_plot *plot, size_t i);
const char *seep_plot_site_fate(const struct seep_plot *plot, size_t i);

/* The share of the growth that the verdict attributes to a phase of the matrix; NAN: none. */
double seep_plot_phase_share(const struct seep_plot *plot, size_t phase);

/* Picks the most important phases, at most most, in their order; returns their number. */
size_t seep_plot_phases_pick(const struct seep_plot *plot, size_t most, size_t *picked);

/* A bin of survivors: its first and last event, and the bytes per event. */
struct seep_plot_bin {
	double from, to, bytes;
};

struct seep_plot_bin seep_plot_survivors_bin(const struct seep_plot *plot, size_t i, size_t bin);

/* The largest number of bytes per event in any bin; never 0. */
double seep_plot_survivors_most(const struct seep_plot *plot, size_t i);

/*
 * The range in which the deltas of a curve are shown: 0 and all deltas except a few outliers and
 * the warm-up.
 */
struct seep_range seep_plot_delta_range(const struct seep_plot *plot, size_t curve);

/*
 * Whether two curves need a box each: in a common box both, or the one of the verdict, would
 * look flat.
 */
bool seep_plot_are_apart(const struct seep_plot *plot, const struct seep_range *ranges);

/* The values outside the range, above or below it. */
struct seep_plot_clipped {
	size_t n;
	double most;             /* the farthest value */
	double event;            /* of the farthest value */
};

struct seep_plot_clipped seep_plot_clipped(const struct seep_plot_curve *curve,
					   struct seep_range range, bool above);

#endif
