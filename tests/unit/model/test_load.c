/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records to facts: the run, its stamps, events and counters. */
#include "load_trace.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <unistd.h>

#define MEASURED (SEEP_STAMP_RSS | SEEP_STAMP_HEAP)

static void loads_the_run(void **state)
{
	(void)state;
	trace_make_sample(&trace);
	load();
	assert_string_equal(run.path, "a.seep");
	assert_string_equal(run.exe, "/usr/bin/detector");
	assert_string_equal(run.command[0], "./detector");
	assert_string_equal(run.command[1], "--events");
	assert_string_equal(run.command[2], "3");
	assert_null(run.command[3]);
	assert_int_equal(run.pid, 4131);
	assert_int_equal(run.started_real_ns, 1700000000000000000);
	assert_int_equal(run.wall_ns, 60000);
	assert_true(run.has_exit);
	assert_int_equal(run.exit_code, 0);
	assert_int_equal(run.exit_signal, 0);
	assert_true(run.complete);
	assert_false(run.killed);
	assert_int_equal(run.n_limits, 2);
	assert_int_equal(run.limits[0].bytes, 8ll << 30);
	assert_string_equal(run.limits[1].source, "RAM");
	assert_int_equal(run.limits[0].counts, SEEP_LIMIT_RSS);
	assert_int_equal(run.limits[0].others_bytes, 0);
	assert_int_equal(run.n_notes, 1);
	assert_string_equal(run.notes[0], "pools were switched off");
	assert_int_equal(run.damaged, 0);
}

/* What others use of a limit; read again after the end, the later values hold. */
static void loads_limits(void **state)
{
	const uint16_t later = SEEP_LIMIT_LATER;

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_limit_of(&trace, 0, 1000, "RAM", SEEP_LIMIT_GROUP, 300);
	trace_make_limit_of(&trace, 0, 2000, "RLIMIT_AS", SEEP_LIMIT_VM, 0);
	trace_make_limit_of(&trace, SEEP_LIMIT_SLOWS, 500, "cgroup", SEEP_LIMIT_GROUP, 7);
	trace_make_limit_of(&trace, later, 1001, "RAM", SEEP_LIMIT_GROUP, 600);
	trace_make_limit_of(&trace, later | SEEP_LIMIT_SLOWS, 501, "cgroup", SEEP_LIMIT_GROUP, -8);
	trace_make_limit_of(&trace, later, 900, "cgroup", 99, 10);
	load();
	assert_int_equal(run.n_limits, 4);
	assert_int_equal(run.limits[0].bytes, 1001);
	assert_int_equal(run.limits[0].others_bytes, 600);
	assert_int_equal(run.limits[0].counts, SEEP_LIMIT_GROUP);
	assert_int_equal(run.limits[1].counts, SEEP_LIMIT_VM);
	assert_true(run.limits[2].slows);
	assert_int_equal(run.limits[2].bytes, 501);
	assert_int_equal(run.limits[2].others_bytes, 0);
	assert_false(run.limits[3].slows);
	assert_int_equal(run.limits[3].counts, SEEP_LIMIT_RSS); /* of a kind to come */
}

static void loads_stamps_and_events(void **state)
{
	size_t i;

	(void)state;
	trace_make_sample(&trace);
	load();
	assert_int_equal(run.event_source, SEEP_EVENTS_API);
	assert_int_equal(run.n_names, 4);
	assert_string_equal(run.names[0], "");
	assert_string_equal(run.names[1], "simulate");
	assert_int_equal(run.n_stamps, 10);
	assert_int_equal(run.stamps[0].event, SEEP_EVENT_NONE);
	assert_int_equal(run.stamps[0].name, 1);
	assert_int_equal(run.n_events, 3);
	for (i = 0; i < 3; i++) {
		const struct seep_stamp *stamps = run.stamps + run.events[i].first_stamp;

		assert_int_equal(run.events[i].first_stamp, 1 + 3 * i);
		assert_int_equal(run.events[i].n_stamps, 3);
		assert_int_equal(run.events[i].index, 101 + i);
		assert_int_equal(stamps[0].flags, MEASURED | SEEP_STAMP_BEGIN);
		assert_int_equal(stamps[0].t_ns, 1000 * (i + 1));
		assert_int_equal(stamps[0].vm_bytes, 10000 * (i + 1));
		assert_int_equal(stamps[0].rss_bytes, 5000 * (i + 1));
		assert_int_equal(stamps[0].live_bytes, 3000 * (i + 1));
		assert_int_equal(stamps[0].live_blocks, 1000 * (i + 1));
		assert_int_equal(stamps[0].event, i);
		assert_int_equal(stamps[1].name, 1);
		assert_int_equal(stamps[2].flags, MEASURED | SEEP_STAMP_END);
		assert_int_equal(stamps[2].event, i);
	}
}

static void loads_counters_and_gauges(void **state)
{
	(void)state;
	trace_make_sample(&trace);
	load();
	assert_int_equal(run.n_counters, 2);
	assert_string_equal(run.counters[0].name, "hits");
	assert_false(run.counters[0].gauge);
	assert_int_equal(run.counters[0].given, 3);
	assert_true(run.counters[0].values[0] == 11);
	assert_true(run.counters[0].values[2] == 31);
	assert_string_equal(run.counters[1].name, "gpu");
	assert_true(run.counters[1].gauge);
	assert_true(run.counters[1].values[1] == 8192);
}

static void loads_anchors(void **state)
{
	size_t i;

	(void)state;
	trace_make_sample(&trace);
	load();
	assert_int_equal(run.n_anchors, 4);
	for (i = 0; i < 3; i++) {
		const struct seep_anchor *anchor = &run.anchors[i];
		int64_t n = (int64_t)i + 1;

		assert_int_equal(anchor->event, i);
		assert_int_equal(anchor->flags, SEEP_ANCHOR_BEGIN | SEEP_ANCHOR_RSS);
		assert_int_equal(anchor->t_ns, 1000 * n);
		assert_int_equal(anchor->rss_bytes, 1000 * n + 111);
		assert_int_equal(anchor->live_bytes, 500 * n);
		assert_int_equal(anchor->allocator_bytes, 600 * n);
		assert_int_equal(anchor->non_heap_bytes, 300 * n);
		assert_int_equal(anchor->non_heap_resident_bytes, 200 * n);
		assert_int_equal(anchor->tracker_bytes, 20 * n);
	}
	assert_int_equal(run.anchors[3].flags, SEEP_ANCHOR_FINAL);
}

static void fills_the_gaps_of_counters_with_zeros(void **state)
{
	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_name(&trace, 1, "n");
	trace_make_count(&trace, 0, 1, 99); /* before the first event */
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 1, 1, 0);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 2, 2, 0);
	trace_make_count(&trace, 2, 1, 5);
	trace_make_count(&trace, 2, 1, (double)INFINITY);
	trace_make_gauge(&trace, 2, 1, 7);
	trace_make_gauge(&trace, 2, 1, 6);
	trace_make_count(&trace, 3, 1, 8); /* an event that never began */
	load();
	assert_int_equal(run.n_counters, 2);
	assert_int_equal(run.counters[0].given, 1);
	assert_true(run.counters[0].values[0] == 0);
	assert_true(run.counters[0].values[1] == 5);
	assert_true(run.counters[1].gauge);
	assert_true(run.counters[1].values[1] == 6);
}

static void loads_an_empty_trace(void **state)
{
	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_CREATED);
	load();
	assert_string_equal(run.exe, "");
	assert_null(run.command[0]);
	assert_int_equal(run.event_source, SEEP_EVENTS_NONE);
	assert_int_equal(run.n_names, 1);
	assert_int_equal(run.n_stamps + run.n_events + run.n_sites + run.n_notes, 0);
	assert_int_equal(run.snapshot_event, SEEP_EVENT_NONE);
	assert_false(run.has_heap);
	assert_false(run.complete);
	assert_false(run.killed);
}

static void tells_a_killed_run(void **state)
{
	static const struct {
		uint32_t trace_state;
		int code, signal;
		bool has_exit, killed, complete;
	} cases[] = {
		{ SEEP_TRACE_FINISHED, 0, 0, true, false, true },
		{ SEEP_TRACE_FINISHED, 3, 0, true, false, true },
		{ SEEP_TRACE_FINISHED, 0, 0, false, false, true },
		{ SEEP_TRACE_ATTACHED, 0, 0, false, true, false },
		{ SEEP_TRACE_ATTACHED, 0, 0, true, false, false },  /* _exit */
		{ SEEP_TRACE_ATTACHED, -1, SIGSEGV, true, true, false },
		{ SEEP_TRACE_FINISHED, -1, SIGKILL, true, true, true },
		{ SEEP_TRACE_STOPPED, 0, 0, true, false, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		trace_make_begin(&trace, cases[i].trace_state);
		if (cases[i].has_exit)
			trace_make_exit(&trace, 1, cases[i].code, cases[i].signal);
		load();
		assert_int_equal(run.killed, cases[i].killed);
		assert_int_equal(run.complete, cases[i].complete);
		assert_int_equal(run.has_exit, cases[i].has_exit);
		trace_make_end(&trace);
	}
}

static void a_stop_makes_it_incomplete(void **state)
{
	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_note(&trace, SEEP_NOTE_STOPPED, "disk full");
	load();
	assert_false(run.complete);
	assert_string_equal(run.notes[0], "disk full");
}

static void time_slices_are_events(void **state)
{
	uint32_t i;

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	for (i = 1; i <= 5; i++)
		trace_make_stamp(&trace, SEEP_STAMP_BEGIN | SEEP_STAMP_TICK, i, i, 0);
	load();
	assert_int_equal(run.event_source, SEEP_EVENTS_TIME);
	assert_int_equal(run.n_events, 5);
	assert_int_equal(run.wall_ns, 5);
	assert_false(run.has_heap);
}

/* Four time slices, then the program speaks up: its events are 5 and 6. */
static void load_ticks_then_events(uint32_t events_per_bin)
{
	static const uint64_t bins[] = { 1, 10, 2, 20, 4, 40, 8, 80, 16, 160, 32, 320 };
	uint32_t i;

	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_name(&trace, 1, "n");
	for (i = 1; i <= 4; i++)
		trace_make_stamp(&trace, SEEP_STAMP_BEGIN | SEEP_STAMP_TICK, i, i, 0);
	for (; i <= 6; i++)
		trace_make_stamp(&trace, SEEP_STAMP_BEGIN, i, i, 0);
	trace_make_count(&trace, 4, 1, 1);
	trace_make_count(&trace, 6, 1, 2);
	trace_make_snapshot_bins(&trace, SEEP_SNAPSHOT_FINAL, 1, 6, 1, events_per_bin);
	trace_make_state(&trace, 1, 1, 6 / events_per_bin, bins);
	trace_make_snapshot_end(&trace, 1, 1);
	load();
	trace_make_end(&trace);
}

static void events_of_the_program_replace_time_slices(void **state)
{
	const struct seep_cohorts *cohorts;

	(void)state;
	load_ticks_then_events(1);
	assert_int_equal(run.event_source, SEEP_EVENTS_API);
	assert_int_equal(run.n_events, 2);
	assert_int_equal(run.n_stamps, 6);
	assert_int_equal(run.events[0].first_stamp, 4);
	assert_int_equal(run.events[0].index, 105);
	assert_int_equal(run.stamps[3].event, SEEP_EVENT_NONE);
	assert_int_equal(run.stamps[3].flags, SEEP_STAMP_TICK);
	assert_int_equal(run.counters[0].given, 1);
	assert_true(run.counters[0].values[1] == 2);
	assert_int_equal(run.snapshot_event, 1);
	cohorts = &run.sites[0].cohorts;
	assert_int_equal(cohorts->first_event, 0);
	assert_int_equal(cohorts->n_bins, 2);
	assert_int_equal(cohorts->live_blocks[0], 16);
	assert_int_equal(cohorts->early_blocks, 1 + 1 + 2 + 4 + 8);
	/* With three events to a bin 4 to 6 lie across the first one, and all count as early. */
	load_ticks_then_events(3);
	cohorts = &run.sites[0].cohorts;
	assert_int_equal(cohorts->n_bins, 0);
	assert_int_equal(cohorts->early_bytes, 100 + 10 + 20);
}

static void sorts_stamps_by_time(void **state)
{
	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_name(&trace, 1, "a");
	trace_make_name(&trace, 2, "b");
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 100, 1, 0);
	trace_make_stamp(&trace, 0, 300, 2, 2);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 210, 3, 0); /* two threads that met */
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 220, 2, 0);
	trace_make_stamp(&trace, 0, 100, 1, 1);
	load();
	assert_int_equal(run.n_stamps, 5);
	assert_int_equal(run.n_events, 3);
	assert_int_equal(run.events[0].n_stamps, 2);
	assert_int_equal(run.stamps[1].name, 1);
	assert_int_equal(run.events[1].index, 103);
	assert_int_equal(run.stamps[run.events[1].first_stamp].t_ns, 210);
	assert_int_equal(run.stamps[4].name, 2);
	assert_int_equal(run.stamps[4].event, 2);
}

static void keeps_the_place_of_lost_events(void **state)
{
	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN | MEASURED, 1, 1, 0);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN | MEASURED, 4, 4, 0);
	load();
	assert_int_equal(run.n_events, 4);
	assert_int_equal(run.n_stamps, 4);
	assert_int_equal(run.stamps[run.events[2].first_stamp].t_ns, 4);
	assert_int_equal(run.stamps[run.events[2].first_stamp].flags, SEEP_STAMP_BEGIN);
	assert_int_equal(run.events[3].index, 104);
	assert_int_equal(run.stamps[run.events[3].first_stamp].flags, SEEP_STAMP_BEGIN | MEASURED);
}

static void counts_events_that_share_a_number(void **state)
{
	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 1, 0, 0);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 2, 1, 0);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 3, 1, 0);
	load();
	assert_int_equal(run.n_events, 3);
	assert_int_equal(run.n_stamps, 3);
	assert_int_equal(run.stamps[2].event, 2);
}

static void names_what_has_no_name(void **state)
{
	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_name(&trace, 3, "third");
	trace_make_stamp(&trace, 0, 1, 0, 4);
	load();
	assert_int_equal(run.n_names, 5);
	assert_string_equal(run.names[2], "");
	assert_string_equal(run.names[3], "third");
	assert_string_equal(run.names[4], "(name 4)");
	assert_int_equal(run.stamps[0].name, 4);
}

/* A child of fork goes on counting where its parent was, and has its parent's ids. */
static void loads_a_forked_child(void **state)
{
	static const uint64_t bins[] = { 1, 10, 2, 20 };

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_name(&trace, 3000, "late");
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 10, 5001, 0);
	trace_make_stamp(&trace, 0, 11, 5001, 3000);
	trace_make_count(&trace, 5001, 3000, 4);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 20, 5002, 0);
	trace_make_snapshot_bins(&trace, SEEP_SNAPSHOT_FINAL, 1, 5002, 5001, 1);
	trace_make_state(&trace, 1, 1, 2, bins);
	trace_make_snapshot_end(&trace, 1, 1);
	load();
	assert_int_equal(run.damaged, 0);
	assert_true(run.complete);
	assert_int_equal(run.n_events, 2);
	assert_int_equal(run.n_stamps, 3);
	assert_string_equal(run.names[run.stamps[1].name], "late");
	assert_string_equal(run.counters[0].name, "late");
	assert_true(run.counters[0].values[0] == 4);
	assert_int_equal(run.snapshot_event, 1);
	assert_int_equal(run.sites[0].cohorts.first_event, 0);
	assert_int_equal(run.sites[0].cohorts.live_blocks[1], 2);
}

/* Four events, then anchors at each second one, and event 6, which is whole and closed by 7. */
static void make_thinned(void)
{
	static const uint64_t bins[] = { 1, 10, 2, 20, 3, 30 };
	struct seep_rec_count sum = { .value = 50, .event = 8, .name = 1 };
	uint32_t i;

	trace_make_begin(&trace, SEEP_TRACE_ATTACHED);
	trace_make_name(&trace, 1, "hits");
	for (i = 1; i <= 4; i++) {
		trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 10 * i, i, 0);
		trace_make_count(&trace, i, 1, i);
	}
	trace_make_thin(&trace, 0, 5, 2);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN | SEEP_STAMP_PART, 50, 5, 0);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 60, 6, 0);
	trace_make_count(&trace, 6, 1, 6);
	trace_make_stamp(&trace, SEEP_STAMP_END, 65, 6, 0);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN | SEEP_STAMP_PART, 70, 7, 0);
	TRACE_MAKE_ADD(&trace, SEEP_REC_COUNT, SEEP_COUNT_SUM, sum);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN | SEEP_STAMP_PART, 90, 9, 0);
	trace_make_snapshot_bins(&trace, SEEP_SNAPSHOT_FINAL, 1, 11, 1, 4);
	trace_make_state(&trace, 1, 1, 3, bins);
	trace_make_snapshot_end(&trace, 1, 1);
}

static void numbers_of_thinned_events_are_true(void **state)
{
	static const int64_t numbers[] = { 0, 1, 2, 3, 4, 5, 6, 8 };
	static const double hits[] = { 1, 2, 3, 4, 0, 6, 50, 0 };
	size_t i;

	(void)state;
	make_thinned();
	trace_make_header(&trace)->events = 11;
	load();
	assert_int_equal(run.n_events, 8);
	assert_int_equal(run.n_counters, 1);
	for (i = 0; i < 8; i++) {
		assert_int_equal(run.events[i].number, numbers[i]);
		assert_int_equal(run.events[i].index, 101 + numbers[i]);
		assert_int_equal(run.stamps[run.events[i].first_stamp].event, i);
		assert_true(run.counters[0].values[i] == hits[i]); /* 7 and 8 are in one sum */
	}
	assert_int_equal(run.stride, 2);
	assert_int_equal(seep_run_marked(&run), 11);
	assert_int_equal(run.snapshot_event, 10);
	assert_int_equal(run.sites[0].cohorts.n_bins, 3);
	assert_false(run.last_ended);
}

static void the_header_tells_how_many_events_there_were(void **state)
{
	(void)state;
	make_thinned();
	trace_make_thin(&trace, SEEP_THIN_LAST | SEEP_THIN_ENDED, 11, 2);
	trace_make_header(&trace)->events = 11;
	load();
	assert_true(run.last_ended);
	assert_int_equal(seep_run_marked(&run), 11);
	trace_make_end(&trace);
	make_thinned();
	trace_make_header(&trace)->events = 1000; /* more than a stride or two: damage */
	load();
	assert_int_equal(seep_run_marked(&run), 9);
	trace_make_end(&trace);
	trace_make_begin(&trace, SEEP_TRACE_ATTACHED);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 1, 1, 0);
	trace_make_thin(&trace, 0, 5, 3); /* no power of two */
	trace_make_header(&trace)->events = 2;
	load();
	assert_int_equal(run.damaged, 1);
	assert_int_equal(seep_run_marked(&run), 1);
}

static void loads_a_file(void **state)
{
	char path[] = "/tmp/seep-load-XXXXXX";
	struct seep_err err = { 0 };
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	trace_make_sample(&trace);
	assert_int_equal(write(fd, trace.data, trace.bytes), trace.bytes);
	close(fd);
	assert_int_equal(seep_load_run(&run, path, &arena, &err), 0);
	assert_string_equal(run.path, path);
	assert_int_equal(run.n_sites, 2);
	unlink(path);
	assert_int_equal(seep_load_run(&run, path, &arena, &err), -ENOENT);
	assert_int_equal(err.code, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOAD_TEST(loads_the_run),
		LOAD_TEST(loads_limits),
		LOAD_TEST(loads_stamps_and_events),
		LOAD_TEST(loads_counters_and_gauges),
		LOAD_TEST(loads_anchors),
		LOAD_TEST(fills_the_gaps_of_counters_with_zeros),
		LOAD_TEST(loads_an_empty_trace),
		LOAD_TEST(tells_a_killed_run),
		LOAD_TEST(a_stop_makes_it_incomplete),
		LOAD_TEST(time_slices_are_events),
		LOAD_TEST(events_of_the_program_replace_time_slices),
		LOAD_TEST(sorts_stamps_by_time),
		LOAD_TEST(keeps_the_place_of_lost_events),
		LOAD_TEST(counts_events_that_share_a_number),
		LOAD_TEST(names_what_has_no_name),
		LOAD_TEST(loads_a_forked_child),
		LOAD_TEST(numbers_of_thinned_events_are_true),
		LOAD_TEST(the_header_tells_how_many_events_there_were),
		LOAD_TEST(loads_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
