/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/series/jumps.h"

#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

#define MAX 1000
#define MB 1e6

static struct seep_teeth teeth;
static struct seep_stairs stairs;
static double y[MAX], x[MAX], scratch[MAX];

static void find(size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = (double)i;
	seep_jumps_find_teeth(&teeth, y, x, n, scratch);
	seep_jumps_find_stairs(&stairs, y, x, n, scratch);
}

static bool holds(const struct seep_estimate *e, double rate)
{
	return e->known && e->low <= rate && e->high >= rate;
}

static void expect_numbers(const struct seep_estimate *e)
{
	assert_true(isfinite(e->value) && isfinite(e->low) && isfinite(e->high));
	assert_true(e->low <= e->high);
}

/* A collector: 1 MB is added by each event, and all of it given back after 8 to 12. */
static void make_teeth(struct noise *noise, enum colour colour, double kept, size_t n)
{
	double garbage = 0;
	size_t i, left = 10;

	noise_fill(noise, colour, y, n);
	for (i = 0; i < n; i++) {
		garbage += MB;
		if (!--left) {
			garbage = 0;
			left = 8 + (size_t)(5 * noise_uniform(noise));
		}
		y[i] = 1e9 + garbage + kept * (double)i + .05 * MB * y[i];
	}
}

/*
 * 20 kB of what each event adds stay.  The troughs' interval of 95 % holds that in at
 * least 93 % of 100 runs under each of three noises, and growth is shown in nearly all.
 */
static void troughs_rise_by_what_stays(void **state)
{
	static const enum colour colours[] = { WHITE, AR9, WALK };
	size_t k, seed, n = 240;

	(void)state;
	for (k = 0; k < 3; k++) {
		size_t covered = 0, shown = 0;

		for (seed = 1; seed <= 100; seed++) {
			struct noise noise = noise_seed(seed);

			make_teeth(&noise, colours[k], 20000, n);
			find(n);
			assert_true(teeth.found && teeth.rate.known);
			assert_false(stairs.found);
			assert_in_range(teeth.drops, 20, 30);
			near(teeth.period, 10, 1);
			near(teeth.height, 9 * MB, MB);
			covered += holds(&teeth.rate, 20000);
			shown += teeth.rate.low > 0 && teeth.p_plus < .025;
		}
		assert_in_range(covered, 93, 100);
		assert_in_range(shown, 98, 100);
	}
}

/* Nothing stays: growth is seen in the troughs of at most 5 of 100 runs. */
static void troughs_rest_where_nothing_stays(void **state)
{
	static const enum colour colours[] = { WHITE, AR9, WALK };
	size_t k, seed, n = 240;

	(void)state;
	for (k = 0; k < 3; k++) {
		size_t shown = 0;

		for (seed = 1; seed <= 100; seed++) {
			struct noise noise = noise_seed(seed);

			make_teeth(&noise, colours[k], 0, n);
			find(n);
			assert_true(teeth.found && teeth.rate.known);
			shown += teeth.rate.low > 0 && teeth.p_plus < .025;
		}
		assert_in_range(shown, 0, 5);
	}
}

/*
 * Three drops are teeth; the slope of their troughs needs one more, and another, since the
 * first, which was 3 MB lower, is the end of the warm-up.
 */
static void few_drops_have_no_slope(void **state)
{
	size_t drops, i, n = 80;

	(void)state;
	for (drops = 0; drops <= 7; drops++) {
		for (i = 0; i < n; i++)
			y[i] = 1e8 + (i / 10 < drops ? MB * (double)(i % 10) : 0) -
			       (i == 10 && drops ? 3 * MB : 0);
		find(n);
		assert_int_equal(teeth.found, drops >= 3);
		assert_int_equal(teeth.rate.known, drops >= 5);
		if (teeth.found)
			assert_int_equal(teeth.drops, drops);
		if (teeth.rate.known)
			near(teeth.rate.value, 0, 1);
	}
}

/* Of 10 MB that come 6 are given back: seen from the last trough, not from the first. */
static void teeth_may_climb(void **state)
{
	size_t i, n = 60;

	(void)state;
	for (i = 0; i < n; i++)
		y[i] = 1e8 + MB * (double)(i % 11) + 4 * MB * (double)(i / 11);
	find(n);
	assert_true(teeth.found && teeth.rate.known);
	assert_int_equal(teeth.drops, 5);
	near(teeth.height, 6 * MB, 1);
	near(teeth.rate.value, 4 * MB / 11, 1);
}

/* What goes up at once as it comes down is a huge page, a buffer, a phase; and no stairs. */
static void steps_up_and_down_are_neither(void **state)
{
	static const enum colour colours[] = { WHITE, WALK };
	size_t k, seed, i;

	(void)state;
	for (k = 0; k < 2; k++)
		for (seed = 1; seed <= 100; seed++) {
			struct noise noise = noise_seed(seed);
			size_t n = 60 + 9 * seed;
			bool up = false;

			noise_fill(&noise, colours[k], y, n);
			for (i = 0; i < n; i++) {
				up ^= noise_uniform(&noise) < .15;
				y[i] = 1e9 + 2097152. * up + 20000 * y[i];
			}
			find(n);
			assert_false(teeth.found || stairs.found);
		}
}

/* Whatever its colour, noise alone has neither; nor has noise with one huge step. */
static void noise_is_neither(void **state)
{
	size_t seed, i, n = 240;
	int colour;

	(void)state;
	for (colour = WHITE; colour <= WALK_WHITE; colour++)
		for (seed = 1; seed <= 50; seed++) {
			struct noise noise = noise_seed(seed);

			noise_fill(&noise, (enum colour)colour, y, n);
			for (i = 0; i < n; i++)
				y[i] = 1e9 + 1e5 * y[i];
			find(n);
			assert_false(teeth.found || stairs.found);
			for (i = n / 2 + seed; i < n; i++)
				y[i] += 1e9;
			find(n);
			assert_false(teeth.found || stairs.found);
		}
}

/* A step in one event of so many, of 1 MB or of that in the mean. */
static void make_stairs(struct noise *noise, double part, bool unequal, size_t n)
{
	double level = 1e9;
	size_t i;

	for (i = 0; i < n; i++) {
		double height = unequal ? -MB * log(noise_uniform(noise)) : MB;

		y[i] = level;
		level += noise_uniform(noise) < part ? height : 0;
	}
}

/* The interval of 95 % holds the truth in at least 93 % of 900 runs of each kind. */
static void rare_steps_have_an_honest_rate(void **state)
{
	static const double parts[] = { .05, .1, .2 };
	size_t k, seed, n = 480;
	int unequal;

	(void)state;
	find(n); /* numbers the events */
	for (unequal = 0; unequal < 2; unequal++)
		for (k = 0; k < 3; k++) {
			size_t found = 0, covered = 0;
			double mean = 0;

			for (seed = 1; seed <= 900; seed++) {
				struct noise noise = noise_seed(seed);

				make_stairs(&noise, parts[k], unequal, n);
				seep_jumps_find_stairs(&stairs, y, x, n, scratch);
				if (!stairs.found)
					continue;
				found++;
				covered += holds(&stairs.rate, MB * parts[k]);
				mean += stairs.rate.value;
			}
			assert_in_range(found, 850, 900);
			assert_true((double)covered >= .93 * (double)found);
			near(mean / (double)found / (MB * parts[k]), 1, .03);
		}
}

/* What every event adds besides belongs to the rate. */
static void stairs_on_a_slope(void **state)
{
	struct noise noise = noise_seed(5);
	size_t i, n = 200;
	double steps;

	(void)state;
	make_stairs(&noise, .1, false, n);
	find(n);
	assert_true(stairs.found);
	near(stairs.height, MB, 1e-6);
	steps = (y[n - 1] - y[1]) / MB;
	assert_int_equal(stairs.steps, (size_t)steps);
	near(stairs.rate.value, steps * MB / (double)(n - 1), 1e-6);
	for (i = 0; i < n; i++)
		y[i] += 3000 * (double)i;
	find(n);
	assert_true(stairs.found);
	near(stairs.rate.value, steps * MB / (double)(n - 1) + 3000, 1);
}

/* If one of the steps is nearly all of it, their number says nothing. */
static void one_step_of_many_is_no_stairs(void **state)
{
	size_t i, n = 200;

	(void)state;
	for (i = 0; i < n; i++)
		y[i] = 1e8 + 1000 * floor((double)i / 10) + (i > 120 ? 100 * MB : 0);
	find(n);
	assert_false(stairs.found);
}

/* Steps that stop in the first half are a warm-up. */
static void steps_of_a_warm_up_are_no_stairs(void **state)
{
	size_t i, n = 200;

	(void)state;
	for (i = 0; i < n; i++)
		y[i] = 1e8 + MB * floor(fmin((double)i, 80) / 10);
	find(n);
	assert_false(stairs.found);
	for (i = 0; i < n; i++)
		y[i] = 1e8 + MB * floor((double)i / 10);
	find(n);
	assert_true(stairs.found);
}

/* Powers of 2 change the bytes and nothing else; so does a level, up to rounding. */
static void units_and_levels_do_not_matter(void **state)
{
	struct seep_teeth saw;
	struct seep_stairs flight;
	struct noise noise = noise_seed(3);
	size_t i, n = 240;
	int k;

	(void)state;
	for (k = 0; k < 2; k++) {
		if (k)
			make_stairs(&noise, .1, true, n);
		else
			make_teeth(&noise, WHITE, 20000, n);
		find(n);
		saw = teeth;
		flight = stairs;
		assert_true(k ? stairs.found : teeth.found);
		for (i = 0; i < n; i++)
			y[i] = ldexp(y[i], 12);
		find(n);
		assert_true(teeth.found == saw.found && teeth.drops == saw.drops);
		near(ldexp(teeth.rate.low, -12), saw.rate.low, 1e-3);
		assert_true(stairs.found == flight.found && stairs.steps == flight.steps);
		near(ldexp(stairs.rate.low, -12), flight.rate.low, 1e-3);
		for (i = 0; i < n; i++)
			y[i] = ldexp(y[i], -12) - 7e9;
		find(n);
		assert_true(teeth.found == saw.found && teeth.drops == saw.drops);
		near(teeth.rate.high, saw.rate.high, 1);
		assert_true(stairs.found == flight.found && stairs.steps == flight.steps);
		near(stairs.rate.high, flight.rate.high, 1);
	}
}

static void no_series_is_too_short_or_too_high(void **state)
{
	static const double levels[] = { 0, -1e9, 1e15, -1e15 };
	size_t l, i, n;
	int k;

	(void)state;
	for (n = 0; n <= 40; n++)
		for (l = 0; l < 4; l++)
			for (k = 0; k < 4; k++) {
				for (i = 0; i < n; i++)
					y[i] = levels[l] + (k == 1 ? MB * (double)(i % 2) :
						k == 2 ? 1e15 * (double)(i % 4) :
						k == 3 ? -MB * (double)i : 0);
				find(n);
				expect_numbers(&teeth.rate);
				expect_numbers(&stairs.rate);
				assert_true(isfinite(teeth.period) && isfinite(teeth.height));
				assert_false(n < 20 && (teeth.found || stairs.found));
				assert_false(k != 2 && (teeth.found || stairs.found));
			}
}

/* A large leap counts once, not in each tooth behind it. */
static void one_leap_does_not_hide_teeth(void **state)
{
	size_t i, n = 110;

	(void)state;
	for (i = 0; i < n; i++)
		y[i] = 1e9 + (i >= 3 ? 7 * MB : 0) + (double)(i % 9) * MB;
	find(n);
	assert_true(teeth.found);
	assert_int_equal(teeth.drops, 12);
	near(teeth.height, 8 * MB, .01 * MB);
}

static void four_steps_are_stairs(void **state)
{
	size_t i, steps, n = 100;

	(void)state;
	for (steps = 3; steps <= 4; steps++) {
		for (i = 0; i < n; i++)
			y[i] = 1e9 + floor((double)i * ((double)steps + .5) / (double)n) * MB;
		find(n);
		assert_int_equal(stairs.found, steps == 4);
	}
	assert_int_equal(stairs.steps, 4);
	near(stairs.height, MB, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_leap_does_not_hide_teeth),
		cmocka_unit_test(four_steps_are_stairs),
		cmocka_unit_test(troughs_rise_by_what_stays),
		cmocka_unit_test(troughs_rest_where_nothing_stays),
		cmocka_unit_test(few_drops_have_no_slope),
		cmocka_unit_test(teeth_may_climb),
		cmocka_unit_test(steps_up_and_down_are_neither),
		cmocka_unit_test(noise_is_neither),
		cmocka_unit_test(rare_steps_have_an_honest_rate),
		cmocka_unit_test(stairs_on_a_slope),
		cmocka_unit_test(one_step_of_many_is_no_stairs),
		cmocka_unit_test(steps_of_a_warm_up_are_no_stairs),
		cmocka_unit_test(units_and_levels_do_not_matter),
		cmocka_unit_test(no_series_is_too_short_or_too_high),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
