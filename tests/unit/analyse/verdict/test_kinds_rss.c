/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RSS alone: the shape decides, no verdict says "leak", and no run is too odd. */
#include "analyse/judge.h"

#include "fake_run.h"
#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expect.h"
#include "fake_test.h"

#define N 120
#define MB 1e6

static struct seep_verdict verdict;
static double y[N];

static void reach(size_t n, double scale, double level)
{
	size_t e;

	fake_release(&fake);
	fake_init(&fake, false);
	for (e = 0; e < n; e++)
		fake_begin(&fake, 0, (int64_t)(4096 * floor((y[e] + level) * scale / 4096)));
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
	assert_non_null(verdict.sentence);
	assert_null(strstr(verdict.sentence, "leak"));
	assert_false(verdict.from_heap);
	assert_true(isfinite(verdict.bytes_per_event.low) && isfinite(verdict.rise_bytes));
	assert_true(isfinite(verdict.bytes_per_event.high) && isfinite(verdict.events_needed));
}

static double rise(double e)
{
	return .5 * MB * e;
}

static double rest(double e)
{
	return 0 * e;
}

static double fill(double e)
{
	return -40 * MB * expm1(-e / 12);
}

static double step(double e)
{
	return e < 66 ? 0 : 40 * MB;
}

static double saw(double e)
{
	return 3 * MB * fmod(e, 11);
}

static const struct course {
	double (*level)(double e);
	enum seep_kind kind;
} courses[] = {
	{ rise, SEEP_KIND_GROWTH }, { rest, SEEP_KIND_FLAT }, { fill, SEEP_KIND_SATURATING },
	{ step, SEEP_KIND_STEP }, { saw, SEEP_KIND_SAWTOOTH },
};

#define N_COURSES (sizeof(courses) / sizeof(*courses))

static void make(const struct course *course, double noise_bytes, struct noise *noise)
{
	size_t e;

	for (e = 0; e < N; e++)
		y[e] = 200 * MB + course->level((double)e) + noise_bytes * noise_normal(noise);
}

/* Five courses, 5 seeds, noise of 100 kB; larger by a power of 2, or higher by a constant. */
static void the_shape_decides(void **state)
{
	size_t k, seed;

	(void)state;
	for (k = 0; k < N_COURSES; k++)
		for (seed = 1; seed <= 5; seed++) {
			struct noise noise = noise_seed(seed);
			double value;

			make(&courses[k], .1 * MB, &noise);
			reach(N, 1, 0);
			expect_kind(&verdict, courses[k].kind);
			value = verdict.bytes_per_event.value;
			reach(N, 4096, 0);
			expect_kind(&verdict, courses[k].kind);
			near(verdict.bytes_per_event.value / 4096, value, 2000);
			reach(N, 1, 100 * MB);
			expect_kind(&verdict, courses[k].kind);
			near(verdict.bytes_per_event.value, value, 2000);
		}
}

/* The first events of each, exact; levels of 0 and of a PB, and RSS that falls. */
static void few_events_say_nothing(void **state)
{
	static const double levels[] = { -200 * MB, 0, 1e15 };
	struct noise noise = noise_seed(1);
	size_t k, n, l;

	(void)state;
	for (k = 0; k < N_COURSES; k++)
		for (l = 0; l < 3; l++)
			for (n = 0; n <= 12; n++) {
				make(&courses[k], 0, &noise);
				reach(n, 1, levels[l]);
				if (n < 10)
					expect_kind(&verdict, SEEP_KIND_UNDECIDED);
				reach(n, -1, 0);
				assert_true(verdict.kind != SEEP_KIND_GROWTH);
			}
}

/*
 * A published column of ten readings, in MB: memory rises where an event takes more steps than
 * any before it, and stays.  Nothing of it grows with the number of events.
 */
static void a_published_column_of_steps(void **state)
{
	static const double column[] = {
		4580.335, 4589.772, 4589.772, 4602.355, 4602.355, 4602.355, 4602.355, 4677.853,
		4677.853, 4677.853,
	};
	size_t e;

	(void)state;
	for (e = 0; e < 10; e++)
		y[e] = column[e] * MB;
	reach(10, 1, 0);
	assert_true(verdict.kind == SEEP_KIND_STEP || verdict.kind == SEEP_KIND_FLAT ||
		    verdict.kind == SEEP_KIND_UNDECIDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_shape_decides, set_up, tear_down),
		cmocka_unit_test_setup_teardown(few_events_say_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_published_column_of_steps, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
