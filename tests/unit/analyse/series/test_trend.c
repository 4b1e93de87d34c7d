/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/series/trend.h"

#include "fake_run.h"
#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

#define MAX 400
#define MB 1e6
#define DOUBT .025

static struct seep_series series;
static struct seep_rate rate;
static struct seep_trend trend;
static double y[MAX];

/* Puts the levels into a run; the program calls its events what index says, if anything. */
static void make_run(size_t n, const int64_t *index)
{
	size_t e;

	fake_release(&fake);
	fake_init(&fake, true);
	for (e = 0; e < n; e++) {
		fake_begin(&fake, (int64_t)round(y[e]), 0);
		if (index)
			fake.run.events[e].index = index[e];
	}
}

static void find_numbered(size_t n, const int64_t *index)
{
	make_run(n, index);
	seep_series_build(&series, &fake.run, SEEP_SERIES_HEAP, &fake.arena);
	seep_rate_estimate(&rate, &series);
	seep_trend_find(&trend, &series, &rate, DOUBT, &fake.arena);
}

static void find(size_t n)
{
	find_numbered(n, NULL);
}

static bool holds(double bytes)
{
	const struct seep_estimate *e = &trend.bytes_per_event;

	return e->known && e->low <= bytes && e->high >= bytes;
}

static void expect(enum seep_course course)
{
	if (trend.course != course)
		fail_msg("course %d, not %d: shape %d, %g (%g to %g), tolerance %g", trend.course,
			 course, trend.fit.shape, trend.bytes_per_event.value,
			 trend.bytes_per_event.low, trend.bytes_per_event.high, trend.tolerance);
}

static void expect_numbers(void)
{
	const struct seep_estimate *e = &trend.bytes_per_event;

	assert_true(isfinite(e->value) && isfinite(e->low) && isfinite(e->high));
	assert_true(isfinite(trend.rise) && isfinite(trend.needed) && trend.needed >= 0);
	assert_true(isfinite(trend.tolerance) && !isnan(trend.p_plus));
}

/* Noise of 1 MB around 1 GB, on a slope. */
static void make_line(enum colour colour, uint64_t seed, double slope, size_t n)
{
	struct noise noise = noise_seed(seed);
	size_t i;

	noise_fill(&noise, colour, y, n);
	for (i = 0; i < n; i++)
		y[i] = 1e9 + MB * y[i] + slope * (double)i;
}

/*
 * 60 events, 36 runs of each noise.  Without growth at most 2.5 % should be called growth,
 * where it is sure of the noise; walks seen through noise had 4 % of 300.  What is
 * open says how many events it would take, and all that is flat is below its bound.
 */
static void what_does_not_grow_is_flat_or_open(void **state)
{
	static const enum colour colours[] = { WHITE, AR9, WALK, WALK_WHITE };
	size_t k, seed, grows = 0, covered = 0, flat[4] = { 0 }, runs = 0;

	(void)state;
	for (k = 0; k < 4; k++)
		for (seed = 1; seed <= 36; seed++, runs++) {
			make_line(colours[k], seed, 0, 60);
			find(60);
			grows += trend.course == SEEP_COURSE_GROWS;
			flat[k] += trend.course == SEEP_COURSE_FLAT;
			covered += holds(0);
			if (trend.course == SEEP_COURSE_OPEN)
				assert_true(trend.needed >= 60 && isfinite(trend.needed));
			else
				near(trend.needed, 0, 0);
			if (trend.course == SEEP_COURSE_FLAT)
				assert_true(trend.bytes_per_event.high < trend.tolerance);
		}
	assert_int_equal(flat[0], 36);
	assert_in_range(grows, 0, 9);
	assert_in_range(covered, 128, runs);
}

/* 300 kB per event, twice what is tolerated: never flat, and its interval holds it. */
static void growth_is_never_flat(void **state)
{
	static const enum colour colours[] = { WHITE, AR9, WALK, WALK_WHITE };
	size_t k, seed, covered = 0, grows[4] = { 0 }, flat = 0, runs = 0;

	(void)state;
	for (k = 0; k < 4; k++)
		for (seed = 1; seed <= 36; seed++, runs++) {
			make_line(colours[k], seed, 3e5, 60);
			find(60);
			flat += trend.course == SEEP_COURSE_FLAT;
			grows[k] += trend.course == SEEP_COURSE_GROWS;
			covered += holds(3e5);
		}
	assert_int_equal(grows[0], 36);
	assert_in_range(grows[1], 8, 36);
	assert_in_range(grows[2], 8, 36);
	assert_in_range(flat, 0, 5); /* 2 of 300 */
	assert_in_range(covered, 128, runs);
}

/* Exact as a heap is, or through noise; a 20th to a fifth of the run take 63 %. */
static void a_rise_that_ends_levels_off(void **state)
{
	static const double taus[] = { 6, 9, 13, 15, 20, 25, 32, 40 };
	size_t i, k, n = 120;
	int noisy;

	(void)state;
	for (noisy = 0; noisy < 2; noisy++)
		for (k = 0; k < (noisy ? 6 : 8); k++) {
			make_line(WHITE, k, 0, n);
			for (i = 0; i < n; i++)
				y[i] = (noisy ? y[i] : 1e9) -
				       100 * MB * expm1(-(double)i / taus[k]);
			find(n);
			expect(SEEP_COURSE_LEVELS_OFF);
			near(trend.rise, 100 * MB, 25 * MB);
			near(trend.needed, 0, 0);
		}
}

/* 800 MB in the first events, straight or ever slower, and from there on as it says. */
static void make_set_up(uint64_t seed, bool straight, double ends, double slope, size_t n)
{
	size_t i;

	make_line(WHITE, seed, slope, n);
	for (i = 0; i < n; i++)
		y[i] += 800 * MB * (straight ? fmin((double)i / ends, 1)
					     : -expm1(-3 * (double)i / ends));
}

/* A job that loads its data and then leaks a thousandth of that with each event. */
static void a_leak_behind_a_large_rise_grows(void **state)
{
	static const double ends[] = { 13, 20, 31, 50 };
	size_t k, seed, straight, covered = 0, runs = 0;

	(void)state;
	for (k = 0; k < 4; k++)
		for (straight = 0; straight < 2; straight++)
			for (seed = 1; seed <= 5; seed++, runs++) {
				make_set_up(seed, straight, ends[k], MB, 400);
				find(400);
				expect(SEEP_COURSE_GROWS);
				covered += holds(MB);
				make_set_up(seed, straight, ends[k], 0, 400);
				find(400);
				assert_int_not_equal(trend.course, SEEP_COURSE_GROWS);
			}
	assert_true(covered >= runs - 3);
}

/* As slow as the run is long it may end or not; three times tau would show it. */
static void a_slow_rise_is_open(void **state)
{
	size_t i, n = 120, seed;

	(void)state;
	for (seed = 1; seed <= 6; seed++) {
		double tau = seed % 2 ? 60 : 80;

		make_line(WHITE, seed, 0, n);
		for (i = 0; i < n; i++)
			y[i] -= 100 * MB * expm1(-(double)i / tau);
		find(n);
		expect(SEEP_COURSE_OPEN);
		assert_int_equal(trend.likely, SEEP_COURSE_LEVELS_OFF);
		near(trend.needed / tau, 3, 1.5);
	}
}

/* What 20 events add at first is told if it is 1 % of the level; that of 5 is warm-up. */
static void a_large_warm_up_is_no_secret(void **state)
{
	size_t i, n = 120;
	int large;

	(void)state;
	for (large = 0; large < 2; large++) {
		for (i = 0; i < n; i++)
			y[i] = 1e9 + (large ? 5 : .25) * MB * fmin((double)i, 20);
		find(n);
		expect(large ? SEEP_COURSE_LEVELS_OFF : SEEP_COURSE_FLAT);
		near(trend.rise, large ? 100 * MB : 0, 30 * MB);
		for (i = 0; i < n; i++)
			y[i] = 1e9 + (large ? 20 : 1) * MB * fmin((double)i, 5);
		find(n);
		expect(SEEP_COURSE_FLAT);
		for (i = 0; i < n; i++)
			y[i] = 1e9 + (i < 70 ? 0 : large ? 25 * MB : 5 * MB);
		find(n);
		expect(large ? SEEP_COURSE_STEP : SEEP_COURSE_FLAT);
	}
}

/* A step is one; on top of a leak, the leak counts. */
static void steps_with_and_without_a_leak(void **state)
{
	size_t i, n = 120, seed;

	(void)state;
	for (seed = 1; seed <= 6; seed++) {
		make_line(WHITE, seed, 0, n);
		for (i = 50 + seed; i < n; i++)
			y[i] += 50 * MB;
		find(n);
		expect(SEEP_COURSE_STEP);
		near(trend.rise, 50 * MB, 3 * MB);
		for (i = 0; i < n; i++)
			y[i] += MB * (double)i;
		find(n);
		expect(SEEP_COURSE_GROWS);
		assert_int_equal(trend.told_by, SEEP_TOLD_BY_END);
		assert_true(holds(MB));
	}
}

/* Growth that stops, that begins late, that gets ever faster. */
static void the_end_counts(void **state)
{
	size_t i, n = 120, seed, covered = 0;

	(void)state;
	for (seed = 1; seed <= 6; seed++) {
		make_line(WHITE, seed, 0, n);
		for (i = 0; i < n; i++)
			y[i] += 2 * MB * fmin((double)i, 60);
		find(n);
		expect(SEEP_COURSE_LEVELS_OFF);
		near(trend.rise, 120 * MB, 12 * MB);
		make_line(WHITE, seed, 0, n);
		for (i = 0; i < n; i++)
			y[i] += 2 * MB * fmax((double)i - 70, 0);
		find(n);
		expect(SEEP_COURSE_GROWS);
		assert_int_equal(trend.told_by, SEEP_TOLD_BY_END);
		covered += holds(2 * MB);
		make_line(WHITE, seed, 0, n);
		for (i = 0; i < n; i++)
			y[i] += .02 * MB * (double)(i * i);
		find(n);
		expect(SEEP_COURSE_GROWS); /* by 4.8 MB in the end, by 2.4 in the mean */
		near(trend.bytes_per_event.value, 4.2 * MB, .6 * MB);
	}
	assert_in_range(covered, 5, 6);
}

static void jumps_are_seen_before_shapes(void **state)
{
	struct noise noise = noise_seed(4);
	size_t i, n = 200;
	double level = 1e9;

	(void)state;
	for (i = 0; i < n; i++)
		y[i] = 1e9 + MB * (double)(i % 10);
	find(n);
	expect(SEEP_COURSE_TEETH);
	for (i = 0; i < n; i++)
		y[i] += .1 * MB * (double)i;
	find(n);
	expect(SEEP_COURSE_GROWS);
	assert_int_equal(trend.told_by, SEEP_TOLD_BY_TROUGHS);
	near(trend.bytes_per_event.value, .1 * MB, 10);
	for (i = 0; i < n; i++) {
		y[i] = level;
		level += noise_uniform(&noise) < .1 ? 5 * MB : 0;
	}
	find(n);
	expect(SEEP_COURSE_GROWS);
	assert_int_equal(trend.told_by, SEEP_TOLD_BY_STAIRS);
	assert_true(holds(.5 * MB));
}

static void few_events_and_odd_levels(void **state)
{
	static const double levels[] = { 0, 1, 1e15, -1e9 };
	size_t l, i, n;
	int k;

	(void)state;
	for (n = 0; n <= 12; n++)
		for (l = 0; l < 4; l++)
			for (k = 0; k < 4; k++) {
				for (i = 0; i < n; i++)
					y[i] = levels[l] + (k == 1 ? 1e9 * (double)i :
						k == 2 ? -1e12 * (double)(i % 2) :
						k == 3 ? (double)(i == n / 2) : 0);
				find(n);
				expect_numbers();
				assert_int_equal(trend.parts, 1);
				if (n > 4 && k == 1 && levels[l] < 1e15)
					expect(SEEP_COURSE_GROWS);
				if (n > 4 && (k == 0 || k == 3))
					assert_true(trend.course != SEEP_COURSE_GROWS);
			}
}

/* In other units all is the same, where the level and not a few bytes is the measure. */
static void units_do_not_matter(void **state)
{
	struct seep_trend plain;
	size_t i, n = 60, seed;

	(void)state;
	for (seed = 1; seed <= 8; seed++) {
		make_line(seed % 2 ? WHITE : WALK, seed, seed % 3 ? 0 : 5e5, n);
		for (i = seed % 4 ? n : 25; i < n; i++)
			y[i] += 60 * MB;
		for (i = 0; i < n; i++)
			y[i] = round(y[i]);
		find(n);
		plain = trend;
		for (i = 0; i < n; i++)
			y[i] = ldexp(y[i], 10);
		find(n);
		expect(plain.course);
		near(ldexp(trend.bytes_per_event.value, -10), plain.bytes_per_event.value, 1e-3);
		near(ldexp(trend.bytes_per_event.high, -10), plain.bytes_per_event.high, 1e-3);
		near(ldexp(trend.tolerance, -10), plain.tolerance, 1e-3);
		for (i = 0; i < n; i++)
			y[i] = ldexp(y[i], -10) + 2 * MB;
		find(n);
		expect(plain.course);
		near(trend.bytes_per_event.value, plain.bytes_per_event.value, 1);
	}
}

/* 64 B, or 1 % of the level or 256 KiB over the run. */
static void what_is_tolerated(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 100; i++)
		y[i] = 1e9;
	find(100);
	near(trend.tolerance, 1e5, 1);
	expect(SEEP_COURSE_FLAT);
	for (i = 0; i < 100; i++)
		y[i] = 1e6;
	find(100);
	near(trend.tolerance, 2621.44, 1e-6);
	rate.level = 0;
	rate.stride = 1000;
	near(seep_trend_tolerance(&rate), 64, 0);
	near(seep_trend_events(&rate), 1e5, 0);
}

/* The plain rate alone decides where a shape is not to be asked for. */
static void by_the_line_alone(void **state)
{
	size_t i, n = 100;

	(void)state;
	make_line(WHITE, 1, 0, n);
	for (i = 50; i < n; i++)
		y[i] += 50 * MB;
	find(n);
	expect(SEEP_COURSE_STEP);
	seep_trend_find_line(&trend, &series, &rate, DOUBT);
	assert_int_equal(trend.told_by, SEEP_TOLD_BY_LINE);
	assert_false(trend.fit.known);
	assert_true(trend.course != SEEP_COURSE_STEP);
	near(trend.bytes_per_event.value, rate.bytes_per_event.value, 0);
	make_line(WHITE, 1, MB, n);
	find(n);
	assert_true(seep_trend_is_straight(&trend));
	seep_trend_find_line(&trend, &series, &rate, DOUBT);
	expect(SEEP_COURSE_GROWS);
	assert_false(seep_trend_is_straight(&trend));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_does_not_grow_is_flat_or_open, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(growth_is_never_flat, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_rise_that_ends_levels_off, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_leak_behind_a_large_rise_grows, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_slow_rise_is_open, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_large_warm_up_is_no_secret, set_up, tear_down),
		cmocka_unit_test_setup_teardown(steps_with_and_without_a_leak, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_end_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(jumps_are_seen_before_shapes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(few_events_and_odd_levels, set_up, tear_down),
		cmocka_unit_test_setup_teardown(units_do_not_matter, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_tolerated, set_up, tear_down),
		cmocka_unit_test_setup_teardown(by_the_line_alone, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
