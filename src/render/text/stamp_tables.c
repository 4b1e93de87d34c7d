/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of memory by stamp, in KiB.  The last one repeats, number by number, what the scripts
 * of Opticks print, so that their users can check seep against what they know.
 */
#include "render/text/stamp_tables.h"

#include "analyse/series/stamp_figures.h"
#include "render/grid.h"
#include "render/safe.h"
#include "render/sizes.h"

#include <inttypes.h>
#include <math.h>

#define KIB 1024.0               /* the unit of /proc and of Opticks files */
#define MATRIX_ENDS 5            /* events shown at the start and at the end of a long run */
#define OPTICKS_MB 1024000.0     /* 1000 KiB */
#define NAME_COLUMNS 28

struct page {
	const struct seep_view *view;
	struct seep_stamp_figures stamps;
	bool heap;               /* show the live heap, otherwise RSS */
};

static const char *name_row(const struct page *page, const struct seep_stamp_figures_row *row)
{
	const struct seep_view *view = page->view;
	const char *name = row->flags & SEEP_STAMP_BEGIN ? "event begin" :
			   row->flags & SEEP_STAMP_END ? "event end" :
			   seep_safe_text(view->arena, view->run->names[row->name]);

	return row->repeat ? seep_arena_printf(view->arena, "%s (%zu)", name, row->repeat + 1)
			   : name;
}

static const char *kib(const struct page *page, double bytes)
{
	return isnan(bytes) ? "-" : seep_arena_printf(page->view->arena, "%.1f", bytes / KIB);
}

/* A row of a name, two texts and the figures of a spread; all but the name are right-aligned. */
static void add_row(struct seep_grid *grid, const struct page *page, size_t r, const char *second,
		    const char *third, const struct seep_stamp_figures_spread *spread)
{
	const char **row = seep_grid_add(grid);
	double known = spread->n ? 0 : NAN;

	row[0] = name_row(page, &page->stamps.rows[r]);
	row[1] = second;
	row[2] = third;
	row[3] = kib(page, spread->mean + known);
	row[4] = kib(page, spread->sd + known);
	row[5] = kib(page, spread->min + known);
	row[6] = kib(page, spread->max + known);
}

static void begin_grid(struct seep_grid *grid, const struct page *page, const char *third,
		       const char *fourth)
{
	const char *head[] = { "stamp", "events", third, fourth, "sd", "min", "max" };
	const char **row;

	seep_grid_init(grid, page->view->arena, sizeof(head) / sizeof(head[0]));
	row = seep_grid_add(grid);
	grid->columns[0].least = NAME_COLUMNS;
	for (size_t i = 0; i < grid->n_columns; i++) {
		grid->columns[i].right = i;
		row[i] = head[i];
	}
}

static const char *name_series(const struct page *page)
{
	return page->heap ? "live heap" : "RSS";
}

/* When each stamp comes in the event, and how far memory is above the start of the event there. */
static void print_stamps(const struct page *page)
{
	struct seep_arena *arena = page->view->arena;
	struct seep_grid grid;

	begin_grid(&grid, page, "ms", "above start");
	for (size_t r = 0; r < page->stamps.n_rows; r++) {
		const struct seep_stamp_figures_row *row = &page->stamps.rows[r];

		add_row(&grid, page, r, seep_arena_printf(arena, "%zu", row->n),
			seep_arena_printf(arena, "%.3f", row->seconds * 1e3),
			page->heap ? &row->heap : &row->rss);
	}
	fprintf(page->view->out, "%s at the stamps of an event, KiB\n", name_series(page));
	seep_grid_print(&grid, page->view->out, "  ", page->view->style.width);
}

/* The change from a stamp to the same stamp of the next event: what an event leaves behind. */
static void print_rises(const struct page *page)
{
	struct seep_grid grid;

	begin_grid(&grid, page, "first", "mean");
	for (size_t r = 0; r < page->stamps.n_rows; r++) {
		const struct seep_stamp_figures_row *row = &page->stamps.rows[r];
		const struct seep_stamp_figures_spread *rise =
			page->heap ? &row->heap_rise : &row->rss_rise;

		add_row(&grid, page, r, seep_arena_printf(page->view->arena, "%zu", rise->n),
			kib(page, page->heap ? row->first_heap : row->first_rss), rise);
	}
	fprintf(page->view->out, "%s from each stamp to the same stamp of the next event, KiB; the "
		"first event is separate\n", name_series(page));
	seep_grid_print(&grid, page->view->out, "  ", page->view->style.width);
}

static const char *cell(const struct page *page, size_t k, size_t r)
{
	const struct seep_run *run = page->view->run;
	const struct seep_stamp *begin =
		&run->stamps[run->events[page->stamps.events[k]].first_stamp];
	const struct seep_stamp *stamp = seep_stamp_figures_get(&page->stamps, run, k, r);
	uint16_t wanted = page->heap ? SEEP_STAMP_HEAP : SEEP_STAMP_RSS;

	if (!stamp || !(stamp->flags & begin->flags & wanted))
		return "-";
	return seep_arena_printf(page->view->arena, "%.0f",
		(page->heap ? (double)(stamp->live_bytes - begin->live_bytes)
			    : (double)(stamp->rss_bytes - begin->rss_bytes)) / KIB);
}

static void print_event(const struct page *page, size_t k)
{
	const struct seep_run *run = page->view->run;
	const struct seep_event *event = &run->events[page->stamps.events[k]];
	const struct seep_stamp *begin = &run->stamps[event->first_stamp];

	fprintf(page->view->out, "  %8" PRId64 " %12.0f", event->index,
		(double)(page->heap ? begin->live_bytes : begin->rss_bytes) / KIB);
	for (size_t r = 0; r < page->stamps.n_rows; r++)
		if (!(page->stamps.rows[r].flags & SEEP_STAMP_BEGIN))
			fprintf(page->view->out, " %9s", cell(page, k, r));
	fputc('\n', page->view->out);
}

/* One line per event and one column per stamp; leaves out the middle of a long run. */
static void print_matrix(const struct page *page)
{
	size_t n = page->stamps.n_events, letter = 0;

	fprintf(page->view->out, "%s of each event: at its start, and above that at each stamp, "
		"KiB\n  %8s %12s", name_series(page), "event", "start");
	for (size_t r = 0; r < page->stamps.n_rows; r++)
		if (!(page->stamps.rows[r].flags & SEEP_STAMP_BEGIN))
			fprintf(page->view->out, " %8s%zu", "", ++letter);
	fputc('\n', page->view->out);
	for (size_t k = 0; k < n; k++) {
		if (n > 2 * MATRIX_ENDS + 1 && k == MATRIX_ENDS) {
			fprintf(page->view->out, "  ... %zu more\n", n - 2 * MATRIX_ENDS);
			k = n - MATRIX_ENDS;
		}
		print_event(page, k);
	}
	letter = 0;
	for (size_t r = 0; r < page->stamps.n_rows; r++)
		if (!(page->stamps.rows[r].flags & SEEP_STAMP_BEGIN))
			fprintf(page->view->out, "  %zu %s\n", ++letter,
				name_row(page, &page->stamps.rows[r]));
}

struct column {
	const char *label, *unit;
	char letter;
	double *values;          /* one per event, at its start */
};

static void print_report_line(const struct page *page, const struct column *column, size_t n)
{
	double first = column->values[0], last = column->values[n - 1];

	fprintf(page->view->out, "%-25s %c0 %-10.3f %c1 %-10.3f d%c %-10.3f d%c/(num_stamp-1) "
		"%-10.3f\n", column->label, column->letter, first, column->letter, last,
		column->letter, last - first, column->letter, (last - first) / (double)(n - 1));
}

/* The start of each event in the units of Opticks: seconds of the day, and MB of 1000 KiB. */
static size_t collect(const struct page *page, struct column *time, struct column *vm,
		      struct column *rss)
{
	const struct seep_run *run = page->view->run;
	size_t n = 0;

	for (size_t k = 0; k < run->n_events; k++) {
		const struct seep_stamp *begin = &run->stamps[run->events[k].first_stamp];
		int64_t real_ns = run->started_real_ns + begin->t_ns;

		if (!(begin->flags & SEEP_STAMP_RSS))
			continue;
		time->values[n] = (double)(real_ns % 86400000000000) * 1e-9;
		vm->values[n] = (double)begin->vm_bytes / OPTICKS_MB;
		rss->values[n++] = (double)begin->rss_bytes / OPTICKS_MB;
	}
	return n;
}

static void print_fit(const struct page *page, const struct column *column, size_t n)
{
	double slope, intercept, delta = column->values[n - 1] - column->values[0];

	seep_stamp_figures_fit_line(column->values, n, &slope, &intercept);
	fprintf(page->view->out, "%s delta: %9.2f slope0: %9.2f \n"
		"line fit:  slope %10.2f    intercept %10.2f \n", column->unit, delta,
		delta / (double)n, slope, intercept);
}

/* The same output as OpticksProfile::Report and G4OpticksProfilePlot.py, for comparison. */
static void print_opticks(const struct page *page)
{
	struct seep_arena *arena = page->view->arena;
	size_t room = page->view->run->n_events;
	struct column time = { "Time(s)", "", 't', seep_arena_array(arena, room, sizeof(double)) };
	struct column vm = { "VmSize(MB)", "VmSize", 'v',
			     seep_arena_array(arena, room, sizeof(double)) };
	struct column rss = { "RSS(MB)", "RSS", 'r',
			      seep_arena_array(arena, room, sizeof(double)) };
	size_t n = collect(page, &time, &vm, &rss);

	if (n < 2)
		return;
	fprintf(page->view->out, "as OpticksProfile reports it, at the start of each event; 1 MB "
		"is 1000 KiB\n num_stamp %zu\n", n);
	print_report_line(page, &time, n);
	print_report_line(page, &vm, n);
	print_report_line(page, &rss, n);
	print_fit(page, &vm, n);
	print_fit(page, &rss, n);
}

static void print_rate(const struct page *page)
{
	const struct seep_estimate *rate = &page->view->verdict->bytes_per_event;

	if (rate->known)
		fprintf(page->view->out, "rate in the verdict: %.1f KiB/event  [%.1f, %.1f]  (95 "
			"%%), %.4f MB as above\n", rate->value / KIB, rate->low / KIB,
			rate->high / KIB, rate->value / OPTICKS_MB);
}

void seep_stamp_tables_page(const struct seep_view *view)
{
	struct page page = { .view = view };
	bool rss = false;

	seep_stamp_figures_find(&page.stamps, view->run, view->arena);
	for (size_t r = 0; r < page.stamps.n_rows; r++)
		rss = rss || page.stamps.rows[r].rss.n;
	page.heap = !rss;
	print_stamps(&page);
	print_rises(&page);
	print_matrix(&page);
	if (rss && view->run->has_heap) {
		page.heap = true;
		print_rises(&page);
	}
	print_opticks(&page);
	print_rate(&page);
}
