/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time slices by the clock: those without a record are filled in, and the end is set apart. */
#include "load_trace.h"
#include "model/load/load_cut.h"

#include <errno.h>

#define SLICE 100
#define MB 1000000

static void begin(uint32_t first)
{
	struct seep_trace_header *header;

	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	header = (void *)trace.data;
	header->tick_on = SEEP_TICKS_SPARE;
	header->tick_ns = SLICE;
	header->slice_first = first;
}

static void add_slice(uint32_t tick, int64_t t_ns, int64_t live)
{
	struct seep_rec_stamp stamp = { .t_ns = t_ns, .live_bytes = live, .live_blocks = 1,
					.rss_bytes = 10 * live, .tracker_bytes = 7,
					.index = (int64_t)tick - 1, .event = tick };

	TRACE_MAKE_ADD(&trace, SEEP_REC_STAMP, SEEP_STAMP_BEGIN | SEEP_STAMP_TICK |
		       SEEP_STAMP_HEAP | SEEP_STAMP_RSS, stamp);
}

static void add_exit(int64_t t_ns)
{
	struct seep_rec_exit end = { .t_ns = t_ns };

	TRACE_MAKE_ADD(&trace, SEEP_REC_EXIT, 0, end);
}

static void add_sample(int64_t t_ns, int64_t rss)
{
	struct seep_rec_samples head = { .count = 1 };
	struct seep_rec_sample sample = {
		.t_ns = t_ns, .vm_bytes = 9 * rss, .rss_anon_bytes = rss - 30, .rss_file_bytes = 20,
		.rss_shmem_bytes = 10, .swap_bytes = 5, .tracker_bytes = 3, .event = 1,
		.threads = 2, .descriptors = 4,
		.flags = SEEP_SAMPLE_RSS | SEEP_SAMPLE_THREADS | SEEP_SAMPLE_DESCRIPTORS,
	};

	trace_make_add(&trace, SEEP_REC_SAMPLES, 0, &head, sizeof(head), &sample, sizeof(sample));
}

static void add_snapshot(uint16_t flags, uint64_t ordinal, uint32_t tick, int64_t t_ns,
			 int64_t live)
{
	struct seep_rec_snapshot head = { .t_ns = t_ns, .ordinal = ordinal, .live_blocks = 1,
					  .live_bytes = live, .event = tick, .first_event = 1,
					  .events_per_bin = 1 };

	TRACE_MAKE_ADD(&trace, SEEP_REC_SNAPSHOT, flags, head);
	trace_make_snapshot_end(&trace, ordinal, 0);
}

static const struct seep_stamp *begin_of(size_t place)
{
	return &run.stamps[run.events[place].first_stamp];
}

/* Slices 1, 3 and 7 of ten. */
static void idle_slices_are_filled_in(void **state)
{
	static const int64_t live[] = { 10, 30, 30, 70, 70, 70, 70, 80, 80, 80 };
	size_t i;

	(void)state;
	begin(1);
	add_slice(1, 104, 10);
	add_slice(3, 303, 30);
	add_slice(7, 708, 70);
	add_snapshot(SEEP_SNAPSHOT_FINAL, 1, 10, 1040, 80);
	add_exit(1050);
	load();
	assert_int_equal(run.event_source, SEEP_EVENTS_TIME);
	assert_int_equal(run.n_events, 10);
	assert_int_equal(seep_run_marked(&run), 10);
	assert_int_equal(run.end_event, 10);
	assert_int_equal(run.snapshot_event, 9);
	for (i = 0; i < 10; i++) {
		bool is_filled = i != 0 && i != 2 && i != 6;

		assert_int_equal(run.events[i].number, i);
		assert_int_equal(run.events[i].index, i);
		assert_int_equal(begin_of(i)->event, i);
		assert_int_equal(begin_of(i)->live_bytes, live[i]);
		assert_int_equal(!!(begin_of(i)->flags & SEEP_STAMP_FILLED), is_filled);
		assert_true(begin_of(i)->flags & SEEP_STAMP_TICK);
		assert_int_equal(!(begin_of(i)->flags & SEEP_STAMP_RSS), is_filled);
		if (is_filled)
			assert_int_equal(begin_of(i)->t_ns, (i + 1) * SLICE);
	}
}

/* A stamp of the program does not come before the slices that it is later than. */
static void stamps_stay_in_time_order(void **state)
{
	size_t i;

	(void)state;
	begin(1);
	trace_make_name(&trace, 1, "n");
	add_slice(1, 104, 10);
	trace_make_stamp(&trace, SEEP_STAMP_HEAP, 450, 1, 1);
	add_slice(4, 460, 40); /* noticed late */
	trace_make_stamp(&trace, SEEP_STAMP_HEAP, 650, 4, 1);
	add_exit(720);
	load();
	assert_int_equal(run.n_events, 7);
	assert_int_equal(run.n_stamps, 9);
	for (i = 1; i < run.n_stamps; i++)
		assert_true(run.stamps[i].t_ns >= run.stamps[i - 1].t_ns);
	assert_int_equal(run.events[2].n_stamps, 2);
	assert_int_equal(run.events[5].n_stamps, 2);
	assert_false(begin_of(3)->flags & SEEP_STAMP_FILLED);
}

static void stamps_behind_the_end_have_no_slices(void **state)
{
	struct seep_rec_anchor anchor = { .t_ns = 250, .event = 2 };

	(void)state;
	begin(1);
	trace_make_name(&trace, 1, "n");
	add_slice(1, 104, 10);
	TRACE_MAKE_ADD(&trace, SEEP_REC_ANCHOR, SEEP_ANCHOR_FINAL, anchor);
	trace_make_stamp(&trace, SEEP_STAMP_HEAP, 90 * SLICE, 1, 1);
	add_exit(91 * SLICE);
	load();
	assert_int_equal(run.n_events, 2);
	assert_int_equal(run.n_stamps, 3);
	assert_int_equal(run.stamps[2].event, 1);
}

/* Slices 2 to 4 have no record: what is wanted of them is in the snapshot that ends slice 1. */
static void a_wanted_slice_is_the_last(void **state)
{
	struct seep_err err = { 0 };
	struct seep_reader reader;
	uint64_t wanted;

	(void)state;
	begin(1);
	add_slice(1, 104, 10);
	add_snapshot(SEEP_SNAPSHOT_PERIODIC, 1, 1, 501, 50);
	add_slice(5, 502, 50);
	add_snapshot(SEEP_SNAPSHOT_PERIODIC, 2, 5, 601, 60);
	add_slice(6, 602, 60);
	add_slice(8, 802, 60);
	for (wanted = 1; wanted <= 7; wanted++) {
		assert_int_equal(seep_reader_open_bytes(&reader, "a.seep", trace.data, trace.bytes,
							&err), 0);
		assert_int_equal(seep_load_cut(&reader, wanted, &err), wanted < 6 ? 0 : -ENOENT);
		if (wanted < 6) {
			seep_load_records(&run, &reader, &arena);
			assert_int_equal(seep_run_marked(&run), wanted);
			assert_int_equal(run.live_bytes, wanted < 5 ? 50 : 60);
		}
		seep_reader_close(&reader);
	}
}

static void a_program_that_does_nothing_has_slices(void **state)
{
	int64_t i;

	(void)state;
	begin(1);
	add_exit(1000);
	for (i = 1; i < 10; i++)
		add_sample(i * SLICE + 2, 1000 * i);
	load();
	assert_int_equal(run.event_source, SEEP_EVENTS_TIME);
	assert_int_equal(run.n_events, 10);
	assert_int_equal(run.n_samples, 9);
	assert_int_equal(run.samples[3].event, 3);
	assert_int_equal(run.samples[3].rss_bytes, 4005);
	assert_int_equal(run.samples[3].threads, 2);
	assert_int_equal(run.samples[3].descriptors, 4);
	assert_int_equal(begin_of(3)->rss_bytes, 4000);
	assert_int_equal(begin_of(3)->vm_bytes, 36000);
	assert_int_equal(begin_of(3)->tracker_bytes, 3);
	assert_false(begin_of(3)->flags & SEEP_STAMP_HEAP);
	assert_false(run.has_heap);
}

/* Nobody looked for a while, so that RSS is not known there. */
static void rss_is_taken_from_samples_nearby_only(void **state)
{
	(void)state;
	begin(1);
	add_exit(100 * SLICE);
	add_sample(SLICE, 1000);
	add_sample(2 * SLICE, 1000);
	add_sample(90 * SLICE, 3000);
	load();
	assert_true(begin_of(2)->flags & SEEP_STAMP_RSS);
	assert_false(begin_of(44)->flags & SEEP_STAMP_RSS);
	assert_int_equal(begin_of(89)->rss_bytes, 3000);
}

/* The program before an exec does not count, nor what was seen of it. */
static void slices_begin_with_the_program(void **state)
{
	struct seep_rec_restart restart = { .t_ns = 480 };

	(void)state;
	begin(5);
	add_slice(1, 104, 10);
	TRACE_MAKE_ADD(&trace, SEEP_REC_RESTART, 0, restart);
	add_slice(7, 704, 70);
	add_exit(950);
	add_sample(300, 500);
	add_sample(600, 700);
	load();
	assert_int_equal(run.n_events, 5);
	assert_int_equal(run.events[0].number, 0);
	assert_int_equal(begin_of(0)->t_ns, 500);
	assert_int_equal(begin_of(2)->live_bytes, 70);
	assert_int_equal(run.n_samples, 1);
	assert_int_equal(run.samples[0].event, 1);
}

static void events_of_the_program_come_first(void **state)
{
	(void)state;
	begin(1);
	add_slice(3, 304, 10);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN | SEEP_STAMP_HEAP, 310, 4, 0);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN | SEEP_STAMP_HEAP, 910, 5, 0);
	add_exit(2000);
	add_sample(350, 500);
	load();
	assert_int_equal(run.event_source, SEEP_EVENTS_API);
	assert_int_equal(run.n_events, 2);
	assert_int_equal(run.samples[0].event, SEEP_EVENT_NONE);
}

/* A million slices, of which the first thousand were busy. */
static void a_long_run_is_bounded(void **state)
{
	size_t i, multiples = 0;
	uint32_t tick;

	(void)state;
	begin(1);
	for (tick = 1; tick <= 1000; tick++)
		add_slice(tick, (int64_t)tick * SLICE, tick);
	add_exit((int64_t)1000000 * SLICE + 1);
	load();
	assert_int_equal(seep_run_marked(&run), 1000000);
	assert_int_equal(run.stride, 256);
	assert_in_range(run.n_events, 3900, 5000);
	for (i = 0; i < run.n_events; i++) {
		assert_true(!i || run.events[i].number > run.events[i - 1].number);
		multiples += run.events[i].number % 256 == 0;
	}
	assert_int_equal(multiples, (1000000 + 255) / 256);
}

static void nonsense_does_no_harm(void **state)
{
	struct seep_trace_header *header;

	(void)state;
	begin(1);
	add_slice(4000000000u, 104, 10);
	add_slice(2, 203, 20);
	add_exit(INT64_MAX);
	load();
	assert_in_range(run.n_events, 1, 20000);
	trace_make_end(&trace);
	begin(UINT32_MAX);
	header = (void *)trace.data;
	header->slice_origin_ns = INT64_MIN;
	header->tick_ns = UINT64_MAX;
	add_slice(UINT32_MAX, INT64_MIN, 10);
	add_slice(0, INT64_MAX, 10);
	add_sample(INT64_MIN, 1);
	add_sample(INT64_MAX, 1);
	load();
	trace_make_end(&trace);
	begin(UINT32_MAX);
	header = (void *)trace.data;
	header->slice_origin_ns = INT64_MIN;
	header->tick_ns = 1;
	add_slice(UINT32_MAX, INT64_MIN, 10);
	add_slice(0, INT64_MAX, 10);
	add_sample(INT64_MIN, 1);
	add_sample(INT64_MAX, 1);
	load();
}

/* A thread that stamps while the program ends adds no slices. */
static void nothing_follows_the_end(void **state)
{
	struct seep_rec_anchor anchor = { .t_ns = 250, .event = 2 };

	(void)state;
	begin(1);
	trace_make_name(&trace, 1, "n");
	add_slice(1, 104, 10);
	TRACE_MAKE_ADD(&trace, SEEP_REC_ANCHOR, SEEP_ANCHOR_FINAL, anchor);
	trace_make_stamp(&trace, SEEP_STAMP_HEAP, 1000000, 2, 1);
	load();
	assert_int_equal(run.n_events, 2);
	assert_int_equal(run.n_stamps, 3);
}

/* Full from the first slice on; it is given back in the last three of 200. */
static void a_clean_up_is_set_apart(void **state)
{
	uint32_t tick;

	(void)state;
	begin(1);
	for (tick = 1; tick <= 197; tick++) {
		add_slice(tick, (int64_t)tick * SLICE, 10 * MB + tick % 3 * 1000);
		if (tick % 50 == 0 || tick == 196)
			add_snapshot(SEEP_SNAPSHOT_PERIODIC, tick, tick,
				     (int64_t)tick * SLICE + 1, 10 * MB);
	}
	add_slice(198, 198 * SLICE, 7 * MB);
	add_snapshot(SEEP_SNAPSHOT_PERIODIC, 198, 198, 198 * SLICE + 1, 7 * MB);
	add_slice(199, 199 * SLICE, 4 * MB);
	add_slice(200, 200 * SLICE, 1 * MB);
	add_snapshot(SEEP_SNAPSHOT_FINAL, 200, 200, 200 * SLICE + 50, 1000);
	add_exit(200 * SLICE + 90);
	load();
	assert_int_equal(run.n_events, 200);
	assert_int_equal(run.end_event, 196); /* in which it began: slice 197 */
	assert_true(run.cleaned_up);
	assert_int_equal(run.snapshot_event, 195);
	assert_int_equal(run.live_bytes, 10 * MB);
	assert_int_equal(run.end_live_bytes, 1000);
}

/* The same, all of it in the last slice. */
static void a_quick_clean_up_is_set_apart(void **state)
{
	uint32_t tick;

	(void)state;
	begin(1);
	for (tick = 1; tick <= 100; tick++)
		add_slice(tick, (int64_t)tick * SLICE, tick * MB);
	add_snapshot(SEEP_SNAPSHOT_PERIODIC, 1, 95, 95 * SLICE, 95 * MB);
	add_snapshot(SEEP_SNAPSHOT_FINAL, 2, 100, 100 * SLICE + 50, 70 * MB);
	load();
	assert_int_equal(run.end_event, 99);
	assert_true(run.cleaned_up);
	assert_int_equal(run.snapshot_event, 94);
}

/* It has come down as far before. */
static void a_sawtooth_keeps_its_events(void **state)
{
	uint32_t tick;

	(void)state;
	begin(1);
	for (tick = 1; tick <= 200; tick++)
		add_slice(tick, (int64_t)tick * SLICE, 10 * MB + (int64_t)(tick % 40) * MB);
	add_snapshot(SEEP_SNAPSHOT_FINAL, 1, 200, 200 * SLICE + 50, 10 * MB - 5000);
	load();
	assert_int_equal(run.end_event, 200);
	assert_false(run.cleaned_up);
}

/* It drops half and lives on. */
static void what_lives_on_keeps_its_events(void **state)
{
	uint32_t tick;

	(void)state;
	begin(1);
	for (tick = 1; tick <= 200; tick++)
		add_slice(tick, (int64_t)tick * SLICE, tick < 150 ? 20 * MB : 10 * MB);
	add_snapshot(SEEP_SNAPSHOT_FINAL, 1, 200, 200 * SLICE + 50, 10 * MB);
	load();
	assert_int_equal(run.end_event, 200);
}

/* It gets less all the time, and does so to the end. */
static void what_gets_less_keeps_its_events(void **state)
{
	uint32_t tick;

	(void)state;
	begin(1);
	for (tick = 1; tick <= 200; tick++)
		add_slice(tick, (int64_t)tick * SLICE, 40 * MB - tick * MB / 6);
	add_snapshot(SEEP_SNAPSHOT_FINAL, 1, 200, 200 * SLICE + 50, 40 * MB - 200 * MB / 6);
	load();
	assert_int_equal(run.end_event, 200);
}

/* Events of the program: what comes behind the last one touches none of them. */
static void a_clean_up_behind_the_last_event_touches_none(void **state)
{
	uint32_t event;

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	for (event = 1; event <= 50; event++) {
		struct seep_rec_stamp stamp = { .t_ns = event * 10, .live_bytes = event * MB,
						.event = event };

		TRACE_MAKE_ADD(&trace, SEEP_REC_STAMP, SEEP_STAMP_BEGIN | SEEP_STAMP_HEAP, stamp);
		stamp.t_ns += 5;
		stamp.live_bytes += MB;
		TRACE_MAKE_ADD(&trace, SEEP_REC_STAMP, SEEP_STAMP_END | SEEP_STAMP_HEAP, stamp);
	}
	add_snapshot(SEEP_SNAPSHOT_PERIODIC, 1, 49, 495, 49 * MB);
	add_snapshot(SEEP_SNAPSHOT_FINAL, 2, 50, 510, 0);
	load();
	assert_int_equal(run.end_event, 50);
	assert_true(run.cleaned_up);
	assert_int_equal(run.snapshot_event, 48);
}

static void early_anchors_have_no_descriptors(void **state)
{
	struct seep_rec_anchor anchor = { .event = 1, .descriptors = 12, .threads = 3 };
	uint16_t flags = SEEP_ANCHOR_DESCRIPTORS | SEEP_ANCHOR_THREADS;

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 10, 1, 0);
	TRACE_MAKE_ADD(&trace, SEEP_REC_ANCHOR, flags, anchor);
	trace_make_add(&trace, SEEP_REC_ANCHOR, flags, &anchor,
		       offsetof(struct seep_rec_anchor, descriptors), NULL, 0);
	load();
	assert_int_equal(run.damaged, 0);
	assert_int_equal(run.n_anchors, 2);
	assert_int_equal(run.anchors[0].flags, flags);
	assert_int_equal(run.anchors[0].descriptors, 12);
	assert_int_equal(run.anchors[0].threads, 3);
	assert_int_equal(run.anchors[1].flags, 0);
	assert_int_equal(run.anchors[1].descriptors, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		LOAD_TEST(idle_slices_are_filled_in),
		LOAD_TEST(stamps_stay_in_time_order),
		LOAD_TEST(stamps_behind_the_end_have_no_slices),
		LOAD_TEST(a_wanted_slice_is_the_last),
		LOAD_TEST(a_program_that_does_nothing_has_slices),
		LOAD_TEST(rss_is_taken_from_samples_nearby_only),
		LOAD_TEST(slices_begin_with_the_program),
		LOAD_TEST(events_of_the_program_come_first),
		LOAD_TEST(a_long_run_is_bounded),
		LOAD_TEST(nonsense_does_no_harm),
		LOAD_TEST(nothing_follows_the_end),
		LOAD_TEST(a_clean_up_is_set_apart),
		LOAD_TEST(a_quick_clean_up_is_set_apart),
		LOAD_TEST(a_sawtooth_keeps_its_events),
		LOAD_TEST(what_lives_on_keeps_its_events),
		LOAD_TEST(what_gets_less_keeps_its_events),
		LOAD_TEST(a_clean_up_behind_the_last_event_touches_none),
		LOAD_TEST(early_anchors_have_no_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
