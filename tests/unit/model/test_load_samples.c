/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records to facts: how a run was sampled, and how sure its survivors are. */
#include "load_trace.h"

static void make_events(uint32_t n)
{
	uint32_t i;

	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	for (i = 1; i <= n; i++)
		trace_make_stamp(&trace, SEEP_STAMP_BEGIN, i, i, 0);
}

static void loads_how_sure_survivors_are(void **state)
{
	static const uint64_t bins[] = { 20, 2000, 0, 0, 10, 1000 };
	static const uint64_t sure[] = { 2, 300, 0, 0, 1, 40 };

	(void)state;
	make_events(6);
	trace_make_sampling(&trace, 1000, 0, SEEP_SAMPLING_ASKED);
	trace_make_snapshot_bins(&trace, SEEP_SNAPSHOT_FINAL, 1, 6, 1, 1);
	trace_make_state(&trace, 1, 1, 3, bins);
	trace_make_samples(&trace, 1, 1, 3, sure);
	trace_make_samples(&trace, 2, 1, 3, bins); /* of another snapshot */
	trace_make_snapshot_end(&trace, 1, 1);
	load();
	assert_int_equal(run.sampling.mean_bytes, 1000);
	assert_int_equal(run.sampling.reason, SEEP_SAMPLING_ASKED);
	assert_int_equal(run.sampling.event, SEEP_EVENT_NONE);
	assert_int_equal(run.n_sites, 1);
	assert_int_equal(run.sites[0].cohorts.n_bins, 3);
	assert_int_equal(run.sites[0].cohorts.samples[0], 2);
	assert_int_equal(run.sites[0].cohorts.samples[2], 1);
	assert_int_equal((int)run.sites[0].cohorts.variance[0], 90000);
	assert_int_equal((int)run.sites[0].cohorts.variance[1], 0);
	assert_int_equal((int)run.sites[0].cohorts.variance[2], 1600);
}

/* Time slices come before the program's own events: the bins shift, and so do the errors. */
static void follows_the_bins(void **state)
{
	static const uint64_t bins[] = { 1, 10, 2, 20, 3, 30, 4, 40 };
	static const uint64_t sure[] = { 1, 1, 1, 2, 1, 3, 1, 4 };
	uint32_t i;

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_ATTACHED);
	for (i = 1; i <= 4; i++)
		trace_make_stamp(&trace, (i < 3 ? SEEP_STAMP_TICK : 0) | SEEP_STAMP_BEGIN, i, i, 0);
	trace_make_snapshot_bins(&trace, SEEP_SNAPSHOT_PERIODIC, 1, 4, 1, 1);
	trace_make_state(&trace, 1, 1, 4, bins);
	trace_make_samples(&trace, 1, 1, 4, sure);
	trace_make_snapshot_end(&trace, 1, 1);
	load();
	assert_int_equal(run.sites[0].cohorts.n_bins, 2);
	assert_int_equal(run.sites[0].cohorts.live_blocks[0], 3);
	assert_int_equal((int)run.sites[0].cohorts.variance[0], 9);
	assert_int_equal((int)run.sites[0].cohorts.variance[1], 16);
}

static void the_largest_mean_and_the_first_reason_hold(void **state)
{
	(void)state;
	make_events(6);
	trace_make_sampling(&trace, 8000, 3, SEEP_SAMPLING_CEILING);
	trace_make_sampling(&trace, 32000, 5, SEEP_SAMPLING_CEILING);
	load();
	assert_int_equal(run.sampling.mean_bytes, 32000);
	assert_int_equal(run.sampling.reason, SEEP_SAMPLING_CEILING);
	assert_int_equal(run.sampling.event, 2);
}

static void an_exact_run_has_no_errors(void **state)
{
	(void)state;
	trace_make_sample(&trace);
	load();
	assert_int_equal(run.sampling.mean_bytes, 0);
	assert_null(run.sites[0].cohorts.samples);
	assert_null(run.sites[0].cohorts.variance);
}

/* Samples of sites that the snapshot does not have, and more of them than there are bins. */
static void survives_what_cannot_be(void **state)
{
	static const uint64_t bins[] = { 1, 10 };
	static const uint64_t sure[] = { 1, UINT64_MAX, 2, UINT64_MAX, UINT64_MAX, 3 };

	(void)state;
	make_events(2);
	trace_make_snapshot_bins(&trace, SEEP_SNAPSHOT_FINAL, 1, 2, 1, 1);
	trace_make_state(&trace, 1, 1, 1, bins);
	trace_make_samples(&trace, 1, 1, 3, sure);
	trace_make_samples(&trace, 1, 77, 3, sure);
	trace_make_snapshot_end(&trace, 1, 1);
	load();
	assert_int_equal(run.n_sites, 1);
	assert_int_equal(run.sites[0].cohorts.n_bins, 1);
	assert_true(run.sites[0].cohorts.variance[0] > 1e38);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOAD_TEST(loads_how_sure_survivors_are),
		LOAD_TEST(follows_the_bins),
		LOAD_TEST(the_largest_mean_and_the_first_reason_hold),
		LOAD_TEST(an_exact_run_has_no_errors),
		LOAD_TEST(survives_what_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
