/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events that overlap: stamps and counts of each, and one site for all phases of a stack. */
#include "load_trace.h"

enum { READ = 1, WRITE, HITS };

/*
 * Two threads: 1 begins, 2 begins, both stamp, 1 ends, 3 begins ...  early: as by recorders that
 * had one event for all threads.
 */
static struct seep_trace_header *begin_by(uint32_t open_most, bool early)
{
	struct seep_trace_header *header;
	uint32_t one = early ? 2 : 1, two = early ? 3 : 2;

	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_name(&trace, READ, "read");
	trace_make_name(&trace, WRITE, "write");
	trace_make_name(&trace, HITS, "hits");
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN | SEEP_STAMP_HEAP, 10, 1, 0);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN | SEEP_STAMP_HEAP, 20, 2, 0);
	trace_make_stamp(&trace, SEEP_STAMP_HEAP, 30, one, READ);
	trace_make_stamp(&trace, SEEP_STAMP_HEAP, 40, 2, READ);
	trace_make_stamp(&trace, SEEP_STAMP_HEAP, 50, one, WRITE);
	trace_make_count(&trace, one, HITS, 7);
	trace_make_stamp(&trace, SEEP_STAMP_END | SEEP_STAMP_HEAP, 60, one, 0);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN | SEEP_STAMP_HEAP, 70, 3, 0);
	trace_make_count(&trace, two, HITS, 5);
	trace_make_stamp(&trace, SEEP_STAMP_END | SEEP_STAMP_HEAP, 80, two, 0);
	trace_make_stamp(&trace, SEEP_STAMP_END | SEEP_STAMP_HEAP, 90, 3, 0);
	header = trace_make_header(&trace);
	header->open_most = open_most;
	return header;
}

static struct seep_trace_header *begin(uint32_t open_most)
{
	return begin_by(open_most, open_most < 2);
}

static void each_event_has_its_own_stamps(void **state)
{
	static const int64_t times[] = { 10, 30, 50, 60, 20, 40, 80, 70, 90 };
	static const size_t counts[] = { 4, 3, 2 };
	size_t i;

	(void)state;
	begin(2);
	load();
	assert_true(run.overlapping);
	assert_false(run.interleaved);
	assert_int_equal(run.n_events, 3);
	assert_int_equal(run.n_stamps, 9);
	for (i = 0; i < 9; i++)
		assert_int_equal(run.stamps[i].t_ns, times[i]);
	for (i = 0; i < 3; i++) {
		assert_int_equal(run.events[i].number, i);
		assert_int_equal(run.events[i].index, 101 + i);
		assert_int_equal(run.events[i].n_stamps, counts[i]);
	}
	assert_float_equal(run.counters[0].values[0], 7, 0);
	assert_float_equal(run.counters[0].values[1], 5, 0);
	assert_float_equal(run.counters[0].values[2], 0, 0);
}

/* The header of a program that was killed together with seep run may be old. */
static void overlap_is_seen_without_the_header(void **state)
{
	(void)state;
	begin_by(0, false);
	load();
	assert_true(run.overlapping);
	assert_int_equal(run.events[0].n_stamps, 4);
}

/* Early recorders had one event for all threads, and their stamps stay in the order of time. */
static void stamps_of_early_traces_stay_in_time_order(void **state)
{
	size_t i;

	(void)state;
	begin(0);
	load();
	assert_false(run.overlapping);
	for (i = 1; i < run.n_stamps; i++)
		assert_true(run.stamps[i - 1].t_ns < run.stamps[i].t_ns);
	assert_int_equal(run.events[1].n_stamps, 5);
}

static void interleaved_events_are_told(void **state)
{
	(void)state;
	begin(1)->interleaved = 1;
	load();
	assert_true(run.interleaved);
	assert_false(run.overlapping);
	assert_int_equal(run.n_notes, 1);
	assert_non_null(strstr(run.notes[0], "events overlapped on one thread"));
}

/* Sites 1 and 3 have one stack, in two phases; site 2 has another stack, site 4 another kind. */
static void add_sites(void)
{
	static const struct seep_rec_node nodes[] = { { .pc = 0x100 }, { .pc = 0x200 } };
	static const struct seep_rec_site sites[] = {
		{ .node = 1, .phase = READ }, { .node = 2, .phase = READ },
		{ .node = 1, .phase = SEEP_PHASE_NONE },
		{ .node = 1, .phase = READ, .kind = SEEP_MEMORY_MMAP },
	};
	static const uint64_t few[] = { 1, 100, 2, 200 }, many[] = { 5, 500, 0, 0, 6, 600 };
	struct seep_rec_snapshot_end end = { .ordinal = 1, .sites = 4 };

	trace_make_nodes(&trace, 1, 2, nodes);
	trace_make_sites(&trace, 1, 4, sites);
	trace_make_snapshot(&trace, SEEP_SNAPSHOT_FINAL, 1, 3);
	trace_make_state(&trace, 1, 1, 2, few);
	trace_make_state(&trace, 1, 2, 2, few);
	trace_make_state(&trace, 1, 3, 3, many);
	trace_make_state(&trace, 1, 4, 2, few);
	trace_make_moves(&trace, 1, 1, 2);
	trace_make_moves(&trace, 1, 3, 3);
	trace_make_frees(&trace, 1, 1, 2, 30);
	trace_make_frees(&trace, 1, 3, 2, 12);
	TRACE_MAKE_ADD(&trace, SEEP_REC_SNAPSHOT_END, 0, end);
}

static void one_stack_is_one_site(void **state)
{
	static const uint64_t live[] = { 600, 200, 600 };
	const struct seep_site *site;
	size_t i;

	(void)state;
	begin(2);
	add_sites();
	load();
	assert_int_equal(run.damaged, 0);
	assert_int_equal(run.n_sites, 3);
	site = &run.sites[0];
	assert_int_equal(site->id, 1);
	assert_int_equal(site->born_blocks, 40);
	assert_int_equal(site->died_bytes, 2000);
	assert_int_equal(site->ages[0], 12);
	assert_int_equal(site->cohorts.n_bins, 3);
	assert_int_equal(site->cohorts.early_bytes, 200);
	for (i = 0; i < 3; i++)
		assert_int_equal(site->cohorts.live_bytes[i], live[i]);
	assert_int_equal(site->n_parts, 2);
	assert_int_equal(site->parts[0].after_stamp, READ);
	assert_int_equal(site->parts[0].live_bytes, 300);
	assert_int_equal(site->parts[1].after_stamp, SEEP_PHASE_NONE);
	assert_int_equal(site->parts[1].live_bytes, 1100);
	assert_int_equal(site->after_stamp, SEEP_PHASE_NONE);
	assert_int_equal(site->n_freed_by, 1);
	assert_int_equal(site->freed_by[0].blocks, 42);
	assert_int_equal(run.sites[1].n_parts, 0);
	assert_int_equal(run.sites[2].kind, SEEP_MEMORY_MMAP);
}

static void growing_blocks_of_one_stack_add_up(void **state)
{
	const struct seep_moves *moves;

	(void)state;
	begin(2);
	add_sites();
	load();
	moves = run.sites[0].moves;
	assert_int_equal(moves->chains, 2);
	assert_int_equal(moves->growths, 4);
	assert_int_equal(moves->copied_bytes, 600);
	assert_int_equal(moves->unit_bytes, 100);
	assert_int_equal(moves->largest_bytes, 400);
	assert_int_equal(moves->last_event, 2);
	assert_int_equal(moves->bins[9].finals, 2);
	assert_int_equal(moves->n_peaks, 2);
	assert_int_equal(moves->peaks[1], 400);
}

/* One thread: the phases are as many sites as before. */
static void without_overlap_each_phase_is_a_site(void **state)
{
	(void)state;
	begin(1);
	add_sites();
	load();
	assert_int_equal(run.n_sites, 4);
	assert_int_equal(run.sites[0].n_parts, 0);
	assert_int_equal(run.sites[0].n_freed_by, 1);
	assert_int_equal(run.sites[2].after_stamp, SEEP_PHASE_NONE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		LOAD_TEST(each_event_has_its_own_stamps),
		LOAD_TEST(overlap_is_seen_without_the_header),
		LOAD_TEST(stamps_of_early_traces_stay_in_time_order),
		LOAD_TEST(interleaved_events_are_told),
		LOAD_TEST(one_stack_is_one_site),
		LOAD_TEST(growing_blocks_of_one_stack_add_up),
		LOAD_TEST(without_overlap_each_phase_is_a_site),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
