/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run as pictures over its events: memory with the fit, what each event added, what each phase
 * added, and the live blocks by the event of their birth.
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
	struct seep_estimate rate; /* that of the verdict if it is about this curve */
	struct seep_line line;   /* known if the verdict is about this curve */
	double *deltas;          /* n - 1 values: bytes added per event */
};

struct seep_plot {
	const struct seep_view *view;
	struct seep_arena *arena;
	const char *title;       /* the verdict */
	const char *subtitle;    /* the command of the run */
	bool panels[SEEP_PLOT_PANELS]; /* those that are wanted and have something to show */
	struct seep_range events;
	struct seep_plot_curve curves[2];
	size_t n_curves;
	struct seep_phase_matrix matrix;
	const size_t *sites;     /* whose survivors are shown, by index in the verdict */
	size_t n_sites;
	bool has_limit;          /* ... near enough to be shown with the curve */
	double limit;            /* RSS at which the limit is reached */
};

/* The sites that the plot will show; resolve their frames before drawing it. */
const size_t *seep_plot_pick(const struct seep_verdict *verdict, struct seep_arena *arena,
			     size_t *n);

/*
 * only: one panel, or SEEP_PLOT_PANELS for all.  Fails with -ENODATA if the run has nothing to
 * show.
 */
int seep_plot_build(struct seep_plot *plot, const struct seep_view *view,
		    enum seep_plot_panel only, struct seep_err *err);

/* Writes the picture to view->out.  A width or height of 0 means to choose one. */
int seep_plot_picture(const struct seep_plot *plot, enum seep_canvas_kind kind, double width,
		      double height, struct seep_err *err);

/* Prints the plot as text, in the width of the view's style. */
void seep_plot_print(const struct seep_plot *plot);

#endif
