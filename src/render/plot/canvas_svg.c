/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/plot/canvas_hand.h"
#include "render/plot/letters.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* DejaVu is the widest common font: in any other, texts take less room, not more. */
#define FAMILY "DejaVu Sans,Verdana,sans-serif"

static __attribute__((format(printf, 2, 3))) void put(struct seep_canvas *canvas,
						       const char *fmt, ...)
{
	char text[512];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n > 0)
		seep_canvas_append(canvas, text, (size_t)n < sizeof(text) ? (size_t)n
									  : sizeof(text) - 1);
}

static void put_text(struct seep_canvas *canvas, const char *text)
{
	for (; *text; text++)
		if (strchr("<>&\"'", *text))
			put(canvas, "&#%d;", *text);
		else
			seep_canvas_append(canvas, text, 1);
}

/* A tenth of a pixel is all the eye can see, and it halves the size of a long line. */
static void put_number(struct seep_canvas *canvas, double value)
{
	double tenths = nearbyint(value * 10);

	if (fabs(tenths - 10 * trunc(tenths / 10)) < .5)
		put(canvas, "%.0f", tenths / 10 + 0.0);
	else
		put(canvas, "%.1f", tenths / 10);
}

static void put_pair(struct seep_canvas *canvas, const char *before, double x, const char *between,
		     double y)
{
	put(canvas, "%s", before);
	put_number(canvas, x);
	put(canvas, "%s", between);
	put_number(canvas, y);
}

static void open_svg(struct seep_canvas *canvas)
{
	const struct seep_canvas_page *page = &canvas->page;

	put(canvas, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
	    "viewBox=\"0 0 %.0f %.0f\" font-family=\"" FAMILY "\" xml:space=\"preserve\">\n"
	    "<title>", page->width, page->height, page->width, page->height);
	put_text(canvas, page->title);
	put(canvas, "</title>\n");
}

static int close_svg(struct seep_canvas *canvas, struct seep_err *err)
{
	(void)err;
	put(canvas, "</svg>\n");
	return 0;
}

static void drop_svg(struct seep_canvas *canvas)
{
	(void)canvas;
}

static void put_ink(struct seep_canvas *canvas, const char *what, struct seep_canvas_ink ink)
{
	put(canvas, " %s=\"#%06x\"", what, (unsigned)ink.rgb & 0xffffff);
	if (ink.alpha > 0 && ink.alpha < 1)
		put(canvas, " %s-opacity=\"%.2f\"", what, ink.alpha);
}

static void fill(struct seep_canvas *canvas, struct seep_canvas_ink ink,
		   struct seep_canvas_box box)
{
	put_pair(canvas, "<rect x=\"", box.x, "\" y=\"", box.y);
	put_pair(canvas, "\" width=\"", fmax(box.width, 0), "\" height=\"", fmax(box.height, 0));
	put(canvas, "\"");
	put_ink(canvas, "fill", ink);
	put(canvas, "/>\n");
}

static void draw_path(struct seep_canvas *canvas, struct seep_canvas_ink ink, const double *x,
		   const double *y, size_t n, bool filled)
{
	put(canvas, filled ? "<polygon" : "<polyline fill=\"none\" stroke-linejoin=\"round\"");
	put_ink(canvas, filled ? "fill" : "stroke", ink);
	if (!filled)
		put(canvas, " stroke-width=\"%.2f\"", ink.width);
	if (!filled && ink.dashed)
		put(canvas, " stroke-dasharray=\"%d\"", SEEP_CANVAS_DASH);
	put(canvas, " points=\"");
	for (size_t i = 0; i < n; i++)
		put_pair(canvas, i ? " " : "", x[i], ",", y[i]);
	put(canvas, "\"/>\n");
}

static void draw_dot(struct seep_canvas *canvas, struct seep_canvas_ink ink, double x, double y,
		  double radius)
{
	put_pair(canvas, "<circle cx=\"", x, "\" cy=\"", y);
	put(canvas, "\" r=\"%.1f\"", radius);
	put_ink(canvas, "fill", ink);
	put(canvas, "/>\n");
}

static void draw_text(struct seep_canvas *canvas, struct seep_canvas_letters letters, double x,
		   double y, const char *text)
{
	static const char *const anchors[] = {
		[SEEP_ALIGN_LEFT] = "start",
		[SEEP_ALIGN_MIDDLE] = "middle",
		[SEEP_ALIGN_RIGHT] = "end",
	};

	put_pair(canvas, "<text x=\"", x, "\" y=\"", y);
	put(canvas, "\" font-size=\"%.4g\"", letters.size);
	put_ink(canvas, "fill", (struct seep_canvas_ink){ .rgb = letters.rgb });
	if (letters.bold)
		put(canvas, " font-weight=\"bold\"");
	if (letters.align != SEEP_ALIGN_LEFT)
		put(canvas, " text-anchor=\"%s\"", anchors[letters.align]);
	put(canvas, ">");
	put_text(canvas, text);
	put(canvas, "</text>\n");
}

static void clip(struct seep_canvas *canvas, struct seep_canvas_box box)
{
	canvas->clips++;
	put(canvas, "<clipPath id=\"c%zu\">", canvas->clips);
	fill(canvas, (struct seep_canvas_ink){ .rgb = 0 }, box);
	put(canvas, "</clipPath>\n<g clip-path=\"url(#c%zu)\">\n", canvas->clips);
}

static void unclip(struct seep_canvas *canvas)
{
	put(canvas, "</g>\n");
}

static double measure(struct seep_canvas *canvas, struct seep_canvas_letters letters,
		      const char *text)
{
	(void)canvas;
	return seep_letters_width(text, letters.bold) * letters.size;
}

const struct seep_canvas_hand seep_svg_hand = {
	.open = open_svg,
	.close = close_svg,
	.drop = drop_svg,
	.fill = fill,
	.path = draw_path,
	.dot = draw_dot,
	.text = draw_text,
	.measure = measure,
	.clip = clip,
	.unclip = unclip,
};
