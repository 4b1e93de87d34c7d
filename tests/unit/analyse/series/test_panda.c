/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The numbers of the PanDA pilot.  Those that are expected here come from its recipe written
 * down a second time, in Python, and applied to the same series.
 */
#include "analyse/extras/panda.h"
#include "analyse/judge.h"

#include "fake_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define MOST 300
#define STARTED 1700000000.0
#define STEP_S 30.0

static double x[MOST], y[MOST];

/* Numbers between -0.5 and 0.5 that look random. */
static double next_noise(uint64_t *seed)
{
	*seed = (*seed * 1103515245 + 12345) % 2147483648u;
	return (double)*seed / 2147483648.0 - .5;
}

static double rise(double i, double noise)
{
	return 500000 + 37.5 * i + 200 * noise;
}

static double rise_behind_warmup(double i, double noise)
{
	return (i < 5 ? 100000 * i : 500000 + 12.5 * i) + 300 * noise;
}

static double rise_long(double i, double noise)
{
	return 800000 + 60 * i + 1000 * noise;
}

static double rise_between_edges(double i, double noise)
{
	double level = 620000 + 25 * i;

	if (i < 20)
		level = 20000 + 30000 * i;
	else if (i >= 228)
		level = 620000 - 20000 * (i - 227);
	return level + 500 * noise;
}

static double level_off(double i, double noise)
{
	return 900000 - 400000 * pow(.97, i) + 100 * noise;
}

static void fill(size_t n, double (*value)(double i, double noise))
{
	uint64_t seed = 12345;
	size_t i;

	for (i = 0; i < n; i++) {
		x[i] = STARTED + STEP_S * (double)i;
		y[i] = value((double)i, next_noise(&seed));
	}
}

static void assert_near(double got, double wanted)
{
	if (!(fabs(got - wanted) <= 1e-6 * fabs(wanted)))
		fail_msg("%.12g is not %.12g", got, wanted);
}

static void agrees_with_the_pilot(void **state)
{
	static const struct {
		size_t n;
		double (*value)(double i, double noise);
		double slope, intersect, chi2;
		size_t points;
	} cases[] = {
		{ 20, rise, 1.430196016105813, -2430833278.0001965, 1.009756906207182e-07, 13 },
		{ 40, rise_behind_warmup, 0.3702739160590923, -628965626.991416,
		  7.472259052051846e-07, 33 },
		{ 300, rise_long, 1.996817012801409, -3393788907.948984, 3.7469396879804374e-05,
		  284 },
		{ 240, rise_between_edges, -1.5225233888468521, 2588917065.888601,
		  0.09805034018578943, 194 },
		{ 200, level_off, 47.13004824136863, -80120386993.79565, 1.0044417384524442, 194 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct seep_panda panda;

		fill(cases[i].n, cases[i].value);
		seep_panda_fit_points(&panda, x, y, cases[i].n);
		assert_true(panda.known);
		assert_int_equal(panda.points, cases[i].points);
		assert_int_equal(panda.given, cases[i].n);
		assert_near(panda.slope, cases[i].slope);
		assert_near(panda.intersect, cases[i].intersect);
		assert_near(panda.chi2, cases[i].chi2);
	}
}

/* Seven are left out, and more than seven must remain. */
static void needs_fifteen_points(void **state)
{
	struct seep_panda panda;
	size_t n;

	(void)state;
	fill(20, rise);
	for (n = 0; n < 15; n++) {
		seep_panda_fit_points(&panda, x, y, n);
		assert_false(panda.known);
	}
	seep_panda_fit_points(&panda, x, y, 15);
	assert_true(panda.known);
	assert_int_equal(panda.points, 8);
}

static double stand_still(double i, double noise)
{
	(void)i;
	(void)noise;
	return 500000;
}

/* There the pilot reports nothing, rather than 0. */
static void says_nothing_of_what_does_not_move(void **state)
{
	struct seep_panda panda;

	(void)state;
	fill(40, stand_still);
	seep_panda_fit_points(&panda, x, y, 40);
	assert_false(panda.known);
	fill(200, stand_still);
	seep_panda_fit_points(&panda, x, y, 200);
	assert_false(panda.known);
}

/* Time from the stamps, PSS and swap from the gauges, bytes as KiB. */
static void is_part_of_the_verdict(void **state)
{
	double pss[40], swap[40];
	struct seep_verdict verdict;
	struct fake fake;
	size_t i;

	(void)state;
	fake_init(&fake, false);
	for (i = 0; i < 40; i++) {
		fake_begin(&fake, 0, 100000000);
		pss[i] = 50e6 + 1024.0 * 3 * (double)i;
		swap[i] = 1024.0 * (double)i;
	}
	fake_counter(&fake, "pss", pss);
	fake_counter(&fake, "swap", swap);
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
	assert_false(verdict.panda.known); /* counters of that name are no gauges */
	assert_null(verdict.panda.text);
	fake.run.counters[0].gauge = fake.run.counters[1].gauge = true;
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
	assert_true(verdict.panda.known);
	assert_int_equal(verdict.panda.points, 33);
	assert_near(verdict.panda.slope, 4000); /* 4 KiB in a millisecond */
	assert_non_null(strstr(verdict.panda.text, "leak=4000.00 chi2=0.00"));
	assert_non_null(strstr(verdict.panda.text, "kB/s"));
	fake_release(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_the_pilot),
		cmocka_unit_test(needs_fifteen_points),
		cmocka_unit_test(says_nothing_of_what_does_not_move),
		cmocka_unit_test(is_part_of_the_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
