/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each phase added, over the events: one coloured strip per phase. */
#include "render/plot/plot_panel.h"

#include <math.h>

#define ROW_WANTED 34.0
#define ROW_LEAST 26.0
#define ROWS_MOST 12
#define LABEL 14.0               /* the height of the name of a row */
#define KEY_WIDTH 120.0
#define KEY_GAP 12
#define KEY_STEPS 24
#define SHARE_LEAST .005
#define UNKNOWN_RGB 0xdcdcdc

static uint32_t mix(uint32_t from, uint32_t to, double part)
{
	uint32_t rgb = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		double a = from >> shift & 255, b = to >> shift & 255;

		rgb |= (uint32_t)lround(a + (b - a) * part) << shift;
	}
	return rgb;
}

/* Blue: memory is given back; red: it is kept. */
static uint32_t colour_of(double bytes, double most)
{
	double part = fmin(fabs(bytes) / most, 1);

	if (isnan(bytes))
		return UNKNOWN_RGB;
	if (part < .5)
		return mix(0xfbfbfb, bytes < 0 ? 0x7fb2d5 : 0xf29c7d, part * 2);
	return mix(bytes < 0 ? 0x7fb2d5 : 0xf29c7d, bytes < 0 ? 0x10478c : 0x96101f, part * 2 - 1);
}

/* The bytes with the full colour; the warm-up and a few cells may exceed them. */
static double full_colour(const struct seep_plot *plot)
{
	const struct seep_phase_matrix *matrix = &plot->matrix;
	size_t n = 0, all = matrix->n_phases * matrix->n_bins;
	double *cells = seep_arena_array(plot->arena, all, sizeof(*cells));
	double warmup = (double)plot->view->verdict->warmup_events, most = 0;
	struct seep_range range;

	for (size_t i = 0; i < all; i++)
		if ((double)(i % matrix->n_bins) * matrix->events_per_bin >= warmup &&
		    seep_scale_is_sane(matrix->bytes[i]))
			cells[n++] = matrix->bytes[i];
	range = n ? seep_range_clip(cells, n, plot->arena)
		  : seep_range_clip(matrix->bytes, all, plot->arena);
	if (range.low <= range.high)
		most = fmax(fabs(range.low), fabs(range.high));
	return most > 0 ? most : 1;
}

/* Draws the colour key at the right of the panel's name; returns its width. */
static double draw_key(const struct seep_plot *plot, struct seep_canvas *canvas,
		       struct seep_canvas_box box, double most)
{
	struct seep_canvas_letters letters = seep_plot_small(SEEP_ALIGN_RIGHT);
	double right = box.x + box.width - SEEP_PLOT_RIGHT, width = fmin(KEY_WIDTH, box.width / 8);
	char begin[80], end[80];
	double left;

	snprintf(begin, sizeof(begin), "%s", seep_size_format(-most).text);
	snprintf(end, sizeof(end), "%s/%s", seep_size_format(most).text,
		 seep_view_axis(plot->view).noun);
	left = right - seep_canvas_measure(canvas, letters, end) - 6 - width;
	for (int i = 0; i < KEY_STEPS; i++) {
		double bytes = (2 * (i + .5) / KEY_STEPS - 1) * most;

		seep_canvas_fill(canvas, (struct seep_canvas_ink){ .rgb = colour_of(bytes, most) },
				 (struct seep_canvas_box){ left + i * width / KEY_STEPS, box.y + 3,
							   width / KEY_STEPS + .3, 10 });
	}
	seep_canvas_text(canvas, letters, right, box.y + 12, end);
	seep_canvas_text(canvas, letters, left - 6, box.y + 12, begin);
	return right - left + 6 + seep_canvas_measure(canvas, letters, begin) + KEY_GAP;
}

/* "2.13 MB/event   100 %". */
static const char *tell_phase(const struct seep_plot *plot, size_t phase)
{
	struct seep_view_axis axis = seep_view_axis(plot->view);
	double share = seep_plot_phase_share(plot, phase);
	const char *mean = seep_arena_printf(
		plot->arena, "%s/%s",
		seep_size_format(plot->matrix.means[phase] * axis.scale).text, axis.per);

	if (!(fabs(share) >= SHARE_LEAST) ||
	    !seep_verdict_kind_grows(plot->view->verdict->kind))
		return mean;
	return seep_arena_printf(plot->arena, "%s   %s of the growth", mean,
				 seep_size_percent(share).text);
}

static void draw_strip(const struct seep_plot *plot, struct seep_canvas *canvas,
		       const struct seep_plot_axes *axes, size_t phase, double most)
{
	const struct seep_phase_matrix *matrix = &plot->matrix;
	const double *row = matrix->bytes + phase * matrix->n_bins;

	for (size_t b = 0; b < matrix->n_bins;) {
		uint32_t rgb = colour_of(row[b], most);
		size_t end = b + 1;
		double left, right;

		while (end < matrix->n_bins && colour_of(row[end], most) == rgb)
			end++;
		/* whole pixels: no seams between neighbours */
		left = floor(seep_plot_x(axes, (double)b * matrix->events_per_bin));
		right = floor(seep_plot_x(axes, fmin((double)end * matrix->events_per_bin,
						     axes->x.high)));
		seep_canvas_fill(canvas, (struct seep_canvas_ink){ .rgb = rgb },
				 (struct seep_canvas_box){ left, axes->box.y, right - left,
							   axes->box.height });
		b = end;
	}
}

static void draw_row(const struct seep_plot *plot, struct seep_canvas *canvas,
		     struct seep_plot_axes axes, size_t phase, double most)
{
	struct seep_canvas_letters letters = seep_plot_small(SEEP_ALIGN_LEFT);
	const char *told = tell_phase(plot, phase);
	double right = axes.box.x + axes.box.width;
	double room = axes.box.width - seep_canvas_measure(canvas, letters, told) - 16;

	seep_canvas_text(canvas, letters, axes.box.x, axes.box.y + 11,
			 seep_canvas_shorten(canvas, letters, seep_plot_phase_name(plot, phase),
					     room));
	letters.align = SEEP_ALIGN_RIGHT;
	seep_canvas_text(canvas, letters, right, axes.box.y + 11, told);
	axes.box.y += LABEL + 1;
	axes.box.height -= LABEL + 4;
	draw_strip(plot, canvas, &axes, phase, most);
}

static void draw_phases(const struct seep_plot *plot, struct seep_canvas *canvas,
			struct seep_canvas_box box)
{
	double room = box.height - SEEP_PLOT_HEAD - SEEP_PLOT_FOOT, most = full_colour(plot);
	size_t picked[ROWS_MOST], fit = (size_t)fmax(room / ROW_LEAST, 1);
	size_t n = seep_plot_phases_pick(plot, fit < ROWS_MOST ? fit : ROWS_MOST, picked);
	double height = fmin(room / (double)n, 1.5 * ROW_WANTED);
	struct seep_plot_axes axes = {
		.box = { box.x + SEEP_PLOT_LEFT, box.y + SEEP_PLOT_HEAD,
			 box.width - SEEP_PLOT_LEFT - SEEP_PLOT_RIGHT, height },
		.x = plot->events,
	};
	const char *name = seep_arena_printf(
		plot->arena, "%s added in each phase%s",
		plot->view->verdict->from_heap ? "Live heap" : "RSS",
		n < plot->matrix.n_phases ? seep_arena_printf(plot->arena, ", %zu of %zu", n,
							       plot->matrix.n_phases) : "");
	struct seep_canvas_box head = box;

	head.width -= draw_key(plot, canvas, box, most);
	seep_plot_head(canvas, head, name, "");
	for (size_t i = 0; i < n; i++) {
		axes.box.y = box.y + SEEP_PLOT_HEAD + (double)i * height;
		draw_row(plot, canvas, axes, picked[i], most);
	}
	seep_plot_events_axis(plot, canvas, &axes);
}

static double want_phases(const struct seep_plot *plot)
{
	size_t n = plot->matrix.n_phases < ROWS_MOST ? plot->matrix.n_phases : ROWS_MOST;

	return SEEP_PLOT_HEAD + SEEP_PLOT_FOOT + (double)n * ROW_WANTED;
}

const struct seep_plot_drawing seep_plot_phases_drawing = {
	.draw = draw_phases, .wanted = want_phases,
	.least = SEEP_PLOT_HEAD + SEEP_PLOT_FOOT + 2 * ROW_LEAST,
};
