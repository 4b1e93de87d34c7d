/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of what was certainly kept: what is a leak, what only a suspect, and until when. */
#include "analyse/site/claim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define EVENTS 1000
#define MATERIAL 1e6

static struct seep_cohort cohort;
static struct seep_cohort_clock clock;

/* A site that kept as much as matters, in 10 of 1000 events all over the run. */
static int make(void **state)
{
	(void)state;
	clock = (struct seep_cohort_clock){
		.begun = EVENTS, .complete = EVENTS, .material_bytes = MATERIAL,
	};
	cohort = (struct seep_cohort){
		.verdict = SEEP_SITE_LEAK,
		.profile = { .events = EVENTS, .since = 990, .filled = 10, .distinct = 10,
			     .occurrences = 30, .coverage = .01, .spread = .2, .widest = .01,
			     .blocks = 10, .bytes = MATERIAL },
	};
	return 0;
}

static void expect(enum seep_doubt doubt, double events_least, double events_most)
{
	seep_claim_weigh(&cohort, &clock);
	assert_int_equal(cohort.doubt, doubt);
	assert_int_equal(cohort.verdict, doubt ? SEEP_SITE_SUSPECT : SEEP_SITE_LEAK);
	assert_true(cohort.events_needed >= events_least && cohort.events_needed <= events_most);
}

static void rarely_but_often_enough_is_a_leak(void **state)
{
	(void)state;
	expect(SEEP_DOUBT_NONE, 0, 0);
	make(NULL);
	cohort.profile.filled = 5;
	expect(SEEP_DOUBT_NONE, 0, 0);
}

static void a_few_events_are_not_enough(void **state)
{
	(void)state;
	cohort.profile.filled = 4; /* half as long again at least, and a tenth more than that */
	expect(SEEP_DOUBT_FEW, 1650, 1651);
	make(NULL);
	cohort.profile.filled = 1;
	expect(SEEP_DOUBT_FEW, 5500, 5501);
}

static void little_is_enough_if_every_event_keeps_it(void **state)
{
	(void)state;
	cohort.profile.bytes = MATERIAL / 4;
	expect(SEEP_DOUBT_SMALL, 4400, 4401);
	make(NULL);
	cohort.profile.bytes = MATERIAL / 4;
	cohort.profile.coverage = .5;
	expect(SEEP_DOUBT_NONE, 0, 0);
	assert_true(cohort.regular);
}

static void what_has_just_begun_must_last(void **state)
{
	(void)state;
	cohort.late = true;
	cohort.profile.coverage = 1;
	cohort.profile.since = 15;
	expect(SEEP_DOUBT_NEW, 2200, 2201);
	make(NULL);
	cohort.late = true;
	cohort.profile.coverage = 1;
	cohort.profile.since = 16;
	expect(SEEP_DOUBT_NONE, 0, 0);
}

static void a_few_stretches_are_no_habit(void **state)
{
	(void)state;
	cohort.profile.widest = .6;
	cohort.profile.distinct = 40;
	expect(SEEP_DOUBT_STRETCHES, 2200, 2201);
}

/* Slices of time are no cycle of the program. */
static void slices_must_keep_more(void **state)
{
	(void)state;
	clock.slices = true;
	cohort.profile.spread = .8;
	expect(SEEP_DOUBT_NONE, 0, 0);
	make(NULL);
	clock.slices = true;
	cohort.profile.spread = .8;
	cohort.profile.occurrences = 10;
	expect(SEEP_DOUBT_FEW, 2200, 2201);
	make(NULL);
	clock.slices = true;
	cohort.profile.spread = .8;
	cohort.profile.bytes = MATERIAL / 2;
	expect(SEEP_DOUBT_SMALL, 2200, 2201);
	make(NULL);
	clock.slices = true;
	cohort.profile.spread = .7;
	expect(SEEP_DOUBT_STRETCHES, 2200, 2201);
	make(NULL);
	clock.slices = true;
	cohort.profile.spread = .8;
	cohort.late = true;
	cohort.profile.since = EVENTS / 4 - 1;
	expect(SEEP_DOUBT_NEW, 2200, 2201);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(rarely_but_often_enough_is_a_leak, make),
		cmocka_unit_test_setup(a_few_events_are_not_enough, make),
		cmocka_unit_test_setup(little_is_enough_if_every_event_keeps_it, make),
		cmocka_unit_test_setup(what_has_just_begun_must_last, make),
		cmocka_unit_test_setup(a_few_stretches_are_no_habit, make),
		cmocka_unit_test_setup(slices_must_keep_more, make),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
