/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each event added, from its start to the start of the next, with the rate. */
#include "render/plot/plot_panel.h"

#include <math.h>

#define HEAD_ROOM .06
#define CLIPPED_ROOM .16         /* for arrows and their labels */
#define DOTS_MOST 400
#define ARROW 5
#define BOX_GAP 10

/* The curves first .. first + n - 1 in one box. */
struct deltas {
	const struct seep_plot *plot;
	size_t first, n;
	struct seep_range range; /* of the values that fit, without margins */
	struct seep_plot_axes axes;
};

/* The farthest value of all curves that does not fit, and the number of such values. */
static struct seep_plot_clipped find_clipped(const struct deltas *deltas, bool above)
{
	struct seep_plot_clipped all = { 0 };

	for (size_t c = deltas->first; c < deltas->first + deltas->n; c++) {
		struct seep_plot_clipped own = seep_plot_clipped(&deltas->plot->curves[c],
								 deltas->range, above);
		size_t n = all.n + own.n;

		if (own.n && (!all.n || fabs(own.most) > fabs(all.most)))
			all = own;
		all.n = n;
	}
	return all;
}

static void frame(struct deltas *deltas)
{
	struct seep_range range = SEEP_RANGE_EMPTY;
	double span;

	for (size_t c = deltas->first; c < deltas->first + deltas->n; c++) {
		struct seep_range own = seep_plot_delta_range(deltas->plot, c);

		seep_range_add(&range, own.low);
		seep_range_add(&range, own.high);
	}
	range = seep_range_widen(range, 0);
	span = range.high - range.low;
	deltas->range = range;
	range.high += (find_clipped(deltas, true).n ? CLIPPED_ROOM : HEAD_ROOM) * span;
	range.low -= (find_clipped(deltas, false).n ? CLIPPED_ROOM
						    : range.low < 0 ? HEAD_ROOM : 0) * span;
	deltas->axes.y = range;
}

static bool are_apart(const struct seep_plot *plot)
{
	struct seep_range ranges[2] = { seep_plot_delta_range(plot, 0), SEEP_RANGE_EMPTY };

	if (plot->n_curves > 1)
		ranges[1] = seep_plot_delta_range(plot, 1);
	return seep_plot_are_apart(plot, ranges);
}

static void draw_values(const struct deltas *deltas, struct seep_canvas *canvas,
			const struct seep_plot_curve *curve)
{
	const struct seep_plot_axes *axes = &deltas->axes;
	struct seep_scale_points points = seep_scale_thin(curve->series.index, curve->deltas,
						     curve->series.n - 1, axes->x,
						     (size_t)axes->box.width,
						     deltas->plot->arena);
	bool dots = points.n <= DOTS_MOST;
	struct seep_canvas_ink ink = { .rgb = curve->rgb, .width = dots ? .8 : 1,
				       .alpha = dots ? .45 : .6 };

	for (size_t i = 0; i < points.n; i++) {
		bool inside = points.y[i] >= deltas->range.low &&
			      points.y[i] <= deltas->range.high;

		points.x[i] = seep_plot_x(axes, points.x[i]);
		points.y[i] = seep_plot_y(axes, points.y[i]);
		if (dots && inside)
			seep_canvas_dot(canvas, (struct seep_canvas_ink){ .rgb = curve->rgb },
					points.x[i], points.y[i], points.n < 100 ? 2.5 : 1.6);
	}
	seep_canvas_line(canvas, ink, points.x, points.y, points.n);
}

static void draw_rate(struct seep_canvas *canvas, const struct seep_plot_axes *axes,
		      const struct seep_plot_curve *curve)
{
	double left = axes->box.x, right = left + axes->box.width;
	double low = seep_plot_y(axes, curve->rate.low), high = seep_plot_y(axes, curve->rate.high);
	double y = seep_plot_y(axes, curve->rate.value);
	double x[2] = { left, right }, ys[2] = { y, y };

	if (!curve->rate.known)
		return;
	seep_canvas_fill(canvas, (struct seep_canvas_ink){ .rgb = curve->rgb, .alpha = .18 },
			 (struct seep_canvas_box){ left, high, right - left, low - high });
	seep_canvas_line(canvas, (struct seep_canvas_ink){ .rgb = curve->rgb, .width = 1.4,
							   .dashed = true }, x, ys, 2);
}

static void draw_zero(struct seep_canvas *canvas, const struct seep_plot_axes *axes)
{
	double y = floor(seep_plot_y(axes, 0)) + .5;
	double x[2] = { axes->box.x, axes->box.x + axes->box.width }, ys[2] = { y, y };

	seep_canvas_line(canvas, (struct seep_canvas_ink){ .rgb = 0x999999, .width = 1 }, x, ys, 2);
}

/* Draws an arrow at the farthest value that does not fit, labelled with the value. */
static void draw_clipped(const struct deltas *deltas, struct seep_canvas *canvas, bool above)
{
	const struct seep_canvas_box *box = &deltas->axes.box;
	struct seep_plot_clipped clipped = find_clipped(deltas, above);
	double tip = above ? box->y + 2 : box->y + box->height - 2;
	double base = above ? tip + 2 * ARROW : tip - 2 * ARROW;
	double x = fmax(seep_plot_x(&deltas->axes, clipped.event), box->x + ARROW);
	double xs[3] = { x - ARROW, x, x + ARROW }, ys[3] = { base, tip, base };
	bool right = x > box->x + box->width / 2;
	struct seep_canvas_letters letters = seep_plot_small(right ? SEEP_ALIGN_RIGHT
								    : SEEP_ALIGN_LEFT);
	const char *text = seep_arena_printf(deltas->plot->arena, "%s",
					     seep_size_format(clipped.most).text);
	double width;

	if (!clipped.n)
		return;
	if (clipped.n > 1)
		text = seep_arena_printf(deltas->plot->arena, "%zu outside, the farthest is %s",
					 clipped.n, text);
	width = seep_canvas_measure(canvas, letters, text) + 2;
	x += right ? -2 * ARROW : 2 * ARROW;
	seep_canvas_fill(canvas, (struct seep_canvas_ink){ .rgb = 0xffffff, .alpha = .85 },
			 (struct seep_canvas_box){ right ? x - width : x - 1,
						   above ? tip : tip - 11, width, 12 });
	seep_canvas_area(canvas, (struct seep_canvas_ink){ .rgb = SEEP_PLOT_BLACK }, xs, ys, 3);
	seep_canvas_text(canvas, letters, x, above ? tip + 10 : tip - 1, text);
}

static double draw_keys(const struct seep_plot *plot, struct seep_canvas *canvas,
			struct seep_canvas_box box)
{
	struct seep_plot_key keys[2];

	for (size_t c = 0; c < plot->n_curves; c++) {
		const struct seep_plot_curve *curve = &plot->curves[c];

		keys[c] = (struct seep_plot_key){
			{ .rgb = curve->rgb, .width = 2 },
			seep_arena_printf(plot->arena, "%s: %s", curve->name,
					  seep_plot_rate(plot, &curve->rate)) };
	}
	return seep_plot_legend(canvas, box.x + SEEP_PLOT_LEFT, box.y + SEEP_PLOT_HEAD,
				box.width - SEEP_PLOT_LEFT - SEEP_PLOT_RIGHT, keys,
				plot->n_curves);
}

static void draw_box(struct deltas *deltas, struct seep_canvas *canvas)
{
	const struct seep_plot *plot = deltas->plot;
	const struct seep_plot_axes *axes = &deltas->axes;

	frame(deltas);
	seep_plot_warmup(plot, canvas, axes);
	seep_plot_bytes_axis(canvas, axes);
	draw_zero(canvas, axes);
	seep_plot_clip(canvas, axes->box);
	for (size_t c = deltas->first; c < deltas->first + deltas->n; c++)
		draw_values(deltas, canvas, &plot->curves[c]);
	for (size_t c = deltas->first; c < deltas->first + deltas->n; c++)
		draw_rate(canvas, axes, &plot->curves[c]);
	seep_canvas_unclip(canvas);
	draw_clipped(deltas, canvas, true);
	draw_clipped(deltas, canvas, false);
}

static void draw_delta(const struct seep_plot *plot, struct seep_canvas *canvas,
		       struct seep_canvas_box box)
{
	double top = box.y + SEEP_PLOT_HEAD + draw_keys(plot, canvas, box) + 4;
	size_t boxes = are_apart(plot) ? 2 : 1;
	double room = box.y + box.height - SEEP_PLOT_FOOT - top;
	double height = (room - BOX_GAP * (double)(boxes - 1)) / (double)boxes;
	struct deltas deltas = {
		.plot = plot,
		.n = boxes == 1 ? plot->n_curves : 1,
		.axes = { .x = plot->events,
			  .box = { box.x + SEEP_PLOT_LEFT, top,
				   box.width - SEEP_PLOT_LEFT - SEEP_PLOT_RIGHT, height } },
	};

	seep_plot_head(canvas, box, seep_arena_printf(
		plot->arena, "What each %s adds, from start to start",
		seep_view_axis(plot->view).noun), "dashed: the rate and its 95 % interval");
	for (size_t i = 0; i < boxes; i++) {
		deltas.first = i;
		deltas.axes.box.y = top + (double)i * (height + BOX_GAP);
		draw_box(&deltas, canvas);
	}
	seep_plot_events_axis(plot, canvas, &deltas.axes);
}

static double want_delta(const struct seep_plot *plot)
{
	return are_apart(plot) ? 260 : 210;
}

const struct seep_plot_drawing seep_plot_delta_drawing = {
	.draw = draw_delta, .wanted = want_delta, .least = 130, .stretches = true,
};
