/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that begin to count their events anew: growth between the restarts. */
#include "analyse/series/trend.h"

#include "fake_run.h"
#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

#define PART 25
#define PARTS 4
#define N (PART * PARTS)
#define DOUBT .025

static struct seep_trend trend;
static double y[N];
static int64_t index_of[N];

static void find(size_t n)
{
	struct seep_series series;
	struct seep_rate rate;
	size_t e;

	fake_release(&fake);
	fake_init(&fake, true);
	for (e = 0; e < n; e++) {
		fake_begin(&fake, (int64_t)round(y[e]), 0);
		fake.run.events[e].index = index_of[e];
	}
	seep_series_build(&series, &fake.run, SEEP_SERIES_HEAP, &fake.arena);
	seep_rate_estimate(&rate, &series);
	seep_trend_find(&trend, &series, &rate, DOUBT, &fake.arena);
}

static bool holds(double bytes)
{
	return trend.bytes_per_event.known && trend.bytes_per_event.low <= bytes &&
	       trend.bytes_per_event.high >= bytes;
}

/* Parts of 25 events, each from a level of its own and with a slope of its own. */
static void make_parts(enum colour colour, uint64_t seed, const double *slopes)
{
	struct noise noise = noise_seed(seed);
	size_t k, i;

	for (k = 0; k < PARTS; k++) {
		double level = 1e8 + 3e7 * noise_uniform(&noise);

		noise_fill(&noise, colour, y + k * PART, PART);
		for (i = 0; i < PART; i++) {
			y[k * PART + i] = level + 1e4 * y[k * PART + i] + slopes[k] * (double)i;
			index_of[k * PART + i] = (int64_t)i;
		}
	}
}

/* The interval of 95 % holds the truth in at least 90 % of 70 runs of each noise. */
static void parts_that_grow_alike_are_pooled(void **state)
{
	static const enum colour colours[] = { WHITE, AR9, WALK };
	static const double slopes[PARTS] = { 5e4, 5e4, 5e4, 5e4 };
	size_t k, seed;

	(void)state;
	for (k = 0; k < 3; k++) {
		size_t covered = 0, unlike = 0;

		for (seed = 1; seed <= 70; seed++) {
			make_parts(colours[k], seed, slopes);
			find(N);
			assert_int_equal(trend.told_by, SEEP_TOLD_BY_RESTARTS);
			assert_int_equal(trend.parts, PARTS);
			assert_int_equal(trend.course, SEEP_COURSE_GROWS);
			covered += holds(5e4);
			unlike += trend.unlike;
		}
		assert_in_range(covered, 63, 70);
		assert_in_range(unlike, 0, 8); /* 1 % is asked for */
	}
}

/* Restarts at ever higher levels are no growth of the parts; false alarms are at most 5 %. */
static void parts_that_rest_do_not_grow(void **state)
{
	static const enum colour colours[] = { WHITE, AR9, WALK };
	static const double slopes[PARTS] = { 0 };
	size_t k, seed, i;

	(void)state;
	for (k = 0; k < 3; k++) {
		size_t grows = 0, covered = 0;

		for (seed = 1; seed <= 70; seed++) {
			make_parts(colours[k], seed, slopes);
			for (i = 0; i < N; i++)
				y[i] += 1e8 * (double)(i / PART);
			find(N);
			assert_int_equal(trend.parts, PARTS);
			grows += trend.course == SEEP_COURSE_GROWS;
			covered += holds(0);
		}
		assert_in_range(grows, 0, 4);
		assert_in_range(covered, 63, 70);
	}
}

/* One part is clean: that is said, and the interval has room for what may come. */
static void parts_that_differ_are_told(void **state)
{
	static const double slopes[PARTS] = { 5e4, 5e4, 0, 5e4 };
	size_t seed, covered = 0;

	(void)state;
	for (seed = 1; seed <= 60; seed++) {
		make_parts(WHITE, seed, slopes);
		find(N);
		assert_int_equal(trend.parts, PARTS);
		assert_true(trend.unlike);
		assert_true(trend.bytes_per_event.high - trend.bytes_per_event.low > 10000);
		covered += holds(37500);
	}
	assert_in_range(covered, 54, 60);
}

/* Without any noise the parts are not certain beyond reason. */
static void exact_parts_are_pooled(void **state)
{
	static const double slopes[PARTS] = { 5e4, 5e4, 5e4, 5e4 };
	size_t i, n;

	(void)state;
	for (n = 0; n <= N; n += 3) {
		make_parts(WHITE, 1, slopes);
		for (i = 0; i < N; i++)
			y[i] = 1e8 + 5e4 * (double)(i % PART);
		find(n);
		assert_true(isfinite(trend.bytes_per_event.low));
		assert_true(isfinite(trend.bytes_per_event.high));
		if (n >= PART + 5) {
			assert_int_equal(trend.told_by, SEEP_TOLD_BY_RESTARTS);
			assert_int_equal(trend.parts, (n + PART - 5) / PART);
			assert_int_equal(trend.course, SEEP_COURSE_GROWS);
			near(trend.bytes_per_event.value, 5e4, 1);
		} else {
			assert_int_equal(trend.parts, 1);
		}
	}
}

/* Numbers that are no count: all equal, by chance, downwards, as large as they can be. */
static void any_numbers_are_no_restarts(void **state)
{
	static const double slopes[PARTS] = { 5e4, 5e4, 5e4, 5e4 };
	struct noise noise = noise_seed(9);
	struct seep_trend plain;
	size_t i;
	int k;

	(void)state;
	for (k = 0; k < 7; k++) {
		make_parts(WHITE, 2, slopes);
		for (i = 0; i < N; i++) {
			y[i] = 1e8 + 5e4 * (double)i + 1e4 * (double)(i * 7 % 5);
			index_of[i] = k == 0 ? (int64_t)i : k == 1 ? 0 : k == 2 ? -3 :
				k == 3 ? (int64_t)(1e15 * noise_uniform(&noise)) :
				k == 4 ? -(int64_t)i : k == 5 ? (int64_t)(i % 2) :
				(int64_t)(i % 7);
		}
		find(N);
		if (!k)
			plain = trend;
		assert_int_equal(trend.parts, 1);
		assert_int_equal(trend.course, SEEP_COURSE_GROWS);
		assert_true(trend.told_by == plain.told_by);
		near(trend.bytes_per_event.value, plain.bytes_per_event.value, 0);
		near(trend.bytes_per_event.low, plain.bytes_per_event.low, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(parts_that_grow_alike_are_pooled, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(parts_that_rest_do_not_grow, set_up, tear_down),
		cmocka_unit_test_setup_teardown(parts_that_differ_are_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(exact_parts_are_pooled, set_up, tear_down),
		cmocka_unit_test_setup_teardown(any_numbers_are_no_restarts, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
