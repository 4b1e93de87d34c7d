/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/plot/canvas_hand.h"

#include <cairo-pdf.h>
#include <errno.h>
#include <math.h>
#include <time.h>

#define FONT "sans-serif"

struct tools {
	cairo_surface_t *surface;
	cairo_t *cairo;
};

static cairo_t *pen(const struct seep_canvas *canvas)
{
	return ((struct tools *)canvas->tools)->cairo;
}

static cairo_status_t take_bytes(void *closure, const unsigned char *bytes, unsigned int n)
{
	seep_canvas_append(closure, bytes, n);
	return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *make_surface(struct seep_canvas *canvas)
{
	const struct seep_canvas_page *page = &canvas->page;

	if (page->kind == SEEP_CANVAS_PDF)
		return cairo_pdf_surface_create_for_stream(take_bytes, canvas, page->width,
							   page->height);
	return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)page->width,
					  (int)page->height);
}

/* The same picture makes the same file: when it was made is when the run began. */
static void describe_pdf(struct seep_canvas *canvas, cairo_surface_t *surface)
{
	time_t seconds = (time_t)(canvas->page.made_ns / 1000000000);
	struct tm when;
	char date[32] = "1970-01-01T00:00:00Z";

	if (canvas->page.kind != SEEP_CANVAS_PDF)
		return;
	if (seconds > 0 && gmtime_r(&seconds, &when) && when.tm_year < 8000)
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &when);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, canvas->page.title);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "seep plot");
}

/* No hints: the letters do not depend on what the machine thinks of its screen. */
static void plain_letters(cairo_t *cairo)
{
	cairo_font_options_t *options = cairo_font_options_create();

	cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
	cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
	cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	cairo_set_font_options(cairo, options);
	cairo_font_options_destroy(options);
}

static void open_surface(struct seep_canvas *canvas)
{
	struct tools *tools = seep_arena_alloc(canvas->arena, sizeof(*tools));

	canvas->tools = tools;
	tools->surface = make_surface(canvas);
	tools->cairo = cairo_create(tools->surface);
	plain_letters(tools->cairo);
	describe_pdf(canvas, tools->surface);
}

static int close_surface(struct seep_canvas *canvas, struct seep_err *err)
{
	struct tools *tools = canvas->tools;
	cairo_status_t status = cairo_status(tools->cairo);

	cairo_destroy(tools->cairo);
	if (!status && canvas->page.kind == SEEP_CANVAS_PNG)
		status = cairo_surface_write_to_png_stream(tools->surface, take_bytes, canvas);
	cairo_surface_finish(tools->surface);
	if (!status)
		status = cairo_surface_status(tools->surface);
	cairo_surface_destroy(tools->surface);
	if (status)
		return seep_err_set(err, EIO, "the picture could not be drawn: %s",
				    cairo_status_to_string(status));
	return 0;
}

static void drop_surface(struct seep_canvas *canvas)
{
	struct tools *tools = canvas->tools;

	cairo_destroy(tools->cairo);
	cairo_surface_destroy(tools->surface);
}

static void use_ink(struct seep_canvas *canvas, struct seep_canvas_ink ink)
{
	static const double dash = SEEP_CANVAS_DASH;

	cairo_set_source_rgba(pen(canvas), (ink.rgb >> 16 & 255) / 255.0,
			      (ink.rgb >> 8 & 255) / 255.0, (ink.rgb & 255) / 255.0,
			      ink.alpha > 0 ? ink.alpha : 1);
	cairo_set_line_width(pen(canvas), ink.width);
	cairo_set_line_join(pen(canvas), CAIRO_LINE_JOIN_ROUND);
	cairo_set_dash(pen(canvas), &dash, ink.dashed, 0);
}

static void fill(struct seep_canvas *canvas, struct seep_canvas_ink ink,
		 struct seep_canvas_box box)
{
	use_ink(canvas, ink);
	cairo_rectangle(pen(canvas), box.x, box.y, box.width, box.height);
	cairo_fill(pen(canvas));
}

static void draw_path(struct seep_canvas *canvas, struct seep_canvas_ink ink, const double *x,
		      const double *y, size_t n, bool filled)
{
	use_ink(canvas, ink);
	cairo_new_path(pen(canvas));
	for (size_t i = 0; i < n; i++)
		cairo_line_to(pen(canvas), x[i], y[i]);
	if (filled)
		cairo_fill(pen(canvas));
	else
		cairo_stroke(pen(canvas));
}

static void draw_dot(struct seep_canvas *canvas, struct seep_canvas_ink ink, double x, double y,
		     double radius)
{
	use_ink(canvas, ink);
	cairo_new_path(pen(canvas));
	cairo_arc(pen(canvas), x, y, radius, 0, 2 * M_PI);
	cairo_fill(pen(canvas));
}

static void use_letters(struct seep_canvas *canvas, struct seep_canvas_letters letters)
{
	use_ink(canvas, (struct seep_canvas_ink){ .rgb = letters.rgb });
	cairo_select_font_face(pen(canvas), FONT, CAIRO_FONT_SLANT_NORMAL,
			       letters.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(pen(canvas), letters.size);
}

static double measure(struct seep_canvas *canvas, struct seep_canvas_letters letters,
		      const char *text)
{
	cairo_text_extents_t extents;

	use_letters(canvas, letters);
	cairo_text_extents(pen(canvas), text, &extents);
	return extents.x_advance;
}

static void draw_text(struct seep_canvas *canvas, struct seep_canvas_letters letters, double x,
		      double y, const char *text)
{
	if (letters.align == SEEP_ALIGN_MIDDLE)
		x -= measure(canvas, letters, text) / 2;
	else if (letters.align == SEEP_ALIGN_RIGHT)
		x -= measure(canvas, letters, text);
	use_letters(canvas, letters);
	cairo_move_to(pen(canvas), x, y);
	cairo_show_text(pen(canvas), text);
}

static void clip(struct seep_canvas *canvas, struct seep_canvas_box box)
{
	cairo_save(pen(canvas));
	cairo_rectangle(pen(canvas), box.x, box.y, box.width, box.height);
	cairo_clip(pen(canvas));
}

static void unclip(struct seep_canvas *canvas)
{
	cairo_restore(pen(canvas));
}

static const struct seep_canvas_hand hand = {
	.open = open_surface,
	.close = close_surface,
	.drop = drop_surface,
	.fill = fill,
	.path = draw_path,
	.dot = draw_dot,
	.text = draw_text,
	.measure = measure,
	.clip = clip,
	.unclip = unclip,
};

const struct seep_canvas_hand *const seep_cairo_hand = &hand;
