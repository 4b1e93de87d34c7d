/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/plot/plot_panel.h"

#include <math.h>

#define GRID_RGB 0xe4e4e4
#define FRAME_RGB 0x999999
#define WARMUP_RGB 0xf0f0f0
#define WARMUP_LINE_RGB 0x777777
#define EVENT_TICK_PIXELS 80     /* least distance between two ticks */
#define BYTES_TICK_PIXELS 16
#define TICK 4                   /* pixels */
#define NAME_GAP 18              /* from the name of an axis to its box: half a label */
#define DOT 3
#define KEY_WIDTH 20
#define KEY_GAP 14

double seep_plot_x(const struct seep_plot_axes *axes, double event)
{
	return seep_scale_at(axes->x, axes->box.x, axes->box.x + axes->box.width, event);
}

double seep_plot_y(const struct seep_plot_axes *axes, double bytes)
{
	return seep_scale_at(axes->y, axes->box.y + axes->box.height, axes->box.y, bytes);
}

struct seep_canvas_letters seep_plot_small(enum seep_canvas_align align)
{
	return (struct seep_canvas_letters){ .size = SEEP_PLOT_SMALL, .rgb = SEEP_PLOT_BLACK,
					     .align = align };
}

void seep_plot_head(struct seep_canvas *canvas, struct seep_canvas_box box, const char *name,
		    const char *note)
{
	struct seep_canvas_letters bold = { .size = 12, .rgb = SEEP_PLOT_BLACK, .bold = true };
	struct seep_canvas_letters small = seep_plot_small(SEEP_ALIGN_RIGHT);
	double x = box.x + SEEP_PLOT_LEFT, right = box.x + box.width - SEEP_PLOT_RIGHT;
	double left;

	small.rgb = SEEP_PLOT_GREY;
	name = seep_canvas_shorten(canvas, bold, name, right - x);
	seep_canvas_text(canvas, bold, x, box.y + 12, name);
	left = x + seep_canvas_measure(canvas, bold, name) + KEY_GAP;
	if (seep_canvas_measure(canvas, small, note) <= right - left)
		seep_canvas_text(canvas, small, right, box.y + 12, note);
}

static void draw_line(struct seep_canvas *canvas, uint32_t rgb, double x0, double y0, double x1,
		      double y1)
{
	/* a one-pixel line is sharp only at the centre of a pixel */
	double x[2] = { floor(x0) + .5, floor(x1) + .5 };
	double y[2] = { floor(y0) + .5, floor(y1) + .5 };

	seep_canvas_line(canvas, (struct seep_canvas_ink){ .rgb = rgb, .width = 1 }, x, y, 2);
}

void seep_plot_bytes_axis(struct seep_canvas *canvas, const struct seep_plot_axes *axes)
{
	const struct seep_canvas_box *box = &axes->box;
	size_t most = (size_t)fmax(box->height / BYTES_TICK_PIXELS, 2);
	struct seep_ticks ticks = seep_ticks_find(axes->y, most < 8 ? most : 8, 0);

	for (size_t i = 0; i < ticks.n; i++) {
		double y = seep_plot_y(axes, seep_ticks_at(&ticks, i));

		draw_line(canvas, GRID_RGB, box->x, y, box->x + box->width, y);
		seep_canvas_text(canvas, seep_plot_small(SEEP_ALIGN_RIGHT), box->x - 6, y + 4,
				 seep_ticks_bytes(&ticks, i).text);
	}
	draw_line(canvas, FRAME_RGB, box->x, box->y, box->x, box->y + box->height);
}

static size_t count_ticks(const struct seep_plot_axes *axes)
{
	double n = axes->box.width / EVENT_TICK_PIXELS;

	return n < 2 ? 2 : n > 12 ? 12 : (size_t)n;
}

/* A tick at the edge of the box: above it if up is -1, below it if up is 1. */
static void draw_tick(struct seep_canvas *canvas, const struct seep_plot_axes *axes, double x,
		      double y, int up, const char *text)
{
	struct seep_canvas_letters letters = seep_plot_small(SEEP_ALIGN_MIDDLE);
	double half = seep_canvas_measure(canvas, letters, text) / 2;
	double edge = axes->box.x + axes->box.width + SEEP_PLOT_RIGHT - 2;

	draw_line(canvas, FRAME_RGB, x, y, x, y + up * TICK);
	x = fmax(fmin(x, edge - half), axes->box.x - NAME_GAP + half);
	seep_canvas_text(canvas, letters, x, up < 0 ? y - TICK - 3 : y + TICK + 11, text);
}

static void name_axis(struct seep_canvas *canvas, const struct seep_plot_axes *axes, double y,
		      int up, const char *name)
{
	struct seep_canvas_letters letters = seep_plot_small(SEEP_ALIGN_RIGHT);

	letters.rgb = SEEP_PLOT_GREY;
	seep_canvas_text(canvas, letters, axes->box.x - NAME_GAP - 6,
			 up < 0 ? y - TICK - 3 : y + TICK + 11, name);
}

static void draw_time(const struct seep_plot *plot, struct seep_canvas *canvas,
		      const struct seep_plot_axes *axes, double y, int up)
{
	const struct seep_series *series = &plot->curves[0].series;
	struct seep_range range = { series->seconds[0], series->seconds[series->n - 1] };
	struct seep_scale_time unit = seep_scale_time_for(range.high);
	struct seep_ticks ticks;
	double last = -INFINITY;

	range.low /= unit.seconds;
	range.high /= unit.seconds;
	ticks = seep_ticks_find(range, count_ticks(axes), 0);
	for (size_t i = 0; i < ticks.n; i++) {
		double value = seep_ticks_at(&ticks, i);
		double event = seep_plot_event_at(plot, value * unit.seconds);
		double x = seep_plot_x(axes, event);
		const char *text = seep_arena_printf(plot->arena, "%s %s",
						     seep_ticks_number(&ticks, value).text,
						     unit.name);

		/* if the program slept, many ticks fall on one event */
		if (isnan(event) || x - last < EVENT_TICK_PIXELS / 1.5)
			continue;
		draw_tick(canvas, axes, x, y, up, text);
		last = x;
	}
	name_axis(canvas, axes, y, up, "time");
}

static bool is_time(const struct seep_plot *plot)
{
	return plot->n_curves && seep_view_axis(plot->view).time;
}

void seep_plot_events_axis(const struct seep_plot *plot, struct seep_canvas *canvas,
			   const struct seep_plot_axes *axes)
{
	double y = axes->box.y + axes->box.height;
	struct seep_ticks ticks;

	draw_line(canvas, FRAME_RGB, axes->box.x, y, axes->box.x + axes->box.width, y);
	if (is_time(plot)) {
		draw_time(plot, canvas, axes, y, 1);
		return;
	}
	ticks = seep_ticks_find(axes->x, count_ticks(axes), 1);
	for (size_t i = 0; i < ticks.n; i++) {
		double value = seep_ticks_at(&ticks, i);

		draw_tick(canvas, axes, seep_plot_x(axes, value), y, 1,
			  seep_ticks_number(&ticks, value).text);
	}
	name_axis(canvas, axes, y, 1, "event");
}

bool seep_plot_has_time(const struct seep_plot *plot)
{
	const struct seep_series *series = &plot->curves[0].series;

	return plot->n_curves && !is_time(plot) &&
	       series->seconds[series->n - 1] > series->seconds[0];
}

void seep_plot_time_axis(const struct seep_plot *plot, struct seep_canvas *canvas,
			 const struct seep_plot_axes *axes)
{
	if (!seep_plot_has_time(plot))
		return;
	draw_line(canvas, FRAME_RGB, axes->box.x, axes->box.y, axes->box.x + axes->box.width,
		  axes->box.y);
	draw_time(plot, canvas, axes, axes->box.y, -1);
}

void seep_plot_clip(struct seep_canvas *canvas, struct seep_canvas_box box)
{
	box.x -= DOT;
	box.width += 2 * DOT;
	box.height += DOT;
	seep_canvas_clip(canvas, box);
}

void seep_plot_warmup(const struct seep_plot *plot, struct seep_canvas *canvas,
		      const struct seep_plot_axes *axes)
{
	const struct seep_canvas_box *box = &axes->box;
	double end = (double)plot->view->verdict->warmup_events;
	double x = seep_plot_x(axes, end), height = box->height;
	double xs[2] = { floor(x) + .5, floor(x) + .5 };
	double ys[2] = { box->y, box->y + height };

	if (end <= 0)
		return;
	seep_canvas_fill(canvas, (struct seep_canvas_ink){ .rgb = WARMUP_RGB },
			 (struct seep_canvas_box){ box->x, box->y, x - box->x, height });
	seep_canvas_line(canvas, (struct seep_canvas_ink){ .rgb = WARMUP_LINE_RGB, .width = 1,
							   .dashed = true }, xs, ys, 2);
}

static void draw_key(struct seep_canvas *canvas, const struct seep_plot_key *key, double x,
		     double y)
{
	double xs[2] = { x, x + KEY_WIDTH };
	double ys[2] = { y - 4, y - 4 };

	if (key->ink.width > 0)
		seep_canvas_line(canvas, key->ink, xs, ys, 2);
	else
		seep_canvas_fill(canvas, key->ink,
				 (struct seep_canvas_box){ x, y - 9, KEY_WIDTH, 10 });
}

double seep_plot_legend(struct seep_canvas *canvas, double x, double y, double width,
			const struct seep_plot_key *keys, size_t n)
{
	struct seep_canvas_letters letters = seep_plot_small(SEEP_ALIGN_LEFT);
	double at = x, line = y + 11;

	for (size_t i = 0; i < n; i++) {
		double room = width - KEY_WIDTH - 5;
		const char *text = seep_canvas_shorten(canvas, letters, keys[i].text, room);
		double needed = KEY_WIDTH + 5 + seep_canvas_measure(canvas, letters, text);

		if (at > x && at + needed > x + width) {
			at = x;
			line += SEEP_PLOT_LINE;
		}
		draw_key(canvas, &keys[i], at, line);
		seep_canvas_text(canvas, letters, at + KEY_WIDTH + 5, line, text);
		at += needed + KEY_GAP;
	}
	return n ? line - y + 4 : 0;
}
