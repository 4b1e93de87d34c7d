/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cohorts at the edge of what can be judged. */
#include "analyse/site/cohort.h"

#include "fake_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

/* Its snapshot is older than the end of its last event: that one may yet free its blocks. */
static void last_event_of_a_killed_run_is_not_complete(void **state)
{
	struct seep_cohort_clock clock;

	(void)state;
	for (int64_t e = 0; e < 10; e++) {
		fake_begin(&fake, 1000 * e, 0);
		if (e == 9)
			fake_snapshot(&fake);
		fake_end(&fake, 1000 * e + 1000, 0);
	}
	fake.run.live_bytes = 9500;
	fake.run.last_ended = true;
	clock = seep_cohort_read_clock(&fake.run);
	assert_int_equal(clock.complete, 10); /* by the final snapshot */
	fake.run.snapshot_final = false;
	clock = seep_cohort_read_clock(&fake.run);
	assert_int_equal(clock.begun, 10);
	assert_int_equal(clock.complete, 9);
}

/* The spread of one cohort is not known: it is taken to be that of the others. */
static void one_old_cohort_is_no_trend(void **state)
{
	static const double kept[] = { 0, 100, 20, 64, 40, 40 };
	const struct seep_cohort_clock clock = { .begun = 6, .complete = 6 };
	struct seep_site *site = fake_site(&fake, 6, kept, 100);
	struct seep_cohort cohort;

	(void)state;
	fake_deaths(site, 0, 1);
	seep_cohort_judge(&cohort, site, clock);
	assert_int_not_equal(cohort.verdict, SEEP_SITE_FILLING);
	site->cohorts.live_blocks[3] = 24; /* the two are alike: this is less */
	seep_cohort_judge(&cohort, site, clock);
	assert_int_equal(cohort.verdict, SEEP_SITE_FILLING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(last_event_of_a_killed_run_is_not_complete, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(one_old_cohort_is_no_trend, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
