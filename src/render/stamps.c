/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/stamps.h"

#include "analyse/stamps.h"
#include "render/grid.h"
#include "render/safe.h"
#include "render/sizes.h"

#include <inttypes.h>
#include <math.h>

#define KIB 1024.0               /* as /proc and the files of Opticks count */
#define MATRIX_ENDS 5            /* events at the begin and at the end of a long run */
#define OPTICKS_MB 1024000.0     /* 1000 of these */
#define NAME_COLUMNS 28

struct page {
	const struct seep_view *view;
	struct seep_stamps stamps;
	bool heap;               /* of the live heap, else of RSS */
};

static const char *name_row(const struct page *page, const struct seep_stamps_row *row)
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

static const struct seep_stamps_spread *offset_of(const struct page *page, size_t r)
{
	const struct seep_stamps_row *row = &page->stamps.rows[r];

	return page->heap ? &row->heap : &row->rss;
}

static const struct seep_stamps_spread *rise_of(const struct page *page, size_t r)
{
	const struct seep_stamps_row *row = &page->stamps.rows[r];

	return page->heap ? &row->heap_rise : &row->rss_rise;
}

static void set(const char **row, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		row[i] = texts[i];
}

static void begin_grid(struct seep_grid *grid, const struct page *page, size_t n)
{
	seep_grid_init(grid, page->view->arena, n);
	grid->columns[0].least = NAME_COLUMNS;
	for (size_t i = 1; i < n; i++)
		grid->columns[i].right = true;
}

/* Where in the event each stamp is, and how far memory is above its begin there. */
static void print_stamps(const struct page *page)
{
	static const char *const head[] = { "stamp", "events", "ms", "above begin", "sd", "min",
					    "max" };
	struct seep_grid grid;

	begin_grid(&grid, page, 7);
	set(seep_grid_add(&grid), head, 7);
	for (size_t r = 0; r < page->stamps.n_rows; r++) {
		const struct seep_stamps_row *row = &page->stamps.rows[r];
		const struct seep_stamps_spread *spread = offset_of(page, r);
		double known = spread->n ? 0 : NAN;
		const char *texts[] = {
			name_row(page, row),
			seep_arena_printf(page->view->arena, "%zu", row->n),
			seep_arena_printf(page->view->arena, "%.3f", row->seconds * 1e3),
			kib(page, spread->mean + known), kib(page, spread->sd + known),
			kib(page, spread->min + known), kib(page, spread->max + known),
		};

		set(seep_grid_add(&grid), texts, 7);
	}
	fprintf(page->view->out, "%s at the stamps of an event, KiB\n",
		page->heap ? "live heap" : "RSS");
	seep_grid_print(&grid, page->view->out, "  ", page->view->style.width);
}

/* From a stamp to the same one of the next event: what an event leaves behind. */
static void print_rises(const struct page *page)
{
	static const char *const head[] = { "stamp", "events", "first", "mean", "sd", "min",
					    "max" };
	struct seep_grid grid;

	begin_grid(&grid, page, 7);
	set(seep_grid_add(&grid), head, 7);
	for (size_t r = 0; r < page->stamps.n_rows; r++) {
		const struct seep_stamps_row *row = &page->stamps.rows[r];
		const struct seep_stamps_spread *spread = rise_of(page, r);
		double known = spread->n ? 0 : NAN;
		const char *texts[] = {
			name_row(page, row),
			seep_arena_printf(page->view->arena, "%zu", spread->n),
			kib(page, page->heap ? row->first_heap : row->first_rss),
			kib(page, spread->mean + known), kib(page, spread->sd + known),
			kib(page, spread->min + known), kib(page, spread->max + known),
		};

		set(seep_grid_add(&grid), texts, 7);
	}
	fprintf(page->view->out, "%s from a stamp to the same one of the next event, KiB; the "
		"first apart\n", page->heap ? "live heap" : "RSS");
	seep_grid_print(&grid, page->view->out, "  ", page->view->style.width);
}

static const char *cell(const struct page *page, size_t k, size_t r)
{
	const struct seep_run *run = page->view->run;
	const struct seep_stamp *begin =
		&run->stamps[run->events[page->stamps.events[k]].first_stamp];
	const struct seep_stamp *stamp = seep_stamps_get(&page->stamps, run, k, r);
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

/* One line an event, a column a stamp; the middle of a long run is left out. */
static void print_matrix(const struct page *page)
{
	size_t n = page->stamps.n_events, letter = 0;

	fprintf(page->view->out, "%s of the events: at their begin, and above it at each stamp, "
		"KiB\n  %8s %12s", page->heap ? "live heap" : "RSS", "event", "begin");
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
	double *values;          /* one per event, at its begin */
};

static void print_report_line(const struct page *page, const struct column *column, size_t n)
{
	double first = column->values[0], last = column->values[n - 1];

	fprintf(page->view->out, "%-25s %c0 %-10.3f %c1 %-10.3f d%c %-10.3f d%c/(num_stamp-1) "
		"%-10.3f\n", column->label, column->letter, first, column->letter, last,
		column->letter, last - first, column->letter, (last - first) / (double)(n - 1));
}

/* The begin of each event as Opticks has it: seconds of the day, MB of 1000 kB of 1024 B. */
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

	seep_stamps_fit_line(column->values, n, &slope, &intercept);
	fprintf(page->view->out, "%s delta: %9.2f slope0: %9.2f \n"
		"line fit:  slope %10.2f    intercept %10.2f \n", column->unit, delta,
		delta / (double)n, slope, intercept);
}

/* As OpticksProfile::Report and G4OpticksProfilePlot.py print it, to be held against theirs. */
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
	fprintf(page->view->out, "as OpticksProfile reports it, at the begin of the events; MB are "
		"1000 kB of 1024 B\n num_stamp %zu\n", n);
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
		fprintf(page->view->out, "rate of the verdict: %.1f KiB/event  [%.1f, %.1f]  (95 "
			"%%), %.4f MB as above\n", rate->value / KIB, rate->low / KIB,
			rate->high / KIB, rate->value / OPTICKS_MB);
}

void seep_stamps_page(const struct seep_view *view)
{
	struct page page = { .view = view };
	bool rss = false;

	seep_stamps_find(&page.stamps, view->run, view->arena);
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
