/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The panels of a picture, below each other on one page. */
#include "render/plot/plot_panel.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define WIDTH 800
#define MARGIN 12.0
#define GAP 14.0                 /* between panels */
#define TITLE_SIZE 14.0
#define TITLE_LINE 19.0
#define TITLE_LINES 3

static const struct seep_plot_drawing *const drawings[SEEP_PLOT_PANELS] = {
	[SEEP_PLOT_CURVE] = &seep_plot_curve_drawing,
	[SEEP_PLOT_DELTA] = &seep_plot_delta_drawing,
	[SEEP_PLOT_PHASES] = &seep_plot_phases_drawing,
	[SEEP_PLOT_SURVIVORS] = &seep_plot_survivors_drawing,
};

struct page {
	double width, height;
	double heights[SEEP_PLOT_PANELS];
	const char *lines[TITLE_LINES];
	size_t n_lines;
	double top;              /* where the panels begin */
};

/* A scratch canvas to measure the title before the size of the page is known. */
static struct seep_canvas *open_scrap(const struct seep_plot *plot, enum seep_canvas_kind kind)
{
	struct seep_canvas_page page = { kind, 1, 1, "", 0 };

	return seep_canvas_open(&page, plot->arena);
}

static struct seep_canvas_letters title_letters(void)
{
	return (struct seep_canvas_letters){ .size = TITLE_SIZE, .rgb = SEEP_PLOT_BLACK,
					     .bold = true };
}

/* Takes as many words of the title as fit; returns the start of the rest. */
static const char *take_line(struct page *page, struct seep_canvas *canvas, const char *text,
			     struct seep_arena *arena)
{
	const char *end = text, *line = "", *next = text;

	while (*next) {
		const char *longer;

		next += strcspn(next, " ");
		longer = seep_arena_copy(arena, text, (size_t)(next - text));
		if (*line && seep_canvas_measure(canvas, title_letters(), longer) >
			     page->width - 2 * MARGIN)
			break;
		line = longer;
		next += strspn(next, " ");
		end = next;
	}
	page->lines[page->n_lines++] = seep_canvas_shorten(canvas, title_letters(), line,
							   page->width - 2 * MARGIN);
	return end;
}

static void lay_out_title(struct page *page, struct seep_canvas *canvas,
			  const struct seep_plot *plot)
{
	const char *text = plot->title;

	while (*text && page->n_lines < TITLE_LINES)
		text = take_line(page, canvas, text, plot->arena);
	page->top = MARGIN + (double)page->n_lines * TITLE_LINE + SEEP_PLOT_LINE + GAP;
}

struct heights {
	double wanted, least, stretching;
	size_t n;
};

static struct heights sum_heights(const struct seep_plot *plot)
{
	struct heights sum = { 0 };

	for (size_t i = 0; i < SEEP_PLOT_PANELS; i++) {
		double wanted;

		if (!plot->panels[i])
			continue;
		wanted = drawings[i]->wanted(plot);
		sum.wanted += wanted;
		sum.least += fmin(drawings[i]->least, wanted);
		sum.stretching += drawings[i]->stretches ? wanted : 0;
		sum.n++;
	}
	return sum;
}

/*
 * Gives each panel between the height it needs and the height it wants; the rest goes to those
 * that stretch.
 */
static int lay_out_panels(struct page *page, const struct seep_plot *plot, struct seep_err *err)
{
	struct heights sum = sum_heights(plot);
	double gaps = GAP * (double)(sum.n - 1) + MARGIN / 2;
	double room, part, rest;

	if (!(page->height > 0))
		page->height = ceil(page->top + sum.wanted + gaps);
	room = page->height - page->top - gaps;
	if (room < sum.least)
		return seep_err_set(err, EINVAL, "a picture of %.0fx%.0f is too small for this "
				    "run: make it at least %.0f high, or choose one panel with "
				    "--what",
				    page->width, page->height,
				    ceil(page->top + sum.least + gaps));
	part = sum.wanted > sum.least ? (room - sum.least) / (sum.wanted - sum.least) : 1;
	rest = fmax(room - sum.wanted, 0);
	for (size_t i = 0; i < SEEP_PLOT_PANELS; i++) {
		double wanted = plot->panels[i] ? drawings[i]->wanted(plot) : 0;
		double least = fmin(drawings[i]->least, wanted);

		page->heights[i] = least + fmin(part, 1) * (wanted - least);
		if (sum.stretching > 0 && drawings[i]->stretches)
			page->heights[i] += rest * wanted / sum.stretching;
		else if (!(sum.stretching > 0))
			page->heights[i] += rest * wanted / sum.wanted;
	}
	return 0;
}

static void draw_page(const struct page *page, struct seep_canvas *canvas,
		      const struct seep_plot *plot)
{
	struct seep_canvas_letters small = seep_plot_small(SEEP_ALIGN_LEFT);
	struct seep_canvas_box box = { 0, page->top, page->width, 0 };
	double y = MARGIN;

	for (size_t i = 0; i < page->n_lines; i++, y += TITLE_LINE)
		seep_canvas_text(canvas, title_letters(), MARGIN, y + TITLE_SIZE, page->lines[i]);
	small.rgb = SEEP_PLOT_GREY;
	seep_canvas_text(canvas, small, MARGIN, y + SEEP_PLOT_SMALL,
			 seep_canvas_shorten(canvas, small, plot->subtitle,
					     page->width - 2 * MARGIN));
	for (size_t i = 0; i < SEEP_PLOT_PANELS; i++) {
		if (!plot->panels[i])
			continue;
		box.height = page->heights[i];
		drawings[i]->draw(plot, canvas, box);
		box.y += box.height + GAP;
	}
}

int seep_plot_picture(const struct seep_plot *plot, enum seep_canvas_kind kind, double width,
		      double height, struct seep_err *err)
{
	struct page page = { .width = width > 0 ? width : WIDTH, .height = height };
	struct seep_canvas *scrap, *canvas;
	int rc = seep_canvas_check(kind, err);

	if (rc)
		return rc;
	scrap = open_scrap(plot, kind);
	lay_out_title(&page, scrap, plot);
	seep_canvas_drop(scrap);
	rc = lay_out_panels(&page, plot, err);
	if (rc)
		return rc;
	canvas = seep_canvas_open(&(struct seep_canvas_page){ kind, page.width, page.height,
							      plot->title,
							      plot->view->run->started_real_ns },
				  plot->arena);
	draw_page(&page, canvas, plot);
	return seep_canvas_close(canvas, plot->view->out, err);
}
