/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * OpenMetrics 1.0 with timestamps: a past run for Prometheus to import with promtool tsdb
 * create-blocks-from openmetrics.
 *
 * Families are written one after the other, and so are the series of each.  Prometheus keeps one
 * value per millisecond, so only the first event of a millisecond is written.
 */
#include "render/export/export.h"
#include "render/export/series/metrics.h"
#include "render/export/series/points.h"

#include <inttypes.h>

struct series {
	const struct seep_view *view;
	const char *name;
	const char *labels;
	const struct seep_counter *counter; /* the values, if take is NULL */
	bool (*take)(const struct seep_run *run, const struct seep_stamp *stamp, double *value);
};

static void begin_family(FILE *out, const char *name, const char *unit, const char *help)
{
	fprintf(out, "# TYPE %s gauge\n", name);
	if (unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
	fprintf(out, "# HELP %s %s\n", name, help);
}

static bool take_rss(const struct seep_run *run, const struct seep_stamp *stamp, double *value)
{
	(void)run;
	*value = (double)stamp->rss_bytes;
	return true;
}

static bool take_vm(const struct seep_run *run, const struct seep_stamp *stamp, double *value)
{
	(void)run;
	*value = (double)stamp->vm_bytes;
	return true;
}

static bool take_live(const struct seep_run *run, const struct seep_stamp *stamp, double *value)
{
	(void)run;
	*value = (double)stamp->live_bytes;
	return stamp->flags & SEEP_STAMP_HEAP;
}

static bool take_blocks(const struct seep_run *run, const struct seep_stamp *stamp, double *value)
{
	(void)run;
	*value = (double)stamp->live_blocks;
	return stamp->flags & SEEP_STAMP_HEAP;
}

static bool take_event(const struct seep_run *run, const struct seep_stamp *stamp, double *value)
{
	if (stamp->event != SEEP_EVENT_NONE)
		*value = (double)run->events[stamp->event].number;
	return stamp->event != SEEP_EVENT_NONE;
}

static bool take_value(const struct series *series, const struct seep_stamp *stamp, double *value)
{
	if (series->take)
		return series->take(series->view->run, stamp, value);
	if (stamp->event != SEEP_EVENT_NONE)
		*value = series->counter->values[stamp->event];
	return stamp->event != SEEP_EVENT_NONE;
}

static void write_series(const struct series *series)
{
	const struct seep_run *run = series->view->run;
	struct seep_points points = seep_points_of(run);
	FILE *out = series->view->out;
	const struct seep_stamp *stamp;
	int64_t last = -1;

	while ((stamp = seep_points_next(&points))) {
		int64_t ms = seep_points_us(run, stamp) / 1000;
		double value;

		if (ms <= last || !take_value(series, stamp, &value))
			continue;
		seep_metrics_sample(out, series->name, series->labels, value);
		fprintf(out, " %" PRId64 ".%03" PRId64 "\n", ms / 1000, ms % 1000);
		last = ms;
	}
}

/* All counters, or all gauges, of the program. */
static void write_counters(const struct seep_view *view, const char *labels, bool gauges)
{
	struct series series = {
		.view = view,
		.name = gauges ? "seep_gauge_bytes" : "seep_counter",
	};
	bool any = false;

	for (size_t i = 0; i < view->run->n_counters; i++) {
		const struct seep_counter *counter = &view->run->counters[i];

		if (counter->gauge != gauges)
			continue;
		if (!any)
			begin_family(view->out, series.name, gauges ? "bytes" : NULL,
				     gauges ? "Memory that the program reports holding."
					    : "What the program counted in the event.");
		any = true;
		series.counter = counter;
		series.labels = seep_arena_printf(view->arena, "%s,counter=\"%zu\",%s", labels,
						  i + 1,
						  seep_metrics_label(view, "name",
								     counter->name));
		write_series(&series);
	}
}

static int write_openmetrics(const struct seep_view *view, struct seep_err *err)
{
	static const struct {
		const char *name, *unit, *help;
		bool heap;
		bool (*take)(const struct seep_run *run, const struct seep_stamp *stamp,
			     double *value);
	} families[] = {
		{ "seep_rss_bytes", "bytes", "Resident memory.", false, take_rss },
		{ "seep_vm_bytes", "bytes", "Address space.", false, take_vm },
		{ "seep_heap_live_bytes", "bytes", "Live blocks of the heap.", true, take_live },
		{ "seep_heap_live_blocks", NULL, "Number of these blocks.", true, take_blocks },
		{ "seep_event", NULL, "Number of events that started before this one.",
		  false, take_event },
	};
	const char *labels = seep_arena_printf(view->arena, "%s,pid=\"%" PRIu32 "\"",
					       seep_metrics_label(view, "program",
								  seep_view_program(view)),
					       view->run->pid);
	int rc = seep_points_need(view, "openmetrics", err);

	for (size_t i = 0; !rc && i < sizeof(families) / sizeof(families[0]); i++) {
		struct series series = { view, families[i].name, labels, NULL, families[i].take };

		if (families[i].heap && !view->run->has_heap)
			continue;
		begin_family(view->out, families[i].name, families[i].unit, families[i].help);
		write_series(&series);
	}
	if (rc)
		return rc;
	write_counters(view, labels, false);
	write_counters(view, labels, true);
	fputs("# EOF\n", view->out);
	return 0;
}

const struct seep_export_format seep_export_openmetrics = {
	.name = "openmetrics",
	.what = "Prometheus: a past run, for promtool tsdb create-blocks-from",
	.write = write_openmetrics,
};
