/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each call goes to a hand: canvas_svg.c or canvas_cairo.c.  SVG measures text with the table in
 * letters.c, so it needs no cairo and looks the same everywhere.
 */
#include "render/plot/canvas.h"

#include "render/plot/canvas_hand.h"
#include "render/safe.h"

#include <errno.h>
#include <math.h>
#include <string.h>

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

static const struct seep_canvas_hand *find_hand(enum seep_canvas_kind kind)
{
	return kind == SEEP_CANVAS_SVG ? &seep_svg_hand : seep_cairo_hand;
}

int seep_canvas_check(enum seep_canvas_kind kind, struct seep_err *err)
{
	if (find_hand(kind))
		return 0;
	return seep_err_set(err, ENOTSUP, "this seep was built without cairo (SEEP_PLOT=OFF) and "
			    "cannot write PNG or PDF; write an .svg file, or leave out -o to plot "
			    "in the terminal");
}

struct seep_canvas *seep_canvas_open(const struct seep_canvas_page *page,
				     struct seep_arena *arena)
{
	struct seep_canvas *canvas = seep_arena_alloc(arena, sizeof(*canvas));

	canvas->page = *page;
	canvas->arena = arena;
	canvas->hand = find_hand(page->kind);
	canvas->hand->open(canvas);
	seep_canvas_fill(canvas, (struct seep_canvas_ink){ .rgb = 0xffffff },
			 (struct seep_canvas_box){ 0, 0, page->width, page->height });
	return canvas;
}

int seep_canvas_close(struct seep_canvas *canvas, FILE *out, struct seep_err *err)
{
	int code = canvas->hand->close(canvas, err);

	if (code)
		return code;
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
	canvas->hand->drop(canvas);
}

void seep_canvas_fill(struct seep_canvas *canvas, struct seep_canvas_ink ink,
		      struct seep_canvas_box box)
{
	canvas->hand->fill(canvas, ink, box);
}

void seep_canvas_line(struct seep_canvas *canvas, struct seep_canvas_ink ink, const double *x,
		      const double *y, size_t n)
{
	canvas->hand->path(canvas, ink, x, y, n, false);
}

void seep_canvas_area(struct seep_canvas *canvas, struct seep_canvas_ink ink, const double *x,
		      const double *y, size_t n)
{
	canvas->hand->path(canvas, ink, x, y, n, true);
}

void seep_canvas_dot(struct seep_canvas *canvas, struct seep_canvas_ink ink, double x, double y,
		     double radius)
{
	canvas->hand->dot(canvas, ink, x, y, radius);
}

/* Noncharacters, which neither cairo nor XML accepts. */
static bool is_none(uint32_t code)
{
	return (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
}

/* Replaces what cannot be drawn by "?"; returns the text itself if all of it can be. */
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
	return canvas->hand->measure(canvas, letters, drawable(canvas, text));
}

void seep_canvas_text(struct seep_canvas *canvas, struct seep_canvas_letters letters, double x,
		      double y, const char *text)
{
	if (*text)
		canvas->hand->text(canvas, letters, x, y, drawable(canvas, text));
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
	canvas->hand->clip(canvas, box);
}

void seep_canvas_unclip(struct seep_canvas *canvas)
{
	canvas->hand->unclip(canvas);
}
