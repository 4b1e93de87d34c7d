/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory over the events, with the fit and its band. */
#include "render/plot/plot_panel.h"

#include <math.h>

#define LEAST_SPAN .01           /* of the level: smaller noise does not fill the box */
#define NEAR_ZERO .35            /* of the top: a bottom below that becomes zero */
#define HEAD_ROOM .05
#define DOTS_MOST 40             /* up to so many events are shown as dots */
#define FIT_RGB 0x000000
#define LIMIT_RGB 0xb2182b
#define BOX_GAP 10

static struct seep_range range_of(const struct seep_plot_curve *curve)
{
	struct seep_range range = SEEP_RANGE_EMPTY;

	seep_range_add_all(&range, curve->series.values, curve->series.n);
	return range;
}

static bool are_apart(const struct seep_plot *plot)
{
	struct seep_range ranges[2] = { range_of(&plot->curves[0]), SEEP_RANGE_EMPTY };

	if (plot->n_curves > 1)
		ranges[1] = range_of(&plot->curves[1]);
	return seep_plot_are_apart(plot, ranges);
}

/* Adds some room above and below; extends to zero if that is near. */
static struct seep_range frame(struct seep_range range)
{
	double span;

	range = seep_range_widen(range, LEAST_SPAN * fmax(fabs(range.low), fabs(range.high)));
	span = range.high - range.low;
	range.high += HEAD_ROOM * span;
	if (range.low >= 0 && range.low < NEAR_ZERO * range.high)
		range.low = 0;
	else
		range.low -= HEAD_ROOM * span;
	return range;
}

static void draw_band(struct seep_canvas *canvas, const struct seep_plot_axes *axes,
		      const struct seep_line *line)
{
	double events[6] = { line->first, line->middle, line->last,
			     line->last, line->middle, line->first };
	double rates[6] = { line->low, line->low, line->low, line->high, line->high, line->high };
	double x[6], y[6];

	for (size_t i = 0; i < 6; i++) {
		x[i] = seep_plot_x(axes, events[i]);
		y[i] = seep_plot_y(axes, seep_line_at(line, rates[i], events[i]));
	}
	seep_canvas_area(canvas, (struct seep_canvas_ink){ .rgb = FIT_RGB, .alpha = .15 }, x, y, 6);
}

static void draw_fit(struct seep_canvas *canvas, const struct seep_plot_axes *axes,
		     const struct seep_line *line)
{
	double x[2] = { seep_plot_x(axes, line->first), seep_plot_x(axes, line->last) };
	double y[2] = { seep_plot_y(axes, seep_line_at(line, line->rate, line->first)),
			seep_plot_y(axes, seep_line_at(line, line->rate, line->last)) };

	if (!line->known)
		return;
	draw_band(canvas, axes, line);
	seep_canvas_line(canvas, (struct seep_canvas_ink){ .rgb = FIT_RGB, .width = 1.3,
							   .dashed = true }, x, y, 2);
}

static void draw_values(const struct seep_plot *plot, struct seep_canvas *canvas,
			const struct seep_plot_axes *axes, const struct seep_plot_curve *curve)
{
	struct seep_scale_points points = seep_scale_thin(curve->series.index, curve->series.values,
						     curve->series.n, axes->x,
						     (size_t)axes->box.width, plot->arena);
	struct seep_canvas_ink ink = { .rgb = curve->rgb, .width = 1.6 };

	for (size_t i = 0; i < points.n; i++) {
		points.x[i] = seep_plot_x(axes, points.x[i]);
		points.y[i] = seep_plot_y(axes, points.y[i]);
		if (points.n <= DOTS_MOST)
			seep_canvas_dot(canvas, ink, points.x[i], points.y[i], 2.5);
	}
	seep_canvas_line(canvas, ink, points.x, points.y, points.n);
}

static void draw_limit(const struct seep_plot *plot, struct seep_canvas *canvas,
		       const struct seep_plot_axes *axes)
{
	double y = floor(seep_plot_y(axes, plot->limit)) + .5;
	double x[2] = { axes->box.x, axes->box.x + axes->box.width }, ys[2] = { y, y };

	seep_canvas_line(canvas, (struct seep_canvas_ink){ .rgb = LIMIT_RGB, .width = 1.5,
							   .dashed = true }, x, ys, 2);
}

/* Draws one box with the curves first .. first + n - 1. */
static void draw_box(const struct seep_plot *plot, struct seep_canvas *canvas,
		     struct seep_canvas_box box, size_t first, size_t n)
{
	struct seep_plot_axes axes = { .box = box, .x = plot->events, .y = SEEP_RANGE_EMPTY };
	bool limited = plot->has_limit && plot->curves[first].series.kind == SEEP_SERIES_RSS;

	for (size_t c = first; c < first + n; c++) {
		struct seep_range range = range_of(&plot->curves[c]);

		seep_range_add(&axes.y, range.low);
		seep_range_add(&axes.y, range.high);
	}
	if (limited)
		seep_range_add(&axes.y, plot->limit);
	axes.y = frame(axes.y);
	seep_plot_warmup(plot, canvas, &axes);
	seep_plot_bytes_axis(canvas, &axes);
	seep_plot_clip(canvas, box);
	for (size_t c = first; c < first + n; c++)
		draw_values(plot, canvas, &axes, &plot->curves[c]);
	for (size_t c = first; c < first + n; c++)
		draw_fit(canvas, &axes, &plot->curves[c].line);
	if (limited)
		draw_limit(plot, canvas, &axes);
	seep_canvas_unclip(canvas);
}

static double draw_keys(const struct seep_plot *plot, struct seep_canvas *canvas,
			struct seep_canvas_box box)
{
	struct seep_plot_key keys[6];
	size_t n = 0;

	for (size_t c = 0; c < plot->n_curves; c++) {
		const struct seep_plot_curve *curve = &plot->curves[c];

		keys[n++] = (struct seep_plot_key){ { .rgb = curve->rgb, .width = 2 },
						    curve->name };
	}
	for (size_t c = 0; c < plot->n_curves; c++)
		if (plot->curves[c].line.known)
			keys[n++] = (struct seep_plot_key){
				{ .rgb = FIT_RGB, .width = 1.3, .dashed = true },
				seep_arena_printf(plot->arena, "fit and 95 %% band: %s",
						  seep_plot_rate(plot, &plot->curves[c].rate)) };
	if (plot->view->verdict->warmup_events > 0)
		keys[n++] = (struct seep_plot_key){ { .rgb = 0xe8e8e8 }, "warm-up" };
	if (plot->has_limit)
		keys[n++] = (struct seep_plot_key){
			{ .rgb = LIMIT_RGB, .width = 1.5, .dashed = true },
			seep_plot_limit(plot) };
	return seep_plot_legend(canvas, box.x + SEEP_PLOT_LEFT, box.y + SEEP_PLOT_HEAD,
				box.width - SEEP_PLOT_LEFT - SEEP_PLOT_RIGHT, keys, n);
}

static void draw_curve(const struct seep_plot *plot, struct seep_canvas *canvas,
		       struct seep_canvas_box box)
{
	double top = box.y + SEEP_PLOT_HEAD + draw_keys(plot, canvas, box) + 4;
	double bottom = box.y + box.height - SEEP_PLOT_FOOT;
	size_t boxes = are_apart(plot) ? 2 : 1;
	struct seep_plot_axes axes = { .x = plot->events };
	double height;

	if (seep_plot_has_time(plot))
		top += SEEP_PLOT_LINE;
	seep_plot_head(canvas, box, seep_arena_printf(plot->arena, "Memory at the start of each %s",
						      seep_view_axis(plot->view).noun), "");
	height = (bottom - top - BOX_GAP * (double)(boxes - 1)) / (double)boxes;
	axes.box = (struct seep_canvas_box){ box.x + SEEP_PLOT_LEFT, top,
					     box.width - SEEP_PLOT_LEFT - SEEP_PLOT_RIGHT,
					     height };
	seep_plot_time_axis(plot, canvas, &axes);
	for (size_t i = 0; i < boxes; i++) {
		axes.box.y = top + (double)i * (height + BOX_GAP);
		draw_box(plot, canvas, axes.box, i, boxes == 1 ? plot->n_curves : 1);
	}
	seep_plot_events_axis(plot, canvas, &axes);
}

static double want_curve(const struct seep_plot *plot)
{
	return are_apart(plot) ? 370 : 310;
}

const struct seep_plot_drawing seep_plot_curve_drawing = {
	.draw = draw_curve, .wanted = want_curve, .least = 160, .stretches = true,
};
