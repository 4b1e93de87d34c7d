/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/site/cohort.h"
#include "analyse/verdict/verdict.h"

#include "fake_life.h"
#include "fake_run.h"
#include "noise.h"

#include <gsl/gsl_cdf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

#define MAX 4000

static double blocks[MAX];

static int start(void **state)
{
	(void)state;
	fake_init(&fake, true);
	memset(blocks, 0, sizeof(blocks));
	return 0;
}

/* After n events, all of them complete. */
static struct seep_cohort judge(const struct seep_site *site, size_t n)
{
	struct seep_cohort_clock clock = { .begun = (int64_t)n, .complete = (int64_t)n };
	struct seep_cohort cohort;

	seep_cohort_judge(&cohort, site, clock);
	return cohort;
}

/* Merges pairs of bins, as the tracker does when a run outgrows them. */
static void merge_bins(struct seep_site *site)
{
	struct seep_cohorts *c = &site->cohorts;
	size_t b, n = (c->n_bins + 1) / 2;

	for (b = 0; b < c->n_bins; b++) {
		uint64_t live_blocks = c->live_blocks[b], live_bytes = c->live_bytes[b];

		c->live_blocks[b] = c->live_bytes[b] = 0;
		c->live_blocks[b / 2] += live_blocks;
		c->live_bytes[b / 2] += live_bytes;
	}
	c->n_bins = n;
	c->events_per_bin *= 2;
}

static void steady_survivors_are_a_leak(void **state)
{
	struct noise noise = noise_seed(1);
	struct seep_site *site;
	struct seep_cohort cohort;
	double mean = 0;
	size_t e, n;

	(void)state;
	for (n = 8; n <= 60; n++) {
		for (e = 0, mean = 0; e < n; e++) {
			blocks[e] = round(1758 + 39 * noise_normal(&noise));
			mean += blocks[e] / (double)n;
		}
		site = fake_site(&fake, n, blocks, 384);
		fake_deaths(site, 0, 1000);
		cohort = judge(site, n);
		assert_int_equal(cohort.verdict, SEEP_SITE_LEAK);
		near(cohort.objects_per_event, mean, 1e-9);
		near(cohort.bytes_per_event.value, 384 * mean, 1e-6);
		assert_true(cohort.bytes_per_event.low > 0);
		assert_true(cohort.bytes_per_event.low <= 384 * mean);
		assert_true(cohort.bytes_per_event.high >= 384 * mean);
		assert_int_equal(cohort.first, 0);
		assert_int_equal(cohort.end, n);
	}
}

/* Where blocks die late, the last cohorts are not final and not counted. */
static void young_cohorts_are_not_averaged(void **state)
{
	struct seep_site *site;
	struct seep_cohort cohort;
	size_t e, n = 50;

	(void)state;
	for (e = 0; e < n; e++)
		blocks[e] = 5;
	blocks[n - 1] = 8;
	site = fake_site(&fake, n, blocks, 100);
	fake_deaths(site, 1, 500);
	cohort = judge(site, n);
	assert_int_equal(cohort.verdict, SEEP_SITE_LEAK);
	assert_int_equal(cohort.first, 5);
	assert_int_equal(cohort.end, n - 3);
	near(cohort.objects_per_event, 5, 1e-9);
}

static void constant_leak_is_exact(void **state)
{
	struct seep_cohort cohort;
	size_t e, n = 10;

	(void)state;
	for (e = 0; e < n; e++)
		blocks[e] = 4;
	cohort = judge(fake_site(&fake, n, blocks, 100), n);
	assert_int_equal(cohort.verdict, SEEP_SITE_LEAK);
	near(cohort.bytes_per_event.value, 400, 1e-9);
	near(cohort.bytes_per_event.low, 400, .2);
	near(cohort.bytes_per_event.high, 400, .2);
}

/* One block per event, and each is larger than the one before: what it has come to counts. */
static void larger_blocks_are_a_faster_leak(void **state)
{
	struct seep_site *site;
	size_t e, n = 100;

	(void)state;
	for (e = 0; e < n; e++)
		blocks[e] = 1;
	site = fake_site(&fake, n, blocks, 100);
	for (e = 0; e < n; e++)
		site->cohorts.live_bytes[e] *= e + 1;
	near(judge(site, n).bytes_per_event.value, 8800, 500);
}

/* The first event leaves 500 blocks more than the others do. */
static void initialisation_is_not_counted(void **state)
{
	struct seep_cohort cohort;
	size_t e, n = 30;

	(void)state;
	for (e = 0; e < n; e++)
		blocks[e] = 4 + (double)(e % 3);
	blocks[0] = 504;
	cohort = judge(fake_site(&fake, n, blocks, 100), n);
	assert_int_equal(cohort.verdict, SEEP_SITE_LEAK);
	assert_int_equal(cohort.first, 1);
	assert_true(cohort.objects_per_event < 6);
	for (e = 1; e < n; e++)
		blocks[e] = 0;
	cohort = judge(fake_site(&fake, n, blocks, 100), n);
	assert_int_equal(cohort.verdict, SEEP_SITE_NONE);
	assert_true(cohort.bytes_per_event.value == 0);
	assert_false(cohort.immature);
}

static void too_few_events_say_nothing(void **state)
{
	struct seep_cohort cohort;
	size_t e, n;

	(void)state;
	for (e = 0; e < 20; e++)
		blocks[e] = 7;
	for (n = 0; n < 6; n++) {
		cohort = judge(fake_site(&fake, n, blocks, 100), n);
		assert_int_equal(cohort.verdict, SEEP_SITE_NONE);
		assert_true(cohort.immature);
		assert_int_equal(cohort.events_needed, 6);
	}
	cohort = judge(fake_site(&fake, 6, blocks, 100), 6);
	assert_int_equal(cohort.verdict, SEEP_SITE_LEAK);
}

static void long_lives_need_more_events(void **state)
{
	struct seep_site *site;
	size_t e, n = 20;

	(void)state;
	for (e = 0; e < n; e++)
		blocks[e] = 7;
	site = fake_site(&fake, n, blocks, 100);
	fake_deaths(site, 9, 100); /* 99 % die below 16: mature at ceil(1.5 * 15) + 1 */
	assert_int_equal(seep_cohort_mature_age(site), 24);
	assert_true(judge(site, n).immature);
	fake_deaths(site, 0, 20000);
	assert_int_equal(seep_cohort_mature_age(site), 2);
	fake_deaths(site, 1, 20000);
	assert_int_equal(seep_cohort_mature_age(site), 3);
	fake_deaths(site, 2, 20000);
	assert_int_equal(seep_cohort_mature_age(site), 6);
}

/* A cache that holds the last 12 events. */
static void eviction_is_no_leak(void **state)
{
	struct seep_site *site;
	struct seep_cohort cohort;
	size_t e, n = 100;

	(void)state;
	for (e = n - 12; e < n; e++)
		blocks[e] = 7;
	site = fake_site(&fake, n, blocks, 100);
	fake_deaths(site, 12, 7 * (n - 12));
	cohort = judge(site, n);
	assert_int_equal(cohort.verdict, SEEP_SITE_NONE);
	assert_int_equal(cohort.surviving, 0);
	assert_true(cohort.bytes_per_event.high > 0); /* the bound */
}

static void slow_deaths_are_draining(void **state)
{
	struct seep_site *site;
	size_t e, n = 60;

	(void)state;
	for (e = 0; e < n; e++)
		blocks[e] = floor(100 * exp(-((double)(n - e) / 12)));
	site = fake_site(&fake, n, blocks, 100);
	fake_deaths(site, 0, 200000); /* most die at once, so the slow ones are not in q99 */
	fake_deaths(site, 12, 1900);
	assert_int_equal(judge(site, n).verdict, SEEP_SITE_DRAINING);
}

/*
 * Of 200 blocks an event 199 die in it, one lives for 100 events in the mean: too few
 * to count among the lifetimes, and always a few of them are left.
 */
static void few_long_lives_are_no_leak(void **state)
{
	struct noise noise = noise_seed(5);
	static uint64_t deaths[2500];
	size_t e, n = 2500, trial, leaks = 0, merges;

	(void)state;
	for (trial = 0; trial < 40; trial++) {
		struct seep_site *site;

		memset(deaths, 0, sizeof(deaths));
		deaths[0] = 199 * n;
		for (e = 0; e < n; e++) {
			double age = floor(-100 * log(noise_uniform(&noise)));

			blocks[e] = (double)e + age >= (double)n;
			if (blocks[e] == 0)
				deaths[(size_t)age]++;
		}
		site = fake_site(&fake, n, blocks, 100);
		for (e = 0; e < n; e++)
			fake_deaths(site, e, deaths[e]);
		for (merges = 0; merges < 6; merges++)
			merge_bins(site);
		leaks += judge(site, n).verdict == SEEP_SITE_LEAK;
	}
	assert_int_equal(leaks, 0);
}

static void late_leak_is_not_draining(void **state)
{
	struct seep_cohort cohort;
	size_t e, n = 100;

	(void)state;
	for (e = 60; e < n; e++)
		blocks[e] = 7;
	cohort = judge(fake_site(&fake, n, blocks, 100), n);
	assert_int_equal(cohort.verdict, SEEP_SITE_LEAK);
	near(cohort.bytes_per_event.value, 700, 1e-9);
	assert_int_equal(cohort.first, 60);
}

static void pool_is_filling(void **state)
{
	struct seep_site *site;
	size_t e, n = 60;

	(void)state;
	for (e = 0; e < n; e++)
		blocks[e] = round(100 * exp(-(double)e / 15));
	site = fake_site(&fake, n, blocks, 64);
	assert_int_equal(judge(site, n).verdict, SEEP_SITE_FILLING);
	fake_deaths(site, 0, 10);
	assert_int_equal(judge(site, n).verdict, SEEP_SITE_FILLING);
}

/* Births fall by a fifth and nothing dies: a cache that meets fewer new keys. */
static void falling_births_are_filling(void **state)
{
	struct seep_site *site;
	size_t e, n = 60;

	(void)state;
	for (e = 0; e < n; e++)
		blocks[e] = 1000 - 4 * (double)e;
	site = fake_site(&fake, n, blocks, 64);
	assert_int_equal(judge(site, n).verdict, SEEP_SITE_FILLING);
	fake_deaths(site, 0, 1);
	assert_int_equal(judge(site, n).verdict, SEEP_SITE_LEAK);
}

static void rare_survivors(void **state)
{
	struct seep_cohort cohort;
	size_t e, n = 100;

	(void)state;
	blocks[30] = blocks[70] = 1;
	assert_int_equal(judge(fake_site(&fake, n, blocks, 64), n).verdict, SEEP_SITE_NONE);
	blocks[50] = 1;
	cohort = judge(fake_site(&fake, n, blocks, 64), n);
	assert_int_equal(cohort.verdict, SEEP_SITE_SUSPECT);
	assert_true(cohort.events_needed > 100);
	for (e = 5; e < n; e += 10)
		blocks[e] = 1;
	cohort = judge(fake_site(&fake, n, blocks, 64), n);
	assert_int_equal(cohort.verdict, SEEP_SITE_LEAK);
	/* Garwood with 13 cohorts */
	near(cohort.bytes_per_event.low / cohort.bytes_per_event.value, .5325, .001);
	near(cohort.bytes_per_event.high / cohort.bytes_per_event.value, 1.7100, .001);
}

/* Every event leaves something, but very different amounts: still above 0. */
static void lopsided_leak_is_above_zero(void **state)
{
	static const double kept[] = { 1, 400, 2, 1, 90, 1, 3, 1, 2, 1 };
	struct seep_cohort cohort = judge(fake_site(&fake, 10, kept, 64), 10);

	(void)state;
	assert_int_equal(cohort.verdict, SEEP_SITE_LEAK);
	assert_true(cohort.bytes_per_event.low > 0);
	assert_true(cohort.bytes_per_event.high > cohort.bytes_per_event.value);
}

static void bins_of_many_events(void **state)
{
	struct seep_site *site;
	struct seep_cohort cohort;
	double mean = 0;
	size_t e, n = 203;

	(void)state;
	for (e = 0; e < n; e++) {
		blocks[e] = 10 + (double)(e % 4);
		mean += blocks[e] / (double)n;
	}
	site = fake_site(&fake, n, blocks, 48);
	merge_bins(site);
	merge_bins(site);
	assert_int_equal(site->cohorts.n_bins, 51); /* the last holds three events */
	cohort = judge(site, n);
	assert_int_equal(cohort.verdict, SEEP_SITE_LEAK);
	near(cohort.objects_per_event, mean, 1e-9);
	near(cohort.bytes_per_event.value, 48 * mean, 1e-9);
	assert_int_equal(cohort.end, n);
}

/* An event in progress at the snapshot holds blocks that will still be freed. */
static void event_in_progress_is_left_out(void **state)
{
	struct seep_cohort_clock clock = { .begun = 11, .complete = 10 };
	struct seep_site *site;
	struct seep_cohort cohort;
	size_t e;

	(void)state;
	for (e = 0; e < 10; e++)
		blocks[e] = 3;
	blocks[10] = 5;
	site = fake_site(&fake, 11, blocks, 48);
	seep_cohort_judge(&cohort, site, clock);
	assert_int_equal(cohort.verdict, SEEP_SITE_LEAK);
	assert_int_equal(cohort.end, 10);
	near(cohort.objects_per_event, 3, 1e-9);
	merge_bins(site); /* 0-1 2-3 ... 8-9 10-: the last bin is left out as a whole */
	seep_cohort_judge(&cohort, site, clock);
	assert_int_equal(cohort.end, 10);
	near(cohort.objects_per_event, 3, 1e-9);
	/* now the last bin holds a complete one */
	clock = (struct seep_cohort_clock){ .begun = 12, .complete = 11 };
	seep_cohort_judge(&cohort, site, clock);
	assert_int_equal(cohort.end, 10);
}

/* A site whose bins cover a part of a long run only. */
static void site_of_a_part_of_the_run(void **state)
{
	struct seep_site *site;
	size_t e;

	(void)state;
	for (e = 0; e < 40; e++)
		blocks[e] = 3;
	site = fake_site(&fake, 40, blocks, 48);
	assert_int_equal(judge(site, 1000000).verdict, SEEP_SITE_NONE); /* initialisation */
	assert_false(judge(site, 1000000).immature);
	site->cohorts.first_event = 60;
	assert_int_equal(judge(site, 100).verdict, SEEP_SITE_LEAK); /* began late */
	assert_int_equal(judge(site, 100).first, 60);
	site->cohorts.first_event = 4000000000;
	assert_int_equal(judge(site, 100).verdict, SEEP_SITE_NONE); /* damaged */
	site->cohorts.n_bins = 0;
	site->cohorts.events_per_bin = 0;
	assert_int_equal(judge(site, 100).verdict, SEEP_SITE_NONE);
}

static void clock_knows_complete_events(void **state)
{
	struct seep_cohort_clock clock;

	(void)state;
	clock = seep_cohort_read_clock(&fake.run);
	assert_true(clock.begun == 0 && clock.complete == 0);
	fake_begin(&fake, 1, 1);
	fake_end(&fake, 1, 1);
	fake_begin(&fake, 1, 1);
	fake_snapshot(&fake);
	clock = seep_cohort_read_clock(&fake.run);
	assert_true(clock.begun == 2 && clock.complete == 1);
	fake_end(&fake, 1, 1);
	clock = seep_cohort_read_clock(&fake.run);
	assert_true(clock.begun == 2 && clock.complete == 1); /* the end came later */
	fake_snapshot(&fake);
	clock = seep_cohort_read_clock(&fake.run);
	assert_true(clock.begun == 2 && clock.complete == 2);
	fake.run.snapshot_event = 99; /* damaged */
	assert_true(seep_cohort_read_clock(&fake.run).begun == 2);
}

static size_t count_leaks(const struct life *life, size_t n, size_t runs)
{
	size_t run, leaks = 0;

	for (run = 1; run <= runs; run++) {
		struct noise noise = noise_seed(run);

		leaks += judge(fake_life(&fake, life, n, &noise), n).verdict == SEEP_SITE_LEAK;
	}
	return leaks;
}

/* 200 sites per kind and length, seeds 1 to 200. */
static void error_rates(void **state)
{
	size_t k;

	(void)state;
	for (k = 0; k < N_LIVES; k++)
		if (lives[k].leak > 0) {
			assert_in_range(count_leaks(&lives[k], 100, 200), 190, 200);
			assert_in_range(count_leaks(&lives[k], 300, 200), 196, 200);
		} else {
			assert_in_range(count_leaks(&lives[k], 100, 200), 0, 2);
			assert_in_range(count_leaks(&lives[k], 300, 200), 0, 2);
		}
}

/* GSL calls abort() where its inversion does not converge: it does, over all we ask. */
static void chi_square_can_be_inverted(void **state)
{
	double count;

	(void)state;
	for (count = 1; count < 200; count += .01) {
		near(gsl_cdf_chisq_P(gsl_cdf_chisq_Pinv(.025, 2 * count), 2 * count), .025, 1e-6);
		near(gsl_cdf_chisq_P(gsl_cdf_chisq_Pinv(.975, 2 * count + 2), 2 * count + 2), .975,
		     1e-6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(steady_survivors_are_a_leak, start, tear_down),
		cmocka_unit_test_setup_teardown(young_cohorts_are_not_averaged, start, tear_down),
		cmocka_unit_test_setup_teardown(constant_leak_is_exact, start, tear_down),
		cmocka_unit_test_setup_teardown(larger_blocks_are_a_faster_leak, start, tear_down),
		cmocka_unit_test_setup_teardown(initialisation_is_not_counted, start, tear_down),
		cmocka_unit_test_setup_teardown(too_few_events_say_nothing, start, tear_down),
		cmocka_unit_test_setup_teardown(long_lives_need_more_events, start, tear_down),
		cmocka_unit_test_setup_teardown(eviction_is_no_leak, start, tear_down),
		cmocka_unit_test_setup_teardown(slow_deaths_are_draining, start, tear_down),
		cmocka_unit_test_setup_teardown(few_long_lives_are_no_leak, start, tear_down),
		cmocka_unit_test_setup_teardown(late_leak_is_not_draining, start, tear_down),
		cmocka_unit_test_setup_teardown(pool_is_filling, start, tear_down),
		cmocka_unit_test_setup_teardown(falling_births_are_filling, start, tear_down),
		cmocka_unit_test_setup_teardown(rare_survivors, start, tear_down),
		cmocka_unit_test_setup_teardown(lopsided_leak_is_above_zero, start, tear_down),
		cmocka_unit_test_setup_teardown(bins_of_many_events, start, tear_down),
		cmocka_unit_test_setup_teardown(event_in_progress_is_left_out, start, tear_down),
		cmocka_unit_test_setup_teardown(site_of_a_part_of_the_run, start, tear_down),
		cmocka_unit_test_setup_teardown(clock_knows_complete_events, start, tear_down),
		cmocka_unit_test_setup_teardown(error_rates, start, tear_down),
		cmocka_unit_test_setup_teardown(chi_square_can_be_inverted, start, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
