/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sites that look like a leak, or do not, because of what the rest of the program does. */
#include "analyse/site/cohort.h"

#include "fake_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

#define SLICES 100

static double blocks[SLICES];

/*
 * A server that loses something with each request, in slices of time; no request comes in the
 * third and fourth fifths of the run.  If the heap did not change there, the program paused; if it
 * did, the program worked and lost nothing.
 */
static void a_pause_of_the_program_is_not_a_gap(void **state)
{
	static double index[SLICES], busy[SLICES], always[SLICES];
	struct seep_cohort_clock clock = {
		.begun = SLICES, .complete = SLICES, .slices = true, .material_bytes = 1000,
		.index = index, .work = busy, .n_work = SLICES,
	};
	struct seep_site *site;
	struct seep_cohort cohort;
	size_t e;

	(void)state;
	for (e = 0; e < SLICES; e++) {
		bool pause = e >= 2 * SLICES / 5 && e < 4 * SLICES / 5;

		blocks[e] = pause ? 0 : 2;
		index[e] = always[e] = (double)e;
		busy[e] = e ? busy[e - 1] + !pause : 0;
	}
	site = fake_site(&fake, SLICES, blocks, 100);
	seep_cohort_judge(&cohort, site, clock);
	assert_int_equal(cohort.verdict, SEEP_SITE_LEAK);
	clock.work = always;
	seep_cohort_judge(&cohort, site, clock);
	assert_int_equal(cohort.verdict, SEEP_SITE_SUSPECT);
	assert_int_equal(cohort.doubt, SEEP_DOUBT_STRETCHES);
}

static struct seep_cohort judge(const struct seep_site *site)
{
	struct seep_cohort_clock clock = { .begun = SLICES, .complete = SLICES };
	struct seep_cohort cohort;

	seep_cohort_judge(&cohort, site, clock);
	return cohort;
}

/* A table of fixed size replaces entries at random, so many blocks die at a great age. */
static void old_deaths_are_a_cache(void **state)
{
	struct seep_site *site;
	size_t e;

	(void)state;
	for (e = 0; e < 100; e++)
		blocks[e] = 1;
	site = fake_site(&fake, 100, blocks, 62);
	fake_deaths(site, 0, 20000);
	assert_false(judge(site).frees_old);
	fake_deaths(site, 20, 60);
	assert_true(judge(site).frees_old);
	assert_false(judge(site).frees_older);
	fake_deaths(site, 40, 60);
	assert_true(judge(site).frees_older);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_pause_of_the_program_is_not_a_gap, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(old_deaths_are_a_cache, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
