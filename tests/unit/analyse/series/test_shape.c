/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/series/shape.h"

#include "analyse/threshold/thresholds.h"
#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_test.h"

#define MAX 1000

static struct seep_shape_fit fit;
static double y[MAX], x[MAX];

/* Noise around a level of 1 GB, with a spread of so many bytes whatever its colour. */
static void make_noise(enum colour colour, uint64_t seed, double bytes, size_t n)
{
	struct noise noise = noise_seed(seed);
	double spread = colour == AR9 ? 1 / sqrt(1 - .9 * .9) : 1;
	size_t i;

	noise_fill(&noise, colour, y, n);
	for (i = 0; i < n; i++) {
		x[i] = (double)i;
		y[i] = 1e9 + bytes / spread * y[i];
	}
}

static void choose(size_t n)
{
	seep_shape_choose(&fit, y, x, n, 0);
}

static bool is_told(enum seep_shape one, enum seep_shape other)
{
	return fit.known && (fit.shape == one || fit.shape == other);
}

static bool holds(double rate)
{
	return fit.rate.known && fit.rate.low <= rate && fit.rate.high >= rate;
}

static void expect_numbers(void)
{
	size_t k;

	assert_true(isfinite(fit.rate.value) && isfinite(fit.rate.low) && isfinite(fit.rate.high));
	assert_true(fit.rate.low <= fit.rate.high);
	assert_true(fit.p_plus >= 0 && fit.p_plus <= 1 + 1e-9);
	assert_true(isfinite(fit.at) && isfinite(fit.tau) && isfinite(fit.height));
	assert_true(isfinite(fit.before));
	assert_true(fit.shape < SEEP_SHAPES);
	for (k = 0; k < SEEP_SHAPES; k++)
		assert_false(isnan(fit.bic[k]));
}

/* A step of 10 times the noise; of the longer series several events make a row. */
static void a_step_is_placed_to_the_event(void **state)
{
	static const size_t lengths[] = { 60, 312, 1000 };
	size_t k, i, seed, placed;

	(void)state;
	for (k = 0; k < 3; k++) {
		size_t n = lengths[k];

		for (seed = 1, placed = 0; seed <= 20; seed++) {
			size_t at = n / 5 + seed * n / 33;

			make_noise(seed % 2 ? WHITE : AR9, seed, 1e4, n);
			for (i = at; i < n; i++)
				y[i] += 1e5;
			choose(n);
			assert_true(is_told(SEEP_SHAPE_STEP, SEEP_SHAPE_STEP_LINE));
			near(fit.height, 1e5, 3e4);
			assert_true(holds(0));
			/* the first event behind it is the right one */
			placed += fit.at > (double)at - 1 && fit.at <= (double)at;
		}
		assert_in_range(placed, 19, 20);
	}
}

/* Without noise, wherever it is in a row of several events. */
static void a_clean_step_has_its_height(void **state)
{
	size_t n = 1000, at, i;

	(void)state;
	for (at = 500; at < 510; at++) {
		for (i = 0; i < n; i++) {
			x[i] = (double)i;
			y[i] = 1e9 + (i >= at ? 1e6 : 0);
		}
		choose(n);
		assert_int_equal(fit.shape, SEEP_SHAPE_STEP);
		assert_true(fit.at > (double)at - 1 && fit.at <= (double)at);
		near(fit.height, 1e6, 1);
		near(fit.rate.value, 0, 1e-3);
	}
}

/* The whole way is 20 times the noise; 63 % of it take from a sixth to a 13th of the run. */
static void levelling_off_is_told_with_its_tau(void **state)
{
	static const size_t lengths[] = { 60, 120, 400 };
	size_t k, i, seed, covered = 0, runs = 0;

	(void)state;
	for (k = 0; k < 3; k++) {
		size_t n = lengths[k];

		for (seed = 1; seed <= 16; seed++, runs++) {
			double tau = (double)n / (6 + (double)(seed % 8));

			make_noise(WHITE, seed, 1e4, n);
			for (i = 0; i < n; i++)
				y[i] -= 2e5 * expm1(-x[i] / tau);
			choose(n);
			assert_true(is_told(SEEP_SHAPE_CURVE, SEEP_SHAPE_BEND));
			near(fit.tau / tau, 1, .3);
			near(fit.height, 2e5, 3e4);
			covered += holds(0);
		}
	}
	assert_in_range(covered, runs - 4, runs);
}

/* With noise that remembers it is told, too, and the interval of what is left holds 0. */
static void levelling_off_is_told_in_slow_noise(void **state)
{
	size_t n = 120, i, seed, told = 0, covered = 0;

	(void)state;
	for (seed = 1; seed <= 30; seed++) {
		make_noise(AR9, seed, 1e4, n);
		for (i = 0; i < n; i++)
			y[i] -= 2e5 * expm1(-x[i] / 15);
		choose(n);
		told += is_told(SEEP_SHAPE_CURVE, SEEP_SHAPE_BEND);
		covered += holds(0);
	}
	assert_in_range(told, 27, 30);
	assert_in_range(covered, 27, 30);
}

static void few_values_have_no_shape(void **state)
{
	size_t n, k;

	(void)state;
	for (n = 0; n <= 36; n++) {
		make_noise(WHITE, n, 1e4, n);
		choose(n);
		assert_int_equal(fit.known, n >= 10);
		assert_int_equal(fit.rate.known, n >= 10);
		expect_numbers();
		for (k = SEEP_SHAPE_STEP + 1; k < SEEP_SHAPES; k++)
			assert_int_equal(isinf(fit.bic[k]) != 0, n < EVENTS_FOR_CURVE);
	}
}

/* What never changes is flat, what changes evenly a line, at any level and below 0. */
static void plain_series_stay_plain(void **state)
{
	static const double levels[] = { 0, -1e9, 1, 1e9, 1e15, -1e15 };
	static const double slopes[] = { 0, 4096, -4096, 1e9 };
	size_t l, s, i, n;

	(void)state;
	for (n = 10; n <= 400; n += 130)
		for (l = 0; l < 6; l++)
			for (s = 0; s < 4; s++) {
				for (i = 0; i < n; i++) {
					x[i] = (double)i;
					y[i] = levels[l] + slopes[s] * x[i];
				}
				choose(n);
				expect_numbers();
				assert_int_equal(fit.shape, s ? SEEP_SHAPE_LINE : SEEP_SHAPE_FLAT);
				near(fit.rate.value, slopes[s], 1e-6 * fabs(slopes[s]));
				assert_true(holds(fit.rate.value));
			}
}

/* The numbers of the events may begin anywhere and be far apart. */
static void events_may_have_any_numbers(void **state)
{
	struct seep_shape_fit first;
	size_t n = 400, i;

	(void)state;
	make_noise(WHITE, 3, 1e4, n);
	for (i = 301; i < n; i++)
		y[i] += 1e5;
	choose(n);
	first = fit;
	for (i = 0; i < n; i++)
		x[i] = 1e6 + 64 * x[i];
	choose(n);
	assert_int_equal(fit.shape, first.shape);
	near((fit.at - 1e6) / 64, first.at, 1e-6);
	near(64 * fit.rate.high, first.rate.high, 1e-6 * fabs(first.rate.high));
}

/* Each shape once, in a series of n. */
static void make_shape(enum seep_shape shape, size_t n)
{
	size_t i;

	make_noise(WHITE, 7, 1e4, n);
	for (i = 0; i < n; i++) {
		double part = x[i] / (double)n, behind = part > .6;

		y[i] += 1e6 * (double[SEEP_SHAPES]){
			[SEEP_SHAPE_LINE] = part,
			[SEEP_SHAPE_STEP] = behind,
			[SEEP_SHAPE_STEP_LINE] = behind + part,
			[SEEP_SHAPE_CURVE] = -expm1(-8 * part),
			[SEEP_SHAPE_BEND] = part - expm1(-16 * part),
			[SEEP_SHAPE_KINK] = fmax(part - .6, 0),
		}[shape];
	}
}

/* Whether a curve ends level or in a line that hardly rises is all the same. */
static void expect_shape(enum seep_shape shape)
{
	assert_true(is_told(shape, shape == SEEP_SHAPE_CURVE ? SEEP_SHAPE_BEND : shape));
}

static void each_shape_is_told_in_any_unit(void **state)
{
	struct seep_shape_fit plain = { 0 };
	size_t i, n = 100;
	int shape, power;

	(void)state;
	for (shape = SEEP_SHAPE_FLAT; shape < SEEP_SHAPES; shape++)
		for (power = 0; power <= 30; power += 10) {
			make_shape((enum seep_shape)shape, n);
			for (i = 0; i < n; i++)
				y[i] = ldexp(y[i], power);
			choose(n);
			expect_shape((enum seep_shape)shape);
			if (!power)
				plain = fit;
			assert_int_equal(fit.shape, plain.shape);
			near(ldexp(fit.rate.value, -power), plain.rate.value, 1e-3);
			near(ldexp(fit.rate.low, -power), plain.rate.low, 1e-3);
			near(ldexp(fit.rate.high, -power), plain.rate.high, 1e-3);
			near(ldexp(fit.height, -power), plain.height, 1);
			near(fit.at, plain.at, 0);
			near(fit.tau, plain.tau, 0);
		}
}

static void the_level_does_not_matter(void **state)
{
	static const double levels[] = { -1e9, 1e6, 1e12 };
	struct seep_shape_fit plain;
	size_t i, l, n = 100;
	int shape;

	(void)state;
	for (shape = SEEP_SHAPE_FLAT; shape < SEEP_SHAPES; shape++) {
		make_shape((enum seep_shape)shape, n);
		choose(n);
		expect_shape((enum seep_shape)shape);
		plain = fit;
		for (l = 0; l < 3; l++) {
			for (i = 0; i < n; i++)
				y[i] += levels[l];
			choose(n);
			assert_int_equal(fit.shape, plain.shape);
			near(fit.rate.value, plain.rate.value, .1);
			near(fit.rate.high, plain.rate.high, .1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_is_placed_to_the_event),
		cmocka_unit_test(a_clean_step_has_its_height),
		cmocka_unit_test(levelling_off_is_told_with_its_tau),
		cmocka_unit_test(levelling_off_is_told_in_slow_noise),
		cmocka_unit_test(few_values_have_no_shape),
		cmocka_unit_test(plain_series_stay_plain),
		cmocka_unit_test(events_may_have_any_numbers),
		cmocka_unit_test(each_shape_is_told_in_any_unit),
		cmocka_unit_test(the_level_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
