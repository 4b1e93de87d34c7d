/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/cause/phase.h"
#include "analyse/verdict/verdict.h"

#include "fake_run.h"
#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

#define PHASES 4

static struct seep_verdict verdict;

/* What each phase of a made-up program adds per event, and how. */
struct program {
	double kept[PHASES];
	double spread[PHASES];   /* of what a phase adds by chance, for good */
	double jitter;           /* that the second has too much and the third too little */
	double level_noise;      /* white, of the whole */
	size_t n;
	enum seep_series_kind kind;
};

static void split(enum seep_series_kind kind)
{
	struct seep_series series;
	struct seep_rate rate;

	memset(&verdict, 0, sizeof(verdict));
	seep_series_build(&series, &fake.run, kind, &fake.arena);
	seep_rate_estimate(&rate, &series);
	seep_phase_split(&verdict.phases, &verdict.n_phases, &fake.run, &series, &rate,
			 &fake.arena);
}

static void run_program(const struct program *program, uint64_t seed)
{
	struct noise noise = noise_seed(seed);
	uint32_t name[PHASES];
	double level = 1e9, shown;
	size_t e, k;

	fake_release(&fake);
	fake_init(&fake, true);
	for (k = 0; k < PHASES; k++)
		name[k] = fake_name(&fake, "stamp");
	for (e = 0; e < program->n; e++) {
		double jitter = program->jitter * noise_normal(&noise);

		for (k = 0; k < PHASES; k++) {
			shown = level + program->level_noise * noise_normal(&noise);
			if (!k)
				fake_begin(&fake, (int64_t)shown, (int64_t)shown);
			fake_stamp(&fake, name[k], 0, (int64_t)shown, (int64_t)shown);
			level += program->kept[k] + program->spread[k] * noise_normal(&noise);
			if (k == 1)
				level += jitter;
			if (k == 2)
				level -= jitter;
		}
	}
	split(program->kind);
	assert_int_equal(verdict.n_phases, PHASES);
}

static void expect_accused(bool a, bool b, bool c, bool d)
{
	assert_int_equal(verdict.phases[0].accused, a);
	assert_int_equal(verdict.phases[1].accused, b);
	assert_int_equal(verdict.phases[2].accused, c);
	assert_int_equal(verdict.phases[3].accused, d);
}

static void the_largest_alone(void **state)
{
	struct program program = { { 100, 8000, 1000, 900 }, { 50, 800, 300, 300 }, 0, 0, 60,
				   SEEP_SERIES_HEAP };

	(void)state;
	run_program(&program, 1);
	expect_accused(false, true, false, false);
	program.kind = SEEP_SERIES_RSS;
	run_program(&program, 1);
	expect_accused(false, true, false, false);
}

/* 40, 30, 30 %: it takes two to have half. */
static void as_few_as_possible(void **state)
{
	const struct program program = { { 0, 4000, 3000, 3200 }, { 0, 100, 100, 100 }, 0, 0, 60,
					 SEEP_SERIES_HEAP };

	(void)state;
	run_program(&program, 1);
	expect_accused(false, true, false, true);
}

static void one_that_frees_is_not_accused(void **state)
{
	const struct program program = { { 15000, -5000, 0, 100 }, { 100, 100, 0, 10 }, 0, 0, 60,
					 SEEP_SERIES_HEAP };

	(void)state;
	run_program(&program, 1);
	expect_accused(true, false, false, false);
	near(verdict.phases[0].share, 1.49, .02);
	near(verdict.phases[1].share, -.50, .02);
	near(verdict.phases[1].gross, 5000, 100);
	assert_true(verdict.phases[1].bytes_per_event.high < 0);
}

/* Neither is known, both together are; so with a risk of 5 % one of them is accused alone. */
static void neighbours_that_jitter_are_accused_together(void **state)
{
	const struct program program = { { 0, 5000, 4000, 500 }, { 0, 200, 200, 100 }, 40000, 0, 60,
					 SEEP_SERIES_RSS };
	const struct seep_estimate *both;
	size_t together = 0, known = 0, seed, seeds = 200;

	(void)state;
	for (seed = 1; seed <= seeds; seed++) {
		run_program(&program, seed);
		assert_int_equal(verdict.phases[1].group_first, 1);
		assert_int_equal(verdict.phases[1].group_n, 2);
		assert_int_equal(verdict.phases[2].group_n, 2);
		assert_int_equal(verdict.phases[0].group_n, 0);
		assert_false(verdict.phases[0].accused || verdict.phases[3].accused);
		together += verdict.phases[1].accused && verdict.phases[2].accused;
		both = &verdict.phases[2].group_bytes_per_event;
		assert_true(both->low > 8000 && both->high < 10000);
		known += both->low < 9000 && both->high > 9000;
	}
	print_message("accused together in %zu, their sum known in %zu of %zu\n", together, known,
		      seeds);
	assert_true(together * 100 >= seeds * 90);
	assert_true(known * 100 >= seeds * 93);
}

static void without_growth_nobody(void **state)
{
	const struct program program = { { 0, 0, 0, 0 }, { 0, 300, 0, 300 }, 0, 4000, 60,
					 SEEP_SERIES_HEAP };

	(void)state;
	run_program(&program, 1);
	expect_accused(false, false, false, false);
}

static void too_few_events_accuse_nobody(void **state)
{
	const struct program program = { { 0, 5000, 0, 0 }, { 0, 0, 0, 0 }, 0, 0, 4,
					 SEEP_SERIES_HEAP };

	(void)state;
	run_program(&program, 1);
	expect_accused(false, false, false, false);
}

/* All intervals of a run hold at the same time, in 93 % of the runs or more. */
static void intervals_hold_together(void **state)
{
	static const struct program programs[] = {
		{ { 3000, 500, 0, 200 }, { 500, 100, 300, 300 }, 0, 0, 40, SEEP_SERIES_HEAP },
		{ { 3000, 500, 0, 200 }, { 500, 100, 300, 300 }, 0, 20000, 100, SEEP_SERIES_HEAP },
		{ { 3000, 500, 0, 200 }, { 500, 500, 500, 500 }, 2000, 0, 200, SEEP_SERIES_RSS },
	};
	size_t p, k, runs = 300;
	uint64_t seed;

	(void)state;
	for (p = 0; p < sizeof(programs) / sizeof(*programs); p++) {
		size_t hold = 0, accused_wrongly = 0;

		for (seed = 1; seed <= runs; seed++) {
			bool all = true;

			run_program(&programs[p], seed);
			for (k = 0; k < PHASES; k++) {
				const struct seep_estimate *e = &verdict.phases[k].bytes_per_event;

				all = all && e->low <= programs[p].kept[k] &&
				      e->high >= programs[p].kept[k];
			}
			hold += all;
			accused_wrongly += verdict.phases[2].accused || verdict.phases[3].accused;
		}
		print_message("program %zu: all of them in %zu, the innocent accused in %zu of "
			      "%zu\n", p, hold, accused_wrongly, runs);
		assert_true(hold * 100 >= runs * 93);
		assert_true(accused_wrongly * 100 <= runs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_largest_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(as_few_as_possible, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_frees_is_not_accused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(neighbours_that_jitter_are_accused_together,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_growth_nobody, set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_few_events_accuse_nobody, set_up, tear_down),
		cmocka_unit_test_setup_teardown(intervals_hold_together, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
