/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records to facts: blocks that grew. */
#include "load_trace.h"

static void make_events(uint32_t n, uint16_t flags)
{
	uint32_t i;

	for (i = 1; i <= n; i++)
		trace_make_stamp(&trace, flags | SEEP_STAMP_BEGIN, i, i, 0);
}

static void make_snapshot(uint64_t ordinal, uint16_t flags)
{
	static const uint64_t bins[] = { 1, 400 };

	trace_make_snapshot_bins(&trace, flags, ordinal, 6, 1, 1);
	trace_make_state(&trace, ordinal, 1, 1, bins);
	trace_make_state(&trace, ordinal, 2, 1, bins);
}

static void loads_what_grew(void **state)
{
	const struct seep_moves *moves;

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	make_events(6, 0);
	make_snapshot(1, SEEP_SNAPSHOT_FINAL);
	trace_make_moves(&trace, 1, 1, 3);
	trace_make_moves(&trace, 2, 2, 3); /* of another snapshot */
	trace_make_snapshot_end(&trace, 1, 2);
	load();
	assert_int_equal(run.damaged, 0);
	assert_int_equal(run.n_sites, 2);
	assert_null(run.sites[1].moves);
	moves = run.sites[0].moves;
	assert_non_null(moves);
	assert_int_equal(moves->chains, 1);
	assert_int_equal(moves->growths, 2);
	assert_int_equal(moves->moves, 2);
	assert_int_equal(moves->replaced, 1);
	assert_int_equal(moves->copied_bytes, 300);
	assert_int_equal(moves->unit_bytes, 100);
	assert_int_equal(moves->first_bytes, 100);
	assert_int_equal(moves->grown_bytes, 300);
	assert_int_equal(moves->largest_bytes, 400);
	assert_int_equal(moves->last_event, 2);
	assert_int_equal(moves->live_chains, 1);
	assert_int_equal(moves->live_bytes, 400);
	assert_int_equal(moves->bins[7].firsts, 1);
	assert_int_equal(moves->bins[8].largest_bytes, 200);
	assert_int_equal(moves->bins[8].finals, 0);
	assert_int_equal(moves->bins[9].finals, 1);
	assert_int_equal(moves->bins[9].final_bytes, 400);
	assert_int_equal(moves->bins[9].growths, 1);
	assert_int_equal(moves->bins[9].moves, 1);
	assert_int_equal(moves->bins[9].copied_bytes, 200);
	assert_int_equal(moves->first_event, -1);
	assert_int_equal(moves->events_per_peak, 2);
	assert_int_equal(moves->n_peaks, 2);
	assert_int_equal(moves->peaks[1], 400);
}

/* The program's own events come behind two time slices, which do not count. */
static void numbers_events_as_the_run_does(void **state)
{
	uint32_t i;

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	for (i = 1; i <= 6; i++)
		trace_make_stamp(&trace, (i < 3 ? SEEP_STAMP_TICK : 0) | SEEP_STAMP_BEGIN, i, i, 0);
	make_snapshot(1, SEEP_SNAPSHOT_FINAL);
	trace_make_moves(&trace, 1, 1, 3);
	trace_make_moves(&trace, 1, 2, 2);
	trace_make_snapshot_end(&trace, 1, 2);
	load();
	assert_int_equal(run.sites[0].moves->last_event, 0);
	assert_int_equal(run.sites[0].moves->first_event, -3);
	assert_int_equal(run.sites[1].moves->last_event, SEEP_EVENT_NONE);
}

/* What cannot be: more events than there were, bins and peaks beyond the last. */
static void survives_what_cannot_be(void **state)
{
	struct trace_make_pack pack = { .n = 0 };
	uint64_t wrong[] = { 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 30, 7 };
	size_t i;

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	make_events(3, 0);
	make_snapshot(1, SEEP_SNAPSHOT_FINAL);
	trace_make_put_moves(&pack, 77, 2);      /* a site that there is not */
	trace_make_put_moves(&pack, 1, UINT32_MAX);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		trace_make_put(&pack, wrong[i]);
	pack.count++;
	trace_make_put_moves(&pack, 2, 2);       /* lost with the one before it */
	trace_make_packed(&trace, SEEP_REC_SITE_MOVES, 1, &pack);
	trace_make_snapshot_end(&trace, 1, 2);
	load();
	assert_int_equal(run.damaged, 1);
	assert_int_equal(run.sites[0].moves->last_event, 2);
	assert_null(run.sites[1].moves);
}

/* Before a clean-up: the sites are as they were then, and so is what grew. */
static void is_of_the_moment_that_is_judged(void **state)
{
	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	make_events(6, SEEP_STAMP_HEAP);
	trace_make_stamp(&trace, SEEP_STAMP_HEAP, 1000000, 6, 0);
	make_snapshot(1, SEEP_SNAPSHOT_PERIODIC);
	trace_make_moves(&trace, 1, 1, 3);
	trace_make_snapshot_end(&trace, 1, 2);
	make_snapshot(2, SEEP_SNAPSHOT_FINAL);
	trace_make_moves(&trace, 2, 1, 6);
	trace_make_moves(&trace, 2, 2, 6);
	trace_make_snapshot_end(&trace, 2, 2);
	load();
	assert_true(run.cleaned_up);
	assert_int_equal(run.sites[0].moves->last_event, 2);
	assert_null(run.sites[1].moves);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOAD_TEST(loads_what_grew),
		LOAD_TEST(numbers_events_as_the_run_does),
		LOAD_TEST(survives_what_cannot_be),
		LOAD_TEST(is_of_the_moment_that_is_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
