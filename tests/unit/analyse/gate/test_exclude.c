/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/gate/exclude.h"
#include "analyse/judge.h"

#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "fake_test.h"

#define N 200

static double large[N], small[N];
static bool left_out[2];
static struct seep_run rest;
static struct seep_verdict verdict;

/* A site that keeps about 5 blocks of 400 kB per event, and one that keeps blocks of 100 B. */
static void make_run(double small_blocks)
{
	struct noise noise = { 7 };
	double level = 1e6;

	for (size_t e = 0; e < N; e++) {
		large[e] = floor(10 * noise_uniform(&noise));
		small[e] = small_blocks;
		fake_begin(&fake, (int64_t)level, (int64_t)level + 50000000);
		level += large[e] * 4e5 + small[e] * 100;
		fake_end(&fake, (int64_t)level, (int64_t)level + 50000000);
	}
	fake_site(&fake, N, large, 4e5);
	fake_site(&fake, N, small, 100);
	fake_snapshot(&fake);
	fake.run.last_ended = true;
}

static void judge_without(bool first, bool second)
{
	left_out[0] = first;
	left_out[1] = second;
	seep_exclude_sites(&rest, &fake.run, left_out, false, &fake.arena);
	seep_judge(&verdict, &rest, NULL, &fake.arena);
}

/* The noise of the large site goes with it: what is left is known to the byte. */
static void test_small_one_is_left(void **state)
{
	(void)state;
	make_run(3);
	judge_without(true, false);
	expect_kind(&verdict, SEEP_KIND_LEAK);
	near(verdict.bytes_per_event.value, 300, .01);
	near(verdict.bytes_per_event.low, 300, 1);
	near(verdict.bytes_per_event.high, 300, 1);
	assert_int_equal(verdict.n_sites, 1);
}

static void test_nothing_is_left(void **state)
{
	(void)state;
	make_run(3);
	judge_without(true, true);
	expect_kind(&verdict, SEEP_KIND_FLAT);
	near(verdict.bytes_per_event.high, 0, 1e-6);
	assert_int_equal(verdict.n_sites, 0);
}

static void test_the_large_one_is_left(void **state)
{
	struct seep_verdict before;

	(void)state;
	make_run(3);
	seep_judge(&before, &fake.run, NULL, &fake.arena);
	judge_without(false, true);
	expect_kind(&verdict, SEEP_KIND_LEAK);
	near(before.bytes_per_event.value - verdict.bytes_per_event.value, 300, 1);
}

static void widen_bins(struct seep_cohorts *cohorts, size_t width)
{
	for (size_t e = 0; e < N; e++) {
		uint64_t bytes = cohorts->live_bytes[e], blocks = cohorts->live_blocks[e];

		cohorts->live_bytes[e] = cohorts->live_blocks[e] = 0;
		cohorts->live_bytes[e / width] += bytes;
		cohorts->live_blocks[e / width] += blocks;
	}
	cohorts->events_per_bin = (int64_t)width;
	cohorts->n_bins = (N + width - 1) / width;
}

/* The last bin is not full. */
static void test_wide_bins_that_are_alike(void **state)
{
	(void)state;
	make_run(4);
	widen_bins(&fake.run.sites[1].cohorts, 7);
	judge_without(true, true);
	expect_kind(&verdict, SEEP_KIND_FLAT);
	near(verdict.bytes_per_event.high, 0, 1);
	assert_int_equal(verdict.events_used, N - 1);
}

/* The values between the borders of bins are needed, unless all bins are alike and in step. */
static void test_how_many_values_are_left(void **state)
{
	struct seep_cohorts *cohorts;

	(void)state;
	make_run(4);
	cohorts = &fake.run.sites[1].cohorts;
	widen_bins(cohorts, 16); /* alike, but for the last, which is not full */
	judge_without(false, true);
	assert_int_equal(rest.stride, fake.run.stride);
	cohorts = &fake.run.sites[0].cohorts;
	widen_bins(cohorts, 8);
	judge_without(true, false);
	assert_int_equal(rest.stride, 8);
	cohorts->first_event += 4; /* no border is at a multiple of 8 */
	judge_without(true, false);
	assert_int_equal(rest.stride, fake.run.stride);
}

/* Nobody knows what was born in which event of a bin, but at its borders all is known. */
static void test_wide_bins_that_differ(void **state)
{
	(void)state;
	make_run(3);
	widen_bins(&fake.run.sites[0].cohorts, 8);
	widen_bins(&fake.run.sites[1].cohorts, 8);
	judge_without(true, false);
	expect_kind(&verdict, SEEP_KIND_LEAK);
	near(verdict.bytes_per_event.value, 300, .01);
	near(verdict.bytes_per_event.low, 300, 1);
	near(verdict.bytes_per_event.high, 300, 1);
	judge_without(true, true);
	expect_kind(&verdict, SEEP_KIND_FLAT);
	near(verdict.bytes_per_event.high, 0, 1);
}

static void test_the_run_is_as_it_was(void **state)
{
	int64_t last;

	(void)state;
	make_run(3);
	last = fake.run.stamps[fake.run.n_stamps - 1].live_bytes;
	fake.run.sites[0].cohorts.early_bytes = 400000;
	judge_without(true, true);
	assert_int_equal(fake.run.n_sites, 2);
	assert_true(fake.run.stamps[0].flags & SEEP_STAMP_RSS);
	assert_int_equal(fake.run.stamps[fake.run.n_stamps - 1].live_bytes, last);
	assert_int_equal(rest.stamps[rest.n_stamps - 1].live_bytes, 600000);
	assert_false(rest.stamps[0].flags & SEEP_STAMP_RSS);
}

#define WITHOUT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITHOUT_TEST(test_small_one_is_left),
		WITHOUT_TEST(test_nothing_is_left),
		WITHOUT_TEST(test_the_large_one_is_left),
		WITHOUT_TEST(test_wide_bins_that_are_alike),
		WITHOUT_TEST(test_wide_bins_that_differ),
		WITHOUT_TEST(test_how_many_values_are_left),
		WITHOUT_TEST(test_the_run_is_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
