/* SPDX-License-Identifier: MIT */
/*
 * What the calls of seep.h do.
 *
 *	seep_event_begin    move the event clock, write a stamp, perhaps take a snapshot
 *	seep_stamp          write a stamp, begin a new phase
 *	seep_count, _gauge  write the value, or add it up if this event is thinned out
 *	seep_event_end      write a stamp, begin the phase between events
 *	seep_event_switch   the thread works for another event from here on
 *
 * Which event a call belongs to follows from the thread that makes it (event_slots.h).
 *
 * Each call holds signals back, sets the guard, takes the lock of the recording, writes its record
 * and leaves.  So no handler can interrupt it and never come back.  What needs the
 * allocator (probe, calibration) happens after that, when no lock of ours is held.
 *
 * A program that marks no events has time slices instead (seep_stamp_tick).  Its first own event
 * ends that for good.
 *
 * If seep run was given another source of events (--event call:accept), that source begins the
 * events by seep_stamp_source_begin.  The program's own marks of events then do nothing; its
 * stamps, counters and gauges still count.  Lines of output and of files are noticed by whichever
 * thread comes first, so their events belong to all threads.
 */
#include "record/stamp.h"

#include "os/signals.h"
#include "os/statm.h"
#include "record/api.h"
#include "record/event_clock.h"
#include "record/event_slots.h"
#include "record/event_source.h"
#include "record/guard.h"
#include "record/heap.h"
#include "record/names.h"
#include "record/recording.h"
#include "record/thin.h"

/* Reading RSS costs a microsecond: events faster than this share one reading. */
#define EVENT_RSS_PERIOD_NS 100000

__thread int seep_guard __attribute__((tls_model("initial-exec")));

static struct {
	int64_t t_ns, vm_bytes, rss_bytes;
	uint32_t generation;     /* of the trace: a child of fork must read its own RSS */
	bool known;
} last;

/*
 * Events that overlap on one thread cannot be told apart: a begin implies the end of the event
 * before, and its own end comes when there is nothing left to end.  A program that leaves out ends
 * has no such ends, or far fewer.
 */
static __thread struct {
	uint32_t implied;        /* events that ended because the next one began */
	uint32_t extra;          /* ends of no event */
	bool interleaved;
} habits __attribute__((tls_model("initial-exec")));

/* What a call is about. */
struct place {
	struct seep_event_slot *slot; /* NULL: no open event */
	uint32_t event;
	bool whole;              /* it is written whole */
	bool nowhere;            /* several events are open, and the thread has none of them */
};

static int64_t collection_began_ns; /* for --collect; 0: none is going on */

static bool enter(void)
{
	if (seep_guard != SEEP_GUARD_OUT && !seep_heap_take_over())
		return false;
	seep_signals_hold();
	seep_guard = SEEP_GUARD_OWN;
	seep_heap_ensure_started();
	if (seep_recording_begin())
		return true;
	seep_guard = SEEP_GUARD_OUT;
	seep_signals_release();
	return false;
}

static void leave(void)
{
	seep_recording_end();
	seep_guard = SEEP_GUARD_OUT;
	seep_signals_release();
}

/* For the live line, and so that the reader knows how many events were not written. */
static void publish_events(void)
{
	struct seep_trace_header *header = seep_recording_header();

	if (header)
		__atomic_store_n(&header->events, seep_event_clock.event - seep_event_clock.base,
				 __ATOMIC_RELAXED);
}

static void publish_stamp(const struct seep_rec_stamp *stamp)
{
	struct seep_trace_header *header = seep_recording_header();

	if (!header)
		return;
	__atomic_store_n(&header->live_bytes, stamp->live_bytes, __ATOMIC_RELAXED);
	__atomic_store_n(&header->tracker_bytes, stamp->tracker_bytes, __ATOMIC_RELAXED);
	__atomic_store_n(&header->event, seep_event_clock.event, __ATOMIC_RELAXED);
}

static void publish_open(void)
{
	struct seep_trace_header *header = seep_recording_header();
	uint32_t open = seep_event_slots_open();

	if (header && open > header->open_most)
		__atomic_store_n(&header->open_most, open, __ATOMIC_RELAXED);
}

static void publish_habits(void)
{
	struct seep_trace_header *header = seep_recording_header();
	bool now = habits.extra && habits.extra <= habits.implied &&
		   habits.implied <= 2 * habits.extra;

	if (!header || now == habits.interleaved)
		return;
	habits.interleaved = now;
	if (now || header->interleaved)
		__atomic_store_n(&header->interleaved, header->interleaved + (now ? 1 : UINT32_MAX),
				 __ATOMIC_RELAXED);
}

static struct place find_place(void)
{
	struct seep_event_slot *slot = seep_event_slots_find();
	struct place place = {.slot = slot};

	if (slot) {
		place.event = slot->event;
		place.whole = slot->whole;
		return place;
	}
	place.event = seep_event_slots_ended(&place.whole);
	if (place.event)
		return place;
	place.event = seep_event_clock.event;
	place.whole = seep_thin_is_whole();
	place.nowhere = seep_event_slots_open() > 1;
	return place;
}

/* Returns the time. */
static int64_t write_stamp(uint32_t event, uint32_t name, uint16_t flags, int64_t index)
{
	struct seep_rec_stamp stamp = {.event = event, .name = name, .index = index};
	struct seep_heap_totals totals;

	stamp.t_ns = seep_recording_now();
	if (name || !last.known || seep_heap_is_calibrating() ||
	    last.generation != seep_recording_generation() ||
	    stamp.t_ns - last.t_ns >= EVENT_RSS_PERIOD_NS) {
		last.known = seep_statm_read(&last.vm_bytes, &last.rss_bytes);
		last.t_ns = stamp.t_ns;
		last.generation = seep_recording_generation();
	}
	if (last.known) {
		flags |= SEEP_STAMP_RSS;
		stamp.vm_bytes = last.vm_bytes;
		stamp.rss_bytes = last.rss_bytes;
	}
	stamp.tracker_bytes = seep_recording_mapped_bytes();
	if (seep_heap_totals(&totals)) {
		flags |= SEEP_STAMP_HEAP;
		stamp.live_bytes = totals.live_bytes;
		stamp.live_blocks = totals.live_blocks;
		stamp.tracker_bytes += totals.tracker_bytes;
	}
	seep_recording_write(SEEP_REC_STAMP, flags, &stamp, sizeof(stamp), NULL, 0);
	publish_stamp(&stamp);
	seep_recording_publish(stamp.t_ns);
	return stamp.t_ns;
}

/* Event 1, 2, 4, 8 ...  A loop may end before the next event that is written. */
static bool is_milestone(void)
{
	uint32_t events = seep_event_clock.event - seep_event_clock.base;

	return !(events & (events - 1));
}

static void move_clock(uint32_t event)
{
	seep_heap_snapshot_at(event - 1 - seep_event_clock.base - seep_event_slots_open());
	__atomic_store_n(&seep_event_common.phase, 0, __ATOMIC_RELAXED);
	seep_event_clock_set(event);
	publish_events();
}

static void write_begin(uint16_t flags, int64_t index)
{
	int64_t t_ns = write_stamp(seep_event_clock.event, 0, (uint16_t)(SEEP_STAMP_BEGIN | flags),
				   index);

	seep_heap_event_begun(t_ns);
}

static bool has_threads(void)
{
	enum seep_trace_source source = seep_event_source_get();

	return source != SEEP_SOURCE_LINES && source != SEEP_SOURCE_FILE;
}

/* Returns the handle of the event; 0: it belongs to no thread. */
static int begin_event(int64_t index)
{
	struct seep_event_slot *before = seep_event_slots_own();
	bool written;
	int handle = 0;

	if (before) {
		seep_event_slots_end(before);
		habits.implied++;
		publish_habits();
	}
	move_clock(seep_event_clock.event + 1);
	written = seep_thin_begin();
	if (has_threads())
		handle = seep_event_slots_begin(seep_event_clock.event, seep_thin_is_whole());
	publish_open();
	if (written)
		write_begin(seep_thin_is_whole() ? 0 : SEEP_STAMP_PART, index);
	else if (is_milestone())
		seep_heap_event_begun(seep_recording_now());
	return handle;
}

/* Slices in which no hook was called have no record. */
void seep_stamp_tick(uint64_t tick)
{
	uint32_t event = seep_thin_slice(tick);

	if (event <= seep_event_clock.event)
		return;
	move_clock(event);
	write_begin(SEEP_STAMP_TICK, (int64_t)event - 1);
}

void seep_stamp_start(void)
{
	struct seep_rec_stamp stamp = {.event = seep_event_clock.event};
	struct seep_heap_totals totals;

	if (!seep_heap_totals(&totals))
		return;
	stamp.live_bytes = totals.live_bytes;
	stamp.tracker_bytes = totals.tracker_bytes + seep_recording_mapped_bytes();
	publish_stamp(&stamp);
}

void seep_stamp_finish(void)
{
	uint32_t event;

	if (seep_event_clock.own_events || seep_event_source_ticks() == SEEP_TICKS_OFF)
		return;
	event = seep_thin_slice(seep_recording_tick());
	if (event > seep_event_clock.event)
		move_clock(event);
}

static int event_begin(int64_t index)
{
	int handle;

	/* This call also ends an event that seep_event_end did not end. */
	if (seep_event_clock_is_own() && seep_guard == SEEP_GUARD_OUT)
		seep_heap_events_over(seep_event_slots_over_at_begin());
	seep_heap_thread_begins();
	if (!enter())
		return 0;
	if (seep_event_source_ticks() == SEEP_TICKS_ONLY) {
		leave();
		return 0;
	}
	if (!seep_event_clock.own_events) {
		__atomic_store_n(&seep_event_clock.base, seep_event_clock.event, __ATOMIC_RELAXED);
		__atomic_store_n(&seep_event_clock.own_events, 1, __ATOMIC_RELAXED);
	}
	handle = begin_event(index);
	leave();
	seep_heap_calibrate();
	return handle;
}

int seep_stamp_event_open(int64_t index)
{
	return seep_event_source_get() == SEEP_SOURCE_API ? event_begin(index) : 0;
}

void seep_stamp_event_begin(int64_t index)
{
	seep_stamp_event_open(index);
}

void seep_stamp_source_begin(int64_t index)
{
	if (seep_event_source_get() != SEEP_SOURCE_API)
		event_begin(index);
}

int seep_stamp_event_switch(int handle)
{
	int before;

	if (handle ? seep_event_slots_is_here(handle) : !seep_event_slots_is_user())
		return handle;
	seep_heap_thread_begins();
	if (!enter())
		return 0;
	before = seep_event_slots_switch(handle);
	publish_open();
	leave();
	return before;
}

void seep_stamp_thread_over(void)
{
	if (!seep_event_slots_is_user() || !seep_recording_is_open() || !enter())
		return;
	seep_event_slots_retire();
	leave();
}

/* How many events are over. */
static uint32_t count_over(void)
{
	uint32_t begun = seep_event_clock_begun(), open = seep_event_slots_open();

	return begun > open ? begun - open : 0;
}

static void end_event(void)
{
	struct place place = find_place();

	if (place.slot) {
		seep_event_slots_end(place.slot);
		if (place.whole)
			write_stamp(place.event, 0, SEEP_STAMP_END, 0);
	} else {
		seep_event_slots_stamp(NULL, SEEP_PHASE_BETWEEN);
		habits.extra += seep_event_clock.own_events;
		publish_habits();
	}
	seep_heap_snapshot_at(count_over());
}

void seep_stamp_event_end(void)
{
	bool is_event;

	if (seep_event_source_get() != SEEP_SOURCE_API || !enter())
		return;
	is_event = seep_event_source_ticks() != SEEP_TICKS_ONLY;
	if (is_event)
		end_event();
	leave();
	if (is_event)
		seep_heap_events_over(count_over());
}

void seep_stamp_named(const char *name)
{
	struct place place;
	uint32_t id;

	if (!enter())
		return;
	id = seep_names_id(name);
	place = find_place();
	if (id && !place.nowhere) {
		if (place.whole)
			write_stamp(place.event, id, 0, 0);
		seep_event_slots_stamp(place.slot, id);
	}
	leave();
}

void seep_stamp_count(const char *name, double value)
{
	struct seep_rec_count count = {.value = value};
	struct place place;

	if (!enter())
		return;
	place = find_place();
	count.event = place.event;
	count.name = seep_names_id(name);
	if (count.name && !place.whole)
		seep_thin_count(count.name, value);
	else if (count.name)
		seep_recording_write(SEEP_REC_COUNT, 0, &count, sizeof(count), NULL, 0);
	leave();
}

void seep_stamp_gauge(const char *name, int64_t bytes)
{
	struct seep_rec_gauge gauge = {.bytes = bytes};
	struct place place;

	if (!enter())
		return;
	place = find_place();
	gauge.event = place.event;
	gauge.name = seep_names_id(name);
	gauge.t_ns = seep_recording_now();
	if (gauge.name && place.whole)
		seep_recording_write(SEEP_REC_GAUGE, 0, &gauge, sizeof(gauge), NULL, 0);
	leave();
}

static bool is_over(int why)
{
	return why == SEEP_API_COLLECT_OVER || why == SEEP_API_COLLECT_SAID;
}

void seep_stamp_collect_begin(int why)
{
	if (why == SEEP_API_COLLECT_USUAL || !enter())
		return;
	if (is_over(why)) {
		seep_stamp_finish();
		seep_heap_work_over(why == SEEP_API_COLLECT_SAID);
	} else {
		collection_began_ns = seep_recording_now();
	}
	leave();
}

/* The reader takes this time out of rates per second. */
static void add_collection(void)
{
	struct seep_trace_header *header = seep_recording_header();
	int64_t took_ns = seep_recording_now() - collection_began_ns;

	if (!header || !collection_began_ns)
		return;
	collection_began_ns = 0;
	__atomic_fetch_add(&header->collections, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&header->collect_ns, took_ns, __ATOMIC_RELAXED);
}

void seep_stamp_collect_end(int why)
{
	bool over = is_over(why);

	if (!enter())
		return;
	if (why == SEEP_API_COLLECT_ASKED)
		add_collection();
	seep_event_clock.collected = seep_event_clock.event;
	if (over)
		seep_heap_garbage_gone();
	leave();
	if (over)
		seep_heap_probe_now();
}

/*
 * The tracker exports these functions under the names that seep.h calls.  Calls inside the tracker
 * use the hidden names, which a program that defines seep_api_* itself cannot replace.
 * In libseep, alone/api_real.c defines the symbols.
 */
#ifdef SEEP_HEAP
#define EXPORT(symbol, function) \
	extern __typeof__(function) symbol __attribute__((alias(#function)))

EXPORT(seep_api_event_begin, seep_stamp_event_begin);
EXPORT(seep_api_event_open, seep_stamp_event_open);
EXPORT(seep_api_event_switch, seep_stamp_event_switch);
EXPORT(seep_api_event_end, seep_stamp_event_end);
EXPORT(seep_api_stamp, seep_stamp_named);
EXPORT(seep_api_count, seep_stamp_count);
EXPORT(seep_api_gauge, seep_stamp_gauge);
EXPORT(seep_api_collect_begin, seep_stamp_collect_begin);
EXPORT(seep_api_collect_end, seep_stamp_collect_end);
#endif
