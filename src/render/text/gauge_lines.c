/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/text/gauge_lines.h"

#include "render/grid.h"
#include "render/safe.h"
#include "render/sizes.h"

#include <math.h>

static const char *tell_size(const struct seep_view *view, double bytes)
{
	return seep_arena_printf(view->arena, "%s", seep_size_format(bytes).text);
}

/* The increase of descriptors or threads per event with three digits: "1.00". */
static const char *tell_count(const struct seep_view *view, double n)
{
	if (fabs(n) < .005)
		return seep_arena_printf(view->arena, "%.2g", n);
	return seep_arena_printf(view->arena, "%.*f", fabs(n) < 9.995 ? 2 : fabs(n) < 99.95, n);
}

static void add_bytes(const struct seep_view *view, struct seep_grid *grid,
		      const struct seep_gauge_result *gauge)
{
	const struct seep_estimate *e = &gauge->per_event;
	struct seep_view_axis axis = seep_view_axis(view);
	const char **row = seep_grid_add(grid);
	struct seep_size_pair pair;

	row[0] = seep_safe_text(view->arena, gauge->name);
	if (e->known) {
		pair = seep_size_interval(e->value * axis.scale, e->low * axis.scale,
					  e->high * axis.scale);
		row[1] = seep_arena_printf(view->arena, "%s/%s", pair.value, axis.per);
		row[2] = seep_arena_printf(view->arena, "[%s]", pair.interval);
	}
	row[3] = seep_arena_printf(view->arena, "from %s to %s", tell_size(view, gauge->first),
				   tell_size(view, gauge->last));
}

static void print_count(const struct seep_view *view, const struct seep_gauge_result *gauge)
{
	bool files = gauge->unit == SEEP_GAUGE_DESCRIPTORS;
	struct seep_view_axis axis = seep_view_axis(view);

	fputs(files ? "  files   descriptors " : "  threads ", view->out);
	if (gauge->rises)
		fprintf(view->out, "rise by %s per %s (from %.0f to %.0f)\n",
			tell_count(view, gauge->per_event.value * axis.scale), axis.per,
			gauge->first, gauge->last);
	else
		fprintf(view->out, "show no lasting rise (from %.0f to %.0f)\n", gauge->first,
			gauge->last);
}

void seep_gauge_lines_print(const struct seep_view *view, bool all)
{
	const struct seep_verdict *verdict = view->verdict;
	struct seep_grid grid;

	seep_grid_init(&grid, view->arena, 4);
	grid.columns[0].least = 12;
	grid.columns[1].right = true;
	for (size_t i = 0; i < verdict->n_gauges; i++)
		if (verdict->gauges[i].unit == SEEP_GAUGE_BYTES)
			add_bytes(view, &grid, &verdict->gauges[i]);
	seep_grid_print(&grid, view->out, "  gauge   ", view->style.width);
	for (size_t i = 0; i < verdict->n_gauges; i++)
		if (verdict->gauges[i].unit != SEEP_GAUGE_BYTES &&
		    (all || verdict->gauges[i].rises))
			print_count(view, &verdict->gauges[i]);
}

static const char *tell_rise(const struct seep_view *view, const struct seep_gauge_result *gauge)
{
	struct seep_view_axis axis = seep_view_axis(view);
	double rate = gauge->per_event.value * axis.scale;

	if (gauge->unit == SEEP_GAUGE_BYTES)
		return seep_arena_printf(view->arena, "gauge %s rises by %s/%s",
					 seep_safe_text(view->arena, gauge->name),
					 tell_size(view, rate), axis.per);
	return seep_arena_printf(view->arena, "%s rise by %s/%s", gauge->name,
				 tell_count(view, rate), axis.per);
}

const char *seep_gauge_lines_tell(const struct seep_view *view)
{
	const char *list = NULL;

	for (size_t i = 0; i < view->verdict->n_gauges; i++)
		if (view->verdict->gauges[i].rises)
			list = seep_arena_printf(view->arena, "%s%s%s", list ? list : "",
						 list ? ", " : "",
						 tell_rise(view, &view->verdict->gauges[i]));
	return list;
}

static void emit_rate(struct seep_emitter *e, const struct seep_estimate *rate)
{
	seep_emitter_open_short_object(e, "per_event");
	seep_emitter_number(e, "value", rate->known ? rate->value : NAN);
	seep_emitter_number(e, "low", rate->known ? rate->low : NAN);
	seep_emitter_number(e, "high", rate->known ? rate->high : NAN);
	seep_emitter_close_object(e);
}

void seep_gauge_lines_emit(struct seep_emitter *e, const struct seep_verdict *verdict)
{
	seep_emitter_open_array(e, "gauges");
	for (size_t i = 0; i < verdict->n_gauges; i++) {
		const struct seep_gauge_result *gauge = &verdict->gauges[i];

		seep_emitter_open_short_object(e, NULL);
		seep_emitter_string(e, "name", gauge->name);
		seep_emitter_string(e, "unit", seep_gauges_unit_name(gauge->unit));
		seep_emitter_number(e, "first", gauge->first);
		seep_emitter_number(e, "last", gauge->last);
		emit_rate(e, &gauge->per_event);
		seep_emitter_number(e, "per_s", gauge->per_event.known ? gauge->per_s : NAN);
		seep_emitter_bool(e, "rises", gauge->rises);
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}
