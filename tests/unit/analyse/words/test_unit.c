/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events are counted; slices of time are told in seconds, wherever a user reads of them. */
#include "analyse/words/unit.h"
#include "analyse/gate/budget.h"
#include "analyse/judge.h"
#include "base/duration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

static struct seep_verdict verdict;

/* n events, 100 ms apart, in each of which memory rises by so much. */
static void put(size_t n, double rise, enum seep_event_source source)
{
	fake.run.event_source = source;
	for (size_t e = 0; e < n; e++) {
		int64_t bytes = 100000000 + (int64_t)(rise * (double)e);

		fake.now_ns += 98000000;
		fake_begin(&fake, bytes, bytes);
		fake_end(&fake, bytes, bytes);
	}
	fake.run.wall_ns = fake.now_ns;
	fake_snapshot(&fake);
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
}

static void events_are_counted(void **state)
{
	struct seep_unit unit;

	(void)state;
	put(40, 1000, SEEP_EVENTS_API);
	unit = seep_unit_of(&fake.run, &verdict);
	assert_false(unit.time);
	assert_string_equal(unit.per, "event");
	near(seep_unit_scale(&unit, 7), 7, 1e-9);
	assert_string_equal(seep_unit_span(&unit, 1, &fake.arena), "1 event");
	assert_string_equal(seep_unit_span(&unit, 30, &fake.arena), "30 events");
	assert_string_equal(seep_unit_short_span(&unit, 30, &fake.arena), "30");
	assert_string_equal(seep_unit_moment(&unit, 30, &fake.arena), "event 30");
	assert_non_null(strstr(verdict.sentence, "1000 B per event"));
}

static void slices_are_seconds(void **state)
{
	struct seep_unit unit;

	(void)state;
	put(40, 1000, SEEP_EVENTS_TIME);
	unit = seep_unit_of(&fake.run, &verdict);
	assert_true(unit.time);
	assert_string_equal(unit.per, "second");
	near(seep_unit_scale(&unit, 7), 70, 1e-6);
	assert_string_equal(seep_unit_span(&unit, 30, &fake.arena), "3.0 s");
	assert_string_equal(seep_unit_short_span(&unit, 30, &fake.arena), "3.0 s");
	assert_string_equal(seep_unit_moment(&unit, 30, &fake.arena), "3.1 s");
	assert_non_null(strstr(verdict.sentence, "10.0 kB per second"));
}

/* Whatever the run looks like, its user reads of no slices, and of no events. */
static void no_sentence_counts_slices(void **state)
{
	static const double rises[] = { 0, 3, 1000, 100000, -500 };

	(void)state;
	for (size_t n = 0; n < 60; n += n < 12 ? 1 : 8)
		for (size_t k = 0; k < sizeof(rises) / sizeof(*rises); k++) {
			fake_release(&fake);
			fake_init(&fake, n % 2);
			put(n, rises[k], SEEP_EVENTS_TIME);
			if (!n)
				continue;
			assert_null(strstr(verdict.sentence, "slice"));
			assert_null(strstr(verdict.sentence, "event"));
			for (size_t i = 0; i < verdict.n_reasoning; i++) {
				if (strstr(verdict.reasoning[i], " rule ")) /* by its id */
					continue;
				assert_null(strstr(verdict.reasoning[i], "slice"));
				assert_null(strstr(verdict.reasoning[i], "event"));
			}
		}
}

static void a_gate_asks_for_seconds(void **state)
{
	struct seep_budget_question question = {
		.run = &fake.run, .verdict = &verdict, .budget = { .per_second = true },
		.min_events = 100,
	};
	struct seep_budget_answer answer;

	(void)state;
	put(40, 1000, SEEP_EVENTS_TIME);
	seep_budget_judge(&answer, &question, &fake.arena);
	assert_int_equal(answer.outcome, SEEP_BUDGET_OPEN);
	assert_string_equal(answer.why, "only 4.0 s was seen; 10 s is required (--min-events 100)");
}

static void short_durations_have_digits(void **state)
{
	(void)state;
	assert_string_equal(seep_duration_format(0).text, "0 ms");
	assert_string_equal(seep_duration_format(.00025).text, "0.25 ms");
	assert_string_equal(seep_duration_format(.0025).text, "2.5 ms");
	assert_string_equal(seep_duration_format(.0125).text, "12 ms");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(events_are_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(slices_are_seconds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_sentence_counts_slices, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_gate_asks_for_seconds, set_up, tear_down),
		cmocka_unit_test(short_durations_have_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
