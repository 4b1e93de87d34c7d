/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run as pictures, all over its events: its memory with the fit, what each event added, what
 * each phase added, and when the blocks were born that are still there.
 */
#ifndef SEEP_RENDER_PLOT_PLOT_H
#define SEEP_RENDER_PLOT_PLOT_H

#include "analyse/cause/phase.h"
#include "analyse/series/series.h"
#include "analyse/verdict/line.h"
#include "base/err.h"
#include "render/plot/canvas.h"
#include "render/plot/scale.h"
#include "render/view.h"

enum seep_plot_panel {
	SEEP_PLOT_CURVE,
	SEEP_PLOT_DELTA,
	SEEP_PLOT_PHASES,
	SEEP_PLOT_SURVIVORS,
	SEEP_PLOT_PANELS,
};

extern const char *const seep_plot_names[SEEP_PLOT_PANELS];

/* One curve: the live heap, or RSS without the tracker's part. */
struct seep_plot_curve {
	const char *name;
	uint32_t rgb;
	struct seep_series series;
	struct seep_estimate rate; /* the verdict's if it is about this curve, else its own */
	struct seep_line line;   /* known if the verdict is about this curve */
	double *deltas;          /* n - 1: bytes per event that each added */
};

struct seep_plot {
	const struct seep_view *view;
	struct seep_arena *arena;
	const char *title;       /* the verdict */
	const char *subtitle;    /* which run it is */
	bool panels[SEEP_PLOT_PANELS]; /* which are asked for and have something to show */
	struct seep_range events;
	struct seep_plot_curve curves[2];
	size_t n_curves;
	struct seep_phase_matrix matrix;
	const size_t *sites;     /* whose survivors are shown, by their places in the verdict */
	size_t n_sites;
	bool has_limit;          /* and it is so near that the curve can be shown with it */
	double limit;            /* RSS at which it is met */
};

/* The sites that it will show; their frames must have been resolved before it is drawn. */
const size_t *seep_plot_pick(const struct seep_verdict *verdict, struct seep_arena *arena,
			     size_t *n);

/* only: one panel, or SEEP_PLOT_PANELS for all.  -ENODATA: the run has nothing to show. */
int seep_plot_build(struct seep_plot *plot, const struct seep_view *view,
		    enum seep_plot_panel only, struct seep_err *err);

/* A width or height of 0 is chosen by what there is.  To view->out. */
int seep_plot_picture(const struct seep_plot *plot, enum seep_canvas_kind kind, double width,
		      double height, struct seep_err *err);

/* The same with letters, in the width of the view's style. */
void seep_plot_print(const struct seep_plot *plot);

#endif
