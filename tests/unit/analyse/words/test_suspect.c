/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sites that are only suspect: how much they keep, in which order, and why they are. */
#include "analyse/words/suspect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

#define SITES 4

static struct seep_verdict verdict;
static struct seep_site_result results[SITES];

/* 100 events 10 ms apart; the sites keep blocks of 56 B in every 50th, 20th, 10th and each. */
static void put(enum seep_event_source source)
{
	static const size_t every[SITES] = { 50, 20, 10, 1 };
	double blocks[100];

	fake.run.event_source = source;
	for (size_t e = 0; e < 100; e++) {
		fake.now_ns += 9000000;
		fake_begin(&fake, 1000000, 0);
	}
	for (size_t i = 0; i < SITES; i++) {
		for (size_t e = 0; e < 100; e++)
			blocks[e] = e >= 10 && !(e % every[i]);
		fake_site(&fake, 100, blocks, 56);
	}
	for (size_t i = 0; i < SITES; i++)
		results[i] = (struct seep_site_result){
			.site = &fake.run.sites[i], .verdict = SEEP_SITE_SUSPECT,
			.doubt = SEEP_DOUBT_FEW, .events_needed = 250,
		};
	results[3].verdict = SEEP_SITE_LEAK;
	verdict = (struct seep_verdict){ .sites = results, .n_sites = SITES };
}

static const struct seep_suspect *list(size_t expected)
{
	size_t n;
	const struct seep_suspect *found = seep_suspect_list(&fake.run, &verdict, &fake.arena, &n);

	assert_int_equal(n, expected);
	return found;
}

static void most_bytes_come_first(void **state)
{
	const struct seep_suspect *found;

	(void)state;
	put(SEEP_EVENTS_API);
	found = list(3);
	assert_int_equal(found[0].rank, 3);
	assert_int_equal(found[1].rank, 2);
	assert_int_equal(found[2].rank, 1);
	near(found[0].blocks, 9, 0);
	near(found[0].bytes, 9 * 56, 0);
	near(found[0].events, 9, 0);
	near(found[0].since, 90, 0);
	near(found[2].since, 50, 0);
}

static void nothing_is_no_list(void **state)
{
	(void)state;
	put(SEEP_EVENTS_API);
	for (size_t i = 0; i < SITES; i++)
		results[i].verdict = SEEP_SITE_NONE;
	list(0);
	verdict.n_sites = 0;
	list(0);
}

/* What the dumps of another profiler hold has no cohorts. */
static void dumps_have_levels(void **state)
{
	(void)state;
	put(SEEP_EVENTS_FILE);
	fake.run.n_dumps = 2;
	results[0].live_bytes = 5000;
	results[0].live_blocks = 10;
	near(list(3)[0].bytes, 5000, 0);
	near(list(3)[0].blocks, 10, 0);
}

static void expect(enum seep_doubt doubt, const char *why, const char *need)
{
	struct seep_unit unit = seep_unit_of(&fake.run, &verdict);
	const struct seep_suspect *found;

	results[0].doubt = doubt;
	found = &list(3)[2];
	assert_ptr_equal(found->result, &results[0]);
	assert_string_equal(seep_suspect_tell(found, &unit, &fake.arena), why);
	assert_string_equal(seep_suspect_need(found, &unit, &fake.arena), need);
}

static void reasons_in_events(void **state)
{
	static const char *const need = "about 150 more events would settle it";

	(void)state;
	put(SEEP_EVENTS_API);
	expect(SEEP_DOUBT_FEW, "kept in only 1 event", "about 150 more would settle it");
	expect(SEEP_DOUBT_NEW, "began only 50 events ago", "about 150 more would settle it");
	expect(SEEP_DOUBT_SMALL, "too small to matter (--material)", need);
	expect(SEEP_DOUBT_STRETCHES, "kept in stretches, with long pauses", need);
	expect(SEEP_DOUBT_REPLACED, "the heap may be level: others may free as much", need);
	expect(SEEP_DOUBT_TOLERATED, "the heap grew too, but by less than is tolerated", need);
	results[0].events_needed = 0;
	expect(SEEP_DOUBT_COLLECTOR, "a garbage collector may still free them", "");
	expect(SEEP_DOUBT_NONE, "not enough to tell", "");
	results[0].events_needed = 99; /* that many there were */
	expect(SEEP_DOUBT_FEW, "kept in only 1 event", "");
}

static void reasons_in_seconds(void **state)
{
	(void)state;
	put(SEEP_EVENTS_TIME);
	expect(SEEP_DOUBT_FEW, "kept only once", "about 1.5 s more would settle it");
	expect(SEEP_DOUBT_NEW, "began only 500 ms ago", "about 1.5 s more would settle it");
	expect(SEEP_DOUBT_SMALL, "too small to matter (--material)",
	       "about 1.5 s more would settle it");
}

static void each_doubt_has_a_name(void **state)
{
	(void)state;
	assert_null(seep_verdict_doubt_name(SEEP_DOUBT_NONE));
	for (int i = SEEP_DOUBT_FEW; i <= SEEP_DOUBT_COLLECTOR; i++)
		assert_non_null(seep_verdict_doubt_name((enum seep_doubt)i));
	assert_string_equal(seep_verdict_site_name(SEEP_SITE_SUSPECT), "suspect");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(most_bytes_come_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_is_no_list, set_up, tear_down),
		cmocka_unit_test_setup_teardown(dumps_have_levels, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reasons_in_events, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reasons_in_seconds, set_up, tear_down),
		cmocka_unit_test(each_doubt_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
