/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stamps, and the events that they start.
 *
 * The trace numbers its events from 1, and blocks refer to these numbers.  Numbers before the
 * first event in the file do not count as events: they are time slices from before the program
 * started to mark its own events, or, in a forked child, the events of its parent.
 *
 * After that, an event whose BEGIN was lost in a damaged record must keep its place.  It gets a
 * BEGIN without measurements, at the time of the next event found.  A long run writes only some
 * of its events, however (see format.h), so there gaps are normal.
 *
 * If time slices are numbered by a clock, those without a record are filled in; see
 * load_slices.c.
 *
 * Two threads may start events so close together that the later number has the earlier time.
 * Time decides: numbers are assigned again in the order of time.
 *
 * If events overlap, stamps of several alternate: see load_overlap.c.
 */
#include "model/load/loading.h"

#include "base/sort.h"

#include <stdlib.h>

#define STAMP_BYTES (sizeof(struct seep_trace_record) + sizeof(struct seep_rec_stamp))

void seep_load_stamps_add(struct seep_load *load, const struct seep_reader_record *record)
{
	const struct seep_rec_stamp *stamp = record->payload;

	if (seep_load_name_exists(load, stamp->name))
		*(struct seep_reader_record *)seep_table_add(&load->stamps) = *record;
}

void seep_load_stamps_thin(struct seep_load *load, const struct seep_reader_record *record)
{
	const struct seep_rec_thin *thin = record->payload;

	if (!thin->stride || thin->stride & (thin->stride - 1)) {
		load->damaged++;
		return;
	}
	load->stride = thin->stride;
	load->sparse |= record->flags & SEEP_THIN_SPARSE;
	if (record->flags & SEEP_THIN_LAST)
		load->last_ended = record->flags & SEEP_THIN_ENDED;
}

static int by_time(const void *a, const void *b)
{
	const struct seep_rec_stamp *one = ((const struct seep_reader_record *)a)->payload;
	const struct seep_rec_stamp *two = ((const struct seep_reader_record *)b)->payload;

	return (one->t_ns > two->t_ns) - (one->t_ns < two->t_ns);
}

/* The number of the first event that is not a time slice, or 0. */
static uint32_t first_api_event(const struct seep_load *load)
{
	const struct seep_reader_record *records = load->stamps.items;
	uint32_t first = 0;
	size_t i;

	for (i = 0; i < load->stamps.n; i++) {
		const struct seep_rec_stamp *stamp = records[i].payload;

		if (!(records[i].flags & SEEP_STAMP_BEGIN) || (records[i].flags & SEEP_STAMP_TICK))
			continue;
		if (!first || stamp->event < first)
			first = stamp->event ? stamp->event : 1;
	}
	return first;
}

bool seep_load_stamps_begins(const struct seep_reader_record *record, uint32_t first_api)
{
	const struct seep_rec_stamp *stamp = record->payload;

	if (!(record->flags & SEEP_STAMP_BEGIN))
		return false;
	return !(record->flags & SEEP_STAMP_TICK) || stamp->event >= first_api;
}

static int by_number(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;

	return (one > two) - (one < two);
}

/* Collects the numbers of all events found, sorted; returns how many there are. */
static size_t collect_numbers(struct seep_load *load, uint32_t first_api, uint64_t *numbers)
{
	const struct seep_reader_record *records = load->stamps.items;
	size_t i, n = 0;

	for (i = 0; i < load->stamps.n; i++)
		if (seep_load_stamps_begins(&records[i], first_api))
			numbers[n++] = ((const struct seep_rec_stamp *)records[i].payload)->event;
	if (n)
		qsort(numbers, n, sizeof(*numbers), by_number);
	if (load->slices)
		load->events_before = load->header->slice_first - 1;
	else if (n && numbers[0])
		load->events_before = (uint32_t)numbers[0] - 1;
	return n;
}

/*
 * Makes the numbers increase from 1.  A gap of more events than fit in the file is damage and is
 * closed.
 */
static void straighten_numbers(struct seep_load *load, uint64_t *numbers, size_t n)
{
	uint64_t most = load->file_bytes / STAMP_BYTES * load->stride, last = 0;
	size_t i;

	if (load->sparse)
		most = UINT32_MAX;
	if (load->slices)
		most = (uint64_t)seep_load_slices_most(load);
	for (i = 0; i < n; i++) {
		uint64_t number = numbers[i] - load->events_before;

		if (numbers[i] > load->events_before && number > most) {
			load->damaged++;
			number = 0;
		}
		if (numbers[i] <= load->events_before || number <= last)
			number = last + 1;
		numbers[i] = last = number;
	}
}

static void copy_stamp(struct seep_stamp *stamp, const struct seep_reader_record *record)
{
	const struct seep_rec_stamp *from = record->payload;

	stamp->t_ns = from->t_ns;
	stamp->vm_bytes = from->vm_bytes;
	stamp->rss_bytes = from->rss_bytes;
	stamp->live_bytes = from->live_bytes;
	stamp->live_blocks = from->live_blocks;
	stamp->tracker_bytes = from->tracker_bytes;
	stamp->flags = record->flags & (uint16_t)~SEEP_STAMP_FILLED;
	if (!(record->flags & (SEEP_STAMP_BEGIN | SEEP_STAMP_END)))
		stamp->name = from->name;
}

struct seep_event *seep_load_stamps_begin(struct seep_run *run, int64_t number)
{
	struct seep_event *event = &run->events[run->n_events++];

	event->number = number;
	event->first_stamp = run->n_stamps;
	return event;
}

struct seep_stamp *seep_load_stamps_next(struct seep_run *run)
{
	struct seep_stamp *stamp = &run->stamps[run->n_stamps++];

	stamp->event = (int64_t)run->n_events - 1;
	if (run->n_events)
		run->events[run->n_events - 1].n_stamps++;
	return stamp;
}

/* Adds events that must have existed before the event with this number. */
static void add_lost_events(struct seep_run *run, uint64_t n, int64_t t_ns)
{
	while (run->n_events < n) {
		struct seep_event *event = seep_load_stamps_begin(run, (int64_t)run->n_events);
		struct seep_stamp *stamp = seep_load_stamps_next(run);

		event->index = stamp->event;
		stamp->t_ns = t_ns;
		stamp->flags = SEEP_STAMP_BEGIN;
	}
}

/* Whether missing events are normal, not lost. */
static bool has_gaps(const struct seep_load *load)
{
	return load->stride > 1 || load->sparse || load->slices;
}

/* numbers: those of the events from this stamp on; end: after the last. */
static void fill_gaps(struct seep_load *load, const struct seep_stamp *next,
		      const uint64_t *numbers, const uint64_t *end)
{
	if (load->slices)
		seep_load_slices_fill(load, next,
				      numbers < end ? (int64_t)*numbers - 1 : INT64_MAX);
	else if (next->flags & SEEP_STAMP_BEGIN && !has_gaps(load))
		add_lost_events(load->run, *numbers - 1, next->t_ns);
}

static void fill(struct seep_load *load, uint32_t first_api, const uint64_t *numbers, size_t n)
{
	const struct seep_reader_record *records = load->stamps.items;
	const uint64_t *end = numbers + n;
	struct seep_run *run = load->run;
	size_t i;

	for (i = 0; i < load->stamps.n; i++) {
		const struct seep_rec_stamp *from = records[i].payload;
		struct seep_stamp stamp = { 0 }, *added;

		copy_stamp(&stamp, &records[i]);
		if (!seep_load_stamps_begins(&records[i], first_api))
			stamp.flags &= (uint16_t)~SEEP_STAMP_BEGIN;
		fill_gaps(load, &stamp, numbers, end);
		if (stamp.flags & SEEP_STAMP_BEGIN)
			seep_load_stamps_begin(run, (int64_t)*numbers++ - 1)->index = from->index;
		added = seep_load_stamps_next(run);
		stamp.event = added->event;
		*added = stamp;
		if (stamp.flags & SEEP_STAMP_HEAP)
			run->has_heap = true;
	}
	if (load->slices)
		seep_load_slices_end(load);
}

/* After the last event in the trace, fewer than two strides of events may be unwritten. */
static void note_unwritten(struct seep_load *load)
{
	struct seep_run *run = load->run;
	uint64_t written = (uint64_t)seep_run_marked(run);

	if (load->slices)
		return;
	run->stride = load->sparse ? 1 : (int64_t)load->stride;
	run->sparse = load->sparse;
	if (run->stride == 1 || !run->n_events || load->events_told <= written ||
	    load->events_told - written > 2 * load->stride)
		return;
	run->events_after = (int64_t)(load->events_told - written);
	run->last_ended = load->last_ended;
}

static enum seep_event_source source_of(const struct seep_load *load)
{
	static const enum seep_event_source sources[SEEP_TRACE_SOURCES] = {
		[SEEP_SOURCE_API] = SEEP_EVENTS_API,
		[SEEP_SOURCE_FUNCTION] = SEEP_EVENTS_FUNCTION,
		[SEEP_SOURCE_CALL] = SEEP_EVENTS_CALL,
		[SEEP_SOURCE_PYTHON] = SEEP_EVENTS_PYTHON,
		[SEEP_SOURCE_LINES] = SEEP_EVENTS_LINES,
		[SEEP_SOURCE_FILE] = SEEP_EVENTS_FILE,
	};
	uint32_t source = load->header->source;

	return source < SEEP_TRACE_SOURCES ? sources[source] : SEEP_EVENTS_API;
}

void seep_load_stamps_build(struct seep_load *load)
{
	struct seep_run *run = load->run;
	uint32_t first_api = first_api_event(load);
	uint64_t *numbers = seep_arena_array(&load->scratch, load->stamps.n, sizeof(*numbers));
	size_t n, more;

	load->slices = !first_api && seep_load_slices_are_events(load);
	run->overlapping = !load->slices && (run->overlapping || seep_load_overlap_is_seen(load));
	seep_sort_stable(load->stamps.items, load->stamps.n, sizeof(struct seep_reader_record),
			 by_time, &load->scratch);
	if (run->overlapping)
		seep_load_overlap_sort(load, first_api);
	n = collect_numbers(load, first_api, numbers);
	straighten_numbers(load, numbers, n);
	more = n && !has_gaps(load) ? (size_t)numbers[n - 1] - n : 0;
	if (load->slices) {
		seep_load_slices_plan(load, n ? (int64_t)numbers[n - 1] : 0);
		more = seep_load_slices_room(load);
	}
	run->stamps = seep_arena_array(load->arena, load->stamps.n + more, sizeof(*run->stamps));
	run->events = seep_arena_array(load->arena, n + more, sizeof(*run->events));
	fill(load, first_api, numbers, n);
	note_unwritten(load);
	if (n && load->sparse && !load->levels.n)
		run->event_source = SEEP_EVENTS_FILE;
	else if (run->n_events)
		run->event_source = first_api ? source_of(load) : SEEP_EVENTS_TIME;
}
