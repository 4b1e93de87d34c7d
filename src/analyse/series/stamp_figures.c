/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/series/stamp_figures.h"

#include "base/table.h"

#include <math.h>
#include <stdlib.h>

#define ROWS_MOST 64             /* an event that has more stamps is a program's log */

/* How many stamps of that name the event had before this one. */
static size_t count_before(const struct seep_run *run, const struct seep_event *event, size_t i)
{
	const struct seep_stamp *stamps = run->stamps + event->first_stamp;
	size_t n = 0;

	for (size_t j = 0; j < i; j++)
		n += stamps[j].name == stamps[i].name &&
		     !((stamps[j].flags ^ stamps[i].flags) & (SEEP_STAMP_BEGIN | SEEP_STAMP_END));
	return n;
}

static size_t find_row(struct seep_table *rows, const struct seep_stamp *stamp, size_t repeat)
{
	uint16_t flags = stamp->flags & (SEEP_STAMP_BEGIN | SEEP_STAMP_END);
	struct seep_stamp_figures_row *row = rows->items;
	size_t i;

	for (i = 0; i < rows->n; i++)
		if (row[i].name == stamp->name && row[i].flags == flags && row[i].repeat == repeat)
			return i;
	if (rows->n == ROWS_MOST)
		return ROWS_MOST;
	row = seep_table_add(rows);
	row->name = stamp->name;
	row->flags = flags;
	row->repeat = repeat;
	row->column = i;
	return i;
}

static bool is_whole(const struct seep_run *run, const struct seep_event *event)
{
	return event->n_stamps && !(run->stamps[event->first_stamp].flags & SEEP_STAMP_PART);
}

static void list_events(struct seep_stamp_figures *stamps, const struct seep_run *run,
			struct seep_arena *arena)
{
	stamps->events = seep_arena_array(arena, run->n_events, sizeof(*stamps->events));
	for (size_t e = 0; e < run->n_events; e++)
		if (is_whole(run, &run->events[e]))
			stamps->events[stamps->n_events++] = e;
}

static void fill_event(struct seep_stamp_figures *stamps, struct seep_table *rows,
		       const struct seep_run *run, size_t k)
{
	const struct seep_event *event = &run->events[stamps->events[k]];

	for (size_t i = 0; i < event->n_stamps && i < 2 * ROWS_MOST; i++) {
		const struct seep_stamp *stamp = &run->stamps[event->first_stamp + i];
		size_t row = find_row(rows, stamp, count_before(run, event, i));

		if (row < ROWS_MOST)
			stamps->cells[k * ROWS_MOST + row] = event->first_stamp + i + 1;
	}
}

const struct seep_stamp *seep_stamp_figures_get(const struct seep_stamp_figures *stamps,
						const struct seep_run *run, size_t event,
						size_t row)
{
	size_t cell = stamps->cells[event * ROWS_MOST + stamps->rows[row].column];

	return cell ? &run->stamps[cell - 1] : NULL;
}

/* One value into a running mean and sum of squares, which sd holds until the end. */
static void add(struct seep_stamp_figures_spread *spread, double value)
{
	double by = value - spread->mean;

	spread->min = spread->n ? fmin(spread->min, value) : value;
	spread->max = spread->n ? fmax(spread->max, value) : value;
	spread->mean += by / (double)++spread->n;
	spread->sd += by * (value - spread->mean);
}

static void finish(struct seep_stamp_figures_spread *spread)
{
	spread->sd = spread->n ? sqrt(fmax(spread->sd, 0) / (double)spread->n) : 0;
}

static void add_offset(struct seep_stamp_figures_row *row, const struct seep_stamp *begin,
		       const struct seep_stamp *stamp)
{
	uint16_t both = begin->flags & stamp->flags;

	row->n++;
	row->seconds += ((double)(stamp->t_ns - begin->t_ns) * 1e-9 - row->seconds) /
			(double)row->n;
	if (both & SEEP_STAMP_RSS)
		add(&row->rss, (double)(stamp->rss_bytes - begin->rss_bytes));
	if (both & SEEP_STAMP_HEAP)
		add(&row->heap, (double)(stamp->live_bytes - begin->live_bytes));
}

/* The first rise is that of the warm-up, and kept apart. */
static void add_rise(struct seep_stamp_figures_row *row, const struct seep_stamp *before,
		     const struct seep_stamp *stamp, bool first)
{
	uint16_t both = before->flags & stamp->flags;
	double rss = (double)(stamp->rss_bytes - before->rss_bytes);
	double heap = (double)(stamp->live_bytes - before->live_bytes);

	if (first) {
		row->first_rss = both & SEEP_STAMP_RSS ? rss : NAN;
		row->first_heap = both & SEEP_STAMP_HEAP ? heap : NAN;
		return;
	}
	if (both & SEEP_STAMP_RSS)
		add(&row->rss_rise, rss);
	if (both & SEEP_STAMP_HEAP)
		add(&row->heap_rise, heap);
}

static bool follows(const struct seep_stamp_figures *stamps, const struct seep_run *run, size_t k)
{
	return k && run->events[stamps->events[k]].number ==
		    run->events[stamps->events[k - 1]].number + 1;
}

static void fill_row(struct seep_stamp_figures *stamps, const struct seep_run *run, size_t r)
{
	struct seep_stamp_figures_row *row = &stamps->rows[r];

	row->first_rss = row->first_heap = NAN;
	for (size_t k = 0; k < stamps->n_events; k++) {
		const struct seep_event *event = &run->events[stamps->events[k]];
		const struct seep_stamp *stamp = seep_stamp_figures_get(stamps, run, k, r);
		const struct seep_stamp *before = NULL;

		if (follows(stamps, run, k))
			before = seep_stamp_figures_get(stamps, run, k - 1, r);
		if (stamp)
			add_offset(row, &run->stamps[event->first_stamp], stamp);
		if (stamp && before)
			add_rise(row, before, stamp, k == 1);
	}
	finish(&row->rss);
	finish(&row->heap);
	finish(&row->rss_rise);
	finish(&row->heap_rise);
}

static int by_time(const void *a, const void *b)
{
	const struct seep_stamp_figures_row *one = a, *two = b;

	if (one->seconds != two->seconds)
		return one->seconds < two->seconds ? -1 : 1;
	return one->column < two->column ? -1 : one->column > two->column;
}

void seep_stamp_figures_find(struct seep_stamp_figures *stamps, const struct seep_run *run,
			     struct seep_arena *arena)
{
	struct seep_table rows = SEEP_TABLE(arena, struct seep_stamp_figures_row);

	*stamps = (struct seep_stamp_figures){ 0 };
	list_events(stamps, run, arena);
	stamps->cells = seep_arena_array(arena, stamps->n_events, ROWS_MOST * sizeof(size_t));
	for (size_t k = 0; k < stamps->n_events; k++)
		fill_event(stamps, &rows, run, k);
	stamps->rows = rows.items;
	stamps->n_rows = rows.n;
	for (size_t r = 0; r < stamps->n_rows; r++)
		fill_row(stamps, run, r);
	if (stamps->n_rows)
		qsort(stamps->rows, stamps->n_rows, sizeof(*stamps->rows), by_time);
}

void seep_stamp_figures_fit_line(const double *y, size_t n, double *slope, double *intercept)
{
	double middle = ((double)n - 1) / 2, mean = 0, xy = 0, xx = 0;

	for (size_t i = 0; i < n; i++)
		mean += (y[i] - mean) / (double)(i + 1);
	for (size_t i = 0; i < n; i++) {
		xy += ((double)i - middle) * (y[i] - mean);
		xx += ((double)i - middle) * ((double)i - middle);
	}
	*slope = xx > 0 ? xy / xx : NAN;
	*intercept = mean - *slope * middle;
}
