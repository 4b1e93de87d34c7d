/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/plot/canvas.h"

#include "render/plot/canvas_svg.h"
#include "render/safe.h"

#include <cairo-pdf.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

void seep_canvas_append(struct seep_canvas *canvas, const void *bytes, size_t n)
{
	if (n > canvas->room - canvas->n) {
		size_t room = 2 * (canvas->n + n) + 4096;
		char *larger = seep_arena_alloc(canvas->arena, room);

		if (canvas->n)
			memcpy(larger, canvas->bytes, canvas->n);
		canvas->bytes = larger;
		canvas->room = room;
	}
	memcpy(canvas->bytes + canvas->n, bytes, n);
	canvas->n += n;
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
	if (page->kind == SEEP_CANVAS_PNG)
		return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)page->width,
						  (int)page->height);
	return cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
}

/* The same picture makes the same file: when it was made is when the run began. */
static void describe_pdf(struct seep_canvas *canvas)
{
	time_t seconds = (time_t)(canvas->page.made_ns / 1000000000);
	struct tm when;
	char date[32] = "1970-01-01T00:00:00Z";

	if (canvas->page.kind != SEEP_CANVAS_PDF)
		return;
	if (seconds > 0 && gmtime_r(&seconds, &when) && when.tm_year < 8000)
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &when);
	cairo_pdf_surface_set_metadata(canvas->surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
	cairo_pdf_surface_set_metadata(canvas->surface, CAIRO_PDF_METADATA_TITLE,
				       canvas->page.title);
	cairo_pdf_surface_set_metadata(canvas->surface, CAIRO_PDF_METADATA_CREATOR, "seep plot");
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

struct seep_canvas *seep_canvas_open(const struct seep_canvas_page *page,
				     struct seep_arena *arena)
{
	struct seep_canvas *canvas = seep_arena_alloc(arena, sizeof(*canvas));

	canvas->page = *page;
	canvas->arena = arena;
	canvas->surface = make_surface(canvas);
	canvas->cairo = cairo_create(canvas->surface);
	plain_letters(canvas->cairo);
	describe_pdf(canvas);
	if (page->kind == SEEP_CANVAS_SVG)
		seep_svg_open(canvas);
	seep_canvas_fill(canvas, (struct seep_canvas_ink){ .rgb = 0xffffff },
			 (struct seep_canvas_box){ 0, 0, page->width, page->height });
	return canvas;
}

int seep_canvas_close(struct seep_canvas *canvas, FILE *out, struct seep_err *err)
{
	cairo_status_t status = cairo_status(canvas->cairo);
	int code;

	cairo_destroy(canvas->cairo);
	if (canvas->page.kind == SEEP_CANVAS_SVG)
		seep_svg_close(canvas);
	else if (!status && canvas->page.kind == SEEP_CANVAS_PNG)
		status = cairo_surface_write_to_png_stream(canvas->surface, take_bytes, canvas);
	cairo_surface_finish(canvas->surface);
	if (!status)
		status = cairo_surface_status(canvas->surface);
	cairo_surface_destroy(canvas->surface);
	if (status)
		return seep_err_set(err, EIO, "the picture could not be drawn: %s",
				    cairo_status_to_string(status));
	errno = 0;
	if (fwrite(canvas->bytes, 1, canvas->n, out) != canvas->n || fflush(out)) {
		code = errno ? errno : EIO;
		return seep_err_set(err, code, "the picture could not be written: %s",
				    strerror(code));
	}
	return 0;
}

void seep_canvas_drop(struct seep_canvas *canvas)
{
	cairo_destroy(canvas->cairo);
	cairo_surface_destroy(canvas->surface);
}

static bool is_svg(const struct seep_canvas *canvas)
{
	return canvas->page.kind == SEEP_CANVAS_SVG;
}

static void use_ink(struct seep_canvas *canvas, struct seep_canvas_ink ink)
{
	static const double dash = SEEP_CANVAS_DASH;

	cairo_set_source_rgba(canvas->cairo, (ink.rgb >> 16 & 255) / 255.0,
			      (ink.rgb >> 8 & 255) / 255.0, (ink.rgb & 255) / 255.0,
			      ink.alpha > 0 ? ink.alpha : 1);
	cairo_set_line_width(canvas->cairo, ink.width);
	cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
	cairo_set_dash(canvas->cairo, &dash, ink.dashed, 0);
}

void seep_canvas_fill(struct seep_canvas *canvas, struct seep_canvas_ink ink,
		      struct seep_canvas_box box)
{
	if (is_svg(canvas)) {
		seep_svg_fill(canvas, ink, box);
		return;
	}
	use_ink(canvas, ink);
	cairo_rectangle(canvas->cairo, box.x, box.y, box.width, box.height);
	cairo_fill(canvas->cairo);
}

static void trace_path(struct seep_canvas *canvas, const double *x, const double *y, size_t n)
{
	cairo_new_path(canvas->cairo);
	for (size_t i = 0; i < n; i++)
		cairo_line_to(canvas->cairo, x[i], y[i]);
}

void seep_canvas_line(struct seep_canvas *canvas, struct seep_canvas_ink ink, const double *x,
		      const double *y, size_t n)
{
	if (is_svg(canvas)) {
		seep_svg_path(canvas, ink, x, y, n, false);
		return;
	}
	use_ink(canvas, ink);
	trace_path(canvas, x, y, n);
	cairo_stroke(canvas->cairo);
}

void seep_canvas_area(struct seep_canvas *canvas, struct seep_canvas_ink ink, const double *x,
		      const double *y, size_t n)
{
	if (is_svg(canvas)) {
		seep_svg_path(canvas, ink, x, y, n, true);
		return;
	}
	use_ink(canvas, ink);
	trace_path(canvas, x, y, n);
	cairo_fill(canvas->cairo);
}

void seep_canvas_dot(struct seep_canvas *canvas, struct seep_canvas_ink ink, double x, double y,
		     double radius)
{
	if (is_svg(canvas)) {
		seep_svg_dot(canvas, ink, x, y, radius);
		return;
	}
	use_ink(canvas, ink);
	cairo_new_path(canvas->cairo);
	cairo_arc(canvas->cairo, x, y, radius, 0, 2 * M_PI);
	cairo_fill(canvas->cairo);
}

static void use_letters(struct seep_canvas *canvas, struct seep_canvas_letters letters)
{
	use_ink(canvas, (struct seep_canvas_ink){ .rgb = letters.rgb });
	cairo_select_font_face(canvas->cairo, SEEP_CANVAS_FONT, CAIRO_FONT_SLANT_NORMAL,
			       letters.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(canvas->cairo, letters.size);
}

/* Numbers that stand for no character: neither cairo nor XML takes them. */
static bool is_none(uint32_t code)
{
	return (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
}

/* With "?" for what cannot be drawn; the text itself if there is nothing of it. */
static const char *drawable(struct seep_canvas *canvas, const char *text)
{
	size_t n = strlen(text), out = 0, length;
	char *copy = NULL;

	for (size_t at = 0; at < n; at += length) {
		uint32_t code = 0;
		bool good;

		length = seep_safe_decode((const unsigned char *)text + at, n - at, &code);
		good = length && !is_none(code);
		length = length ? length : 1;
		if (!good && !copy) {
			copy = seep_arena_copy(canvas->arena, text, n);
			out = at;
		}
		if (copy && good)
			memmove(copy + out, text + at, length);
		else if (copy)
			copy[out] = '?';
		out += good ? length : 1;
	}
	if (copy)
		copy[out] = 0;
	return copy ? copy : text;
}

double seep_canvas_measure(struct seep_canvas *canvas, struct seep_canvas_letters letters,
			   const char *text)
{
	cairo_text_extents_t extents;

	use_letters(canvas, letters);
	cairo_text_extents(canvas->cairo, drawable(canvas, text), &extents);
	return extents.x_advance;
}

void seep_canvas_text(struct seep_canvas *canvas, struct seep_canvas_letters letters, double x,
		      double y, const char *text)
{
	if (!*text)
		return;
	text = drawable(canvas, text);
	if (is_svg(canvas)) {
		seep_svg_text(canvas, letters, x, y, text);
		return;
	}
	if (letters.align == SEEP_ALIGN_MIDDLE)
		x -= seep_canvas_measure(canvas, letters, text) / 2;
	else if (letters.align == SEEP_ALIGN_RIGHT)
		x -= seep_canvas_measure(canvas, letters, text);
	use_letters(canvas, letters);
	cairo_move_to(canvas->cairo, x, y);
	cairo_show_text(canvas->cairo, text);
}

const char *seep_canvas_shorten(struct seep_canvas *canvas, struct seep_canvas_letters letters,
				const char *text, double width)
{
	size_t columns = seep_safe_width(text);

	while (seep_canvas_measure(canvas, letters, text) > width) {
		double excess = seep_canvas_measure(canvas, letters, text) / fmax(width, 1);
		size_t fewer = (size_t)((double)columns / excess);

		if (columns <= 8)
			return "";
		columns = fewer < columns ? fewer : columns - 1;
		text = seep_safe_shorten(canvas->arena, text, columns);
	}
	return text;
}

void seep_canvas_clip(struct seep_canvas *canvas, struct seep_canvas_box box)
{
	if (is_svg(canvas)) {
		seep_svg_clip(canvas, box);
		return;
	}
	cairo_save(canvas->cairo);
	cairo_rectangle(canvas->cairo, box.x, box.y, box.width, box.height);
	cairo_clip(canvas->cairo);
}

void seep_canvas_unclip(struct seep_canvas *canvas)
{
	if (is_svg(canvas))
		seep_svg_unclip(canvas);
	else
		cairo_restore(canvas->cairo);
}
