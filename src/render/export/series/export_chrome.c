/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace for the viewers of Perfetto and Chrome: events and their phases as slices, memory and
 * counters as curves above them.
 */
#include "render/emitter.h"
#include "render/export/export.h"
#include "render/export/series/points.h"

#include <inttypes.h>

/* Slices of one thread must nest, so events that overlap are spread over several: lanes. */
#define THREAD 1
#define LANES_MOST 64 /* as many are readable; further events share the last one */

struct chrome {
	const struct seep_view *view;
	struct seep_emitter emitter;
	size_t lane;
	int64_t ends_ns[LANES_MOST]; /* of the last event in each lane */
};

static double us(int64_t ns)
{
	return (double)ns / 1000;
}

static void open_entry(struct chrome *chrome, const char *phase, const char *name)
{
	struct seep_emitter *e = &chrome->emitter;

	seep_emitter_open_short_object(e, NULL);
	seep_emitter_string(e, "ph", phase);
	seep_emitter_string(e, "name", name);
	seep_emitter_unsigned(e, "pid", chrome->view->run->pid);
	seep_emitter_integer(e, "tid", THREAD + (int64_t)chrome->lane);
}

static void write_meta(struct chrome *chrome, const char *what, const char *name)
{
	struct seep_emitter *e = &chrome->emitter;

	open_entry(chrome, "M", what);
	seep_emitter_open_short_object(e, "args");
	seep_emitter_string(e, "name", name);
	seep_emitter_close_object(e);
	seep_emitter_close_object(e);
}

static void write_curve(struct chrome *chrome, const char *name, const char *unit, int64_t t_ns,
			double value)
{
	struct seep_emitter *e = &chrome->emitter;

	open_entry(chrome, "C", name);
	seep_emitter_number(e, "ts", us(t_ns));
	seep_emitter_open_short_object(e, "args");
	seep_emitter_number(e, unit, value);
	seep_emitter_close_object(e);
	seep_emitter_close_object(e);
}

static void write_memory(struct chrome *chrome, const struct seep_stamp *stamp)
{
	if (stamp->flags & SEEP_STAMP_RSS) {
		write_curve(chrome, "RSS", "bytes", stamp->t_ns, (double)stamp->rss_bytes);
		write_curve(chrome, "VM", "bytes", stamp->t_ns, (double)stamp->vm_bytes);
	}
	if (stamp->flags & SEEP_STAMP_HEAP)
		write_curve(chrome, "live heap", "bytes", stamp->t_ns, (double)stamp->live_bytes);
}

static void write_counters(struct chrome *chrome, const struct seep_stamp *begin)
{
	const struct seep_run *run = chrome->view->run;

	for (size_t i = 0; i < run->n_counters; i++)
		write_curve(chrome, run->counters[i].name,
			    run->counters[i].gauge ? "bytes" : "count", begin->t_ns,
			    run->counters[i].values[begin->event]);
}

/* The time of the next stamp in the event, or else of the next event. */
static int64_t find_next(const struct seep_run *run, const struct seep_stamp *stamp)
{
	const struct seep_event *event = &run->events[stamp->event];
	size_t next = (size_t)(stamp - run->stamps) + 1;

	if (next < event->first_stamp + event->n_stamps)
		return run->stamps[next].t_ns;
	if (!run->overlapping && (size_t)stamp->event + 1 < run->n_events &&
	    event[1].number == event->number + 1)
		return run->stamps[event[1].first_stamp].t_ns;
	return stamp->t_ns;
}

static int64_t find_end(const struct seep_run *run, const struct seep_event *event)
{
	const struct seep_stamp *stamp = &run->stamps[event->first_stamp];

	for (size_t i = 1; i < event->n_stamps; i++)
		if (stamp[i].flags & SEEP_STAMP_END)
			return stamp[i].t_ns;
	return find_next(run, &stamp[event->n_stamps - 1]);
}

static void open_slice(struct chrome *chrome, const char *name, const char *kind, int64_t from_ns,
		       int64_t to_ns)
{
	struct seep_emitter *e = &chrome->emitter;
	int64_t ns;

	if (__builtin_sub_overflow(to_ns, from_ns, &ns)) /* a damaged clock */
		ns = 0;
	open_entry(chrome, "X", name);
	seep_emitter_string(e, "cat", kind);
	seep_emitter_number(e, "ts", us(from_ns));
	seep_emitter_number(e, "dur", us(ns));
}

/* The first lane that is free when the event begins. */
static size_t find_lane(struct chrome *chrome, const struct seep_event *event)
{
	const struct seep_run *run = chrome->view->run;
	int64_t begin_ns = run->stamps[event->first_stamp].t_ns;
	size_t lane = 0;

	while (run->overlapping && lane + 1 < LANES_MOST && chrome->ends_ns[lane] > begin_ns)
		lane++;
	chrome->ends_ns[lane] = find_end(run, event);
	return lane;
}

static void write_event(struct chrome *chrome, const struct seep_event *event)
{
	const struct seep_run *run = chrome->view->run;
	struct seep_emitter *e = &chrome->emitter;
	char name[48];

	snprintf(name, sizeof(name), "event %" PRId64, event->index);
	open_slice(chrome, name, "event", run->stamps[event->first_stamp].t_ns,
		   find_end(run, event));
	seep_emitter_open_short_object(e, "args");
	seep_emitter_integer(e, "number", event->number);
	seep_emitter_close_object(e);
	seep_emitter_close_object(e);
}

/* The end of an event begins no phase; an event without stamps has none. */
static bool begins_phase(const struct seep_run *run, const struct seep_stamp *stamp)
{
	const struct seep_event *event = &run->events[stamp->event];
	const struct seep_stamp *first = &run->stamps[event->first_stamp];

	if (stamp->flags & SEEP_STAMP_END)
		return false;
	return stamp != first || (event->n_stamps > 1 && !(first[1].flags & SEEP_STAMP_END));
}

static void write_moment(struct chrome *chrome, const struct seep_stamp *stamp)
{
	struct seep_emitter *e = &chrome->emitter;

	open_entry(chrome, "i", seep_points_name(chrome->view->run, stamp));
	seep_emitter_number(e, "ts", us(stamp->t_ns));
	seep_emitter_string(e, "s", "t");
	seep_emitter_close_object(e);
}

static void write_stamp(struct chrome *chrome, const struct seep_stamp *stamp)
{
	const struct seep_run *run = chrome->view->run;

	if (stamp->flags & SEEP_STAMP_BEGIN && stamp->event != SEEP_EVENT_NONE)
		chrome->lane = find_lane(chrome, &run->events[stamp->event]);
	write_memory(chrome, stamp);
	if (stamp->event == SEEP_EVENT_NONE) {
		write_moment(chrome, stamp);
		return;
	}
	if (stamp->flags & SEEP_STAMP_BEGIN) {
		write_event(chrome, &run->events[stamp->event]);
		write_counters(chrome, stamp);
	}
	if (!begins_phase(run, stamp))
		return;
	open_slice(chrome, seep_points_name(run, stamp), "phase", stamp->t_ns,
		   find_next(run, stamp));
	seep_emitter_close_object(&chrome->emitter);
}

/* Viewers show it under "info". */
static void write_verdict(struct chrome *chrome)
{
	const struct seep_verdict *verdict = chrome->view->verdict;
	struct seep_emitter *e = &chrome->emitter;

	seep_emitter_open_object(e, "otherData");
	seep_emitter_string(e, "recorded by", "seep");
	seep_emitter_string(e, "verdict", seep_verdict_kind_name(verdict->kind));
	seep_emitter_string(e, "sentence", verdict->sentence);
	seep_emitter_close_object(e);
}

static int write_chrome(const struct seep_view *view, struct seep_err *err)
{
	struct chrome chrome = { .view = view };
	struct seep_emitter *e = &chrome.emitter;

	(void)err;
	seep_emitter_init(e, view->out);
	seep_emitter_open_object(e, NULL);
	seep_emitter_string(e, "displayTimeUnit", "ms");
	write_verdict(&chrome);
	seep_emitter_open_array(e, "traceEvents");
	write_meta(&chrome, "process_name", seep_view_program(view));
	write_meta(&chrome, "thread_name", "events");
	for (size_t i = 0; i < view->run->n_stamps; i++)
		write_stamp(&chrome, &view->run->stamps[i]);
	seep_emitter_close_array(e);
	seep_emitter_close_object(e);
	seep_emitter_finish(e);
	return 0;
}

const struct seep_export_format seep_export_chrome = {
	.name = "chrome",
	.what = "Perfetto, Chrome: stamps as slices, memory as curves",
	.write = write_chrome,
};
