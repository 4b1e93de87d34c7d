/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Live blocks by the event of their birth: a row of bars for each site. */
#include "render/plot/plot_panel.h"

#include <math.h>

#define ROW_WANTED 54.0
#define ROW_LEAST 38.0
#define LABEL 15.0               /* the height of the name of a row */
#define ACCUSED_RGB 0xb2182b
#define OTHER_RGB 0x7a8ba0

static void draw_bars(const struct seep_plot *plot, struct seep_canvas *canvas,
		      const struct seep_plot_axes *axes, size_t i)
{
	const struct seep_site_result *result = &plot->view->verdict->sites[plot->sites[i]];
	struct seep_canvas_ink ink = { .rgb = seep_view_is_accused(result) ? ACCUSED_RGB
									  : OTHER_RGB };
	double base = axes->box.y + axes->box.height;

	for (size_t b = 0; b < result->site->cohorts.n_bins; b++) {
		struct seep_plot_bin bin = seep_plot_survivors_bin(plot, i, b);
		double left = seep_plot_x(axes, bin.from), right = seep_plot_x(axes, bin.to);
		double gap = right - left > 4 ? 1 : 0;
		double y = seep_plot_y(axes, bin.bytes);

		if (bin.bytes > 0)
			seep_canvas_fill(canvas, ink, (struct seep_canvas_box){
				left, fmin(y, base - 1), fmax(right - left - gap, 1),
				base - fmin(y, base - 1) });
	}
}

/* The scale of a row: the value of its tallest bar, and the base line. */
static void draw_scale(const struct seep_plot *plot, struct seep_canvas *canvas,
		       const struct seep_plot_axes *axes, double most)
{
	double base = floor(axes->box.y + axes->box.height) + .5;
	double x[2] = { axes->box.x, axes->box.x + axes->box.width }, y[2] = { base, base };

	(void)plot;
	seep_canvas_line(canvas, (struct seep_canvas_ink){ .rgb = 0xbbbbbb, .width = 1 }, x, y, 2);
	seep_canvas_text(canvas, seep_plot_small(SEEP_ALIGN_RIGHT), axes->box.x - 6,
			 axes->box.y + 8, seep_size_format(most).text);
}

static void draw_row(const struct seep_plot *plot, struct seep_canvas *canvas,
		     struct seep_plot_axes axes, size_t i)
{
	struct seep_canvas_letters letters = seep_plot_small(SEEP_ALIGN_LEFT);
	const char *fate = seep_plot_site_fate(plot, i);
	double room = axes.box.width - seep_canvas_measure(canvas, letters, fate) - 16;
	double right = axes.box.x + axes.box.width;

	seep_canvas_text(canvas, letters, axes.box.x, axes.box.y + 11,
			 seep_canvas_shorten(canvas, letters, seep_plot_site_name(plot, i), room));
	letters.align = SEEP_ALIGN_RIGHT;
	seep_canvas_text(canvas, letters, right, axes.box.y + 11, fate);
	axes.box.y += LABEL;
	axes.box.height -= LABEL + 5;
	axes.y = (struct seep_range){ 0, seep_plot_survivors_most(plot, i) };
	draw_scale(plot, canvas, &axes, axes.y.high);
	draw_bars(plot, canvas, &axes, i);
}

static void draw_survivors(const struct seep_plot *plot, struct seep_canvas *canvas,
			   struct seep_canvas_box box)
{
	double room = box.height - SEEP_PLOT_HEAD - SEEP_PLOT_FOOT;
	size_t fit = (size_t)fmax(room / ROW_LEAST, 1);
	size_t n = plot->n_sites < fit ? plot->n_sites : fit;
	double height = fmin(room / (double)n, 2 * ROW_WANTED);
	const char *noun = seep_view_axis(plot->view).noun;
	struct seep_plot_axes axes = {
		.box = { box.x + SEEP_PLOT_LEFT, 0,
			 box.width - SEEP_PLOT_LEFT - SEEP_PLOT_RIGHT, height },
		.x = plot->events,
	};

	seep_plot_head(canvas, box, seep_arena_printf(
		plot->arena, "Live bytes by %s of allocation%s", noun,
		n < plot->n_sites ? seep_arena_printf(plot->arena, ", %zu of %zu sites", n,
						      plot->n_sites) : ""), "");
	for (size_t i = 0; i < n; i++) {
		axes.box.y = box.y + SEEP_PLOT_HEAD + (double)i * height;
		draw_row(plot, canvas, axes, i);
	}
	seep_plot_events_axis(plot, canvas, &axes);
}

static double want_survivors(const struct seep_plot *plot)
{
	return SEEP_PLOT_HEAD + SEEP_PLOT_FOOT + (double)plot->n_sites * ROW_WANTED;
}

const struct seep_plot_drawing seep_plot_survivors_drawing = {
	.draw = draw_survivors, .wanted = want_survivors,
	.least = SEEP_PLOT_HEAD + SEEP_PLOT_FOOT + ROW_LEAST,
};
