/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/gate/budget.h"
#include "analyse/series/trend.h"
#include "cli/common/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_test.h"

static struct seep_verdict verdict;
static struct seep_budget_answer answer;
static struct seep_estimate baseline;

static void expect_budget(const char *text, double bytes, bool per_second)
{
	struct seep_budget budget = { 0 };
	struct seep_err err = { 0 };

	if (seep_options_budget("--budget", text, &budget, &err))
		fail_msg("'%s': %s", text, err.text);
	near(budget.bytes, bytes, 1e-9);
	assert_int_equal(budget.per_second, per_second);
}

static void test_budgets(void **state)
{
	(void)state;
	expect_budget("0", 0, false);
	expect_budget("0/event", 0, false);
	expect_budget("0/s", 0, true);
	expect_budget("100B/event", 100, false);
	expect_budget("100", 100, false);
	expect_budget("1kB/event", 1000, false);
	expect_budget("1KiB/event", 1024, false);
	expect_budget("64k", 64000, false);
	expect_budget("2.5 MiB/event", 2.5 * 1048576, false);
	expect_budget("2.5 MiB / event", 2.5 * 1048576, false);
	expect_budget("0.5B/event", .5, false);
	expect_budget("1MB/s", 1e6, true);
	expect_budget("1mb/S", 1e6, true);
	expect_budget("3 GB/sec", 3e9, true);
	expect_budget("3GB/second", 3e9, true);
}

static void test_no_budgets(void **state)
{
	static const char *const wrong[] = {
		"", " ", "/", "/event", "event", "x", "-1", "-1kB/event", "+1", "1e3", "0x10",
		"inf", "nan", "1kB/", "1kB/events/s", "1kB/hour", "1 k B", "1kB/event ", "1kBs",
		"kB", "1,5kB", "99999999999999999999", "1kB/event/event",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct seep_budget budget = { 0 };
		struct seep_err err = { 0 };

		if (!seep_options_budget("--budget", wrong[i], &budget, &err))
			fail_msg("'%s' was taken for %g", wrong[i], budget.bytes);
		assert_non_null(strstr(err.text, "--budget: '"));
		assert_non_null(strstr(err.text, "64kB/event"));
	}
}

/* A run of n events, 10 ms apart, and a verdict on it. */
static void put(enum seep_kind kind, size_t n, double value, double low, double high)
{
	fake.run.event_source = SEEP_EVENTS_API;
	for (size_t e = 0; e < n; e++) {
		fake.now_ns += 9000000;
		fake_begin(&fake, 0, 0);
	}
	verdict = (struct seep_verdict){
		.kind = kind, .from_heap = true, .events_used = (int64_t)n,
		.bytes_per_event = { true, value, low, high }, .bytes_per_s = value * 100,
	};
}

static enum seep_budget_outcome ask(double bytes, bool per_second)
{
	struct seep_budget_question question = {
		.run = &fake.run, .verdict = &verdict, .budget = { bytes, per_second },
		.min_events = 10, .baseline = baseline.known ? &baseline : NULL,
	};

	question.budget = seep_budget_settle(question.budget, &fake.run);
	seep_budget_judge(&answer, &question, &fake.arena);
	assert_non_null(answer.why);
	return answer.outcome;
}

static void expect_why(const char *words)
{
	if (!strstr(answer.why, words))
		fail_msg("\"%s\" is not in: %s", words, answer.why);
}

static void test_over_and_within(void **state)
{
	(void)state;
	put(SEEP_KIND_LEAK, 100, 1000, 900, 1100);
	assert_int_equal(ask(500, false), SEEP_BUDGET_OVER);
	expect_why("over the budget of 500 B/event");
	assert_int_equal(ask(899, false), SEEP_BUDGET_OVER);
	verdict.bytes_per_event = (struct seep_estimate){ true, -.001, -.004, .004 };
	assert_int_equal(ask(899, false), SEEP_BUDGET_WITHIN);
	expect_why("the rate is 0 B/event (95 %: 0 B to 0 B)");
	verdict.bytes_per_event = (struct seep_estimate){ true, 1000, 900, 1100 };
	assert_int_equal(ask(900, false), SEEP_BUDGET_OPEN);
	assert_int_equal(ask(1099, false), SEEP_BUDGET_OPEN);
	assert_int_equal(ask(1100, false), SEEP_BUDGET_WITHIN);
	assert_int_equal(ask(0, false), SEEP_BUDGET_OVER);
}

static void test_kinds_that_grow(void **state)
{
	static const enum seep_kind grow[] = {
		SEEP_KIND_LEAK, SEEP_KIND_NON_HEAP, SEEP_KIND_GROWTH, SEEP_KIND_RETENTION,
		SEEP_KIND_FRAGMENTATION,
	};
	static const enum seep_kind rest[] = {
		SEEP_KIND_FLAT, SEEP_KIND_SAWTOOTH, SEEP_KIND_CACHE, SEEP_KIND_SATURATING,
		SEEP_KIND_STEP,
	};

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		put(grow[i], 100, 1000, 900, 1100);
		assert_int_equal(ask(100, false), SEEP_BUDGET_OVER);
		put(rest[i], 100, 1000, 900, 1100);
		assert_int_equal(ask(100, false), SEEP_BUDGET_OPEN);
		assert_int_equal(ask(1100, false), SEEP_BUDGET_WITHIN);
		assert_int_equal(ask(0, false), rest[i] == SEEP_KIND_FLAT ? SEEP_BUDGET_WITHIN
									  : SEEP_BUDGET_OPEN);
		put(rest[i], 100, 100, -900, 1100);
		assert_int_equal(ask(0, false), SEEP_BUDGET_WITHIN);
		expect_why("no growth was found; growth above 1100 B/event would have been");
	}
}

/* A suspect keeps a little for certain, and the kind decides all the same. */
static void test_flat_is_within_nothing(void **state)
{
	(void)state;
	put(SEEP_KIND_FLAT, 100, 3, 2, 5);
	assert_int_equal(ask(0, false), SEEP_BUDGET_WITHIN);
	expect_why("what is kept, 5 B/event at most, is too little to matter");
	assert_int_equal(ask(1, false), SEEP_BUDGET_OPEN);
}

/* What rose and ended need not stand still, if what it adds would not matter. */
static void test_ended_is_within_nothing(void **state)
{
	struct seep_trend trend = { .tolerance = 50 };

	(void)state;
	put(SEEP_KIND_CACHE, 100, 30, 20, 50);
	verdict.basis.trend = &trend;
	assert_int_equal(ask(0, false), SEEP_BUDGET_WITHIN);
	expect_why("what is kept, 50 B/event at most, is too little to matter");
	trend.tolerance = 49;
	assert_int_equal(ask(0, false), SEEP_BUDGET_OPEN);
}

/* Nobody knows yet whether it goes on, but for a budget that it exceeds by now. */
static void test_fragmentation_that_slows_down(void **state)
{
	(void)state;
	put(SEEP_KIND_FRAGMENTATION, 100, 1000, 900, 1100);
	assert_int_equal(ask(0, false), SEEP_BUDGET_OVER);
	verdict.slows_down = true;
	assert_int_equal(ask(0, false), SEEP_BUDGET_OPEN);
	expect_why("but the verdict is fragmentation");
	assert_int_equal(ask(100, false), SEEP_BUDGET_OVER);
}

static void test_undecided(void **state)
{
	(void)state;
	put(SEEP_KIND_UNDECIDED, 100, 1000, 900, 1100);
	verdict.events_needed = 250;
	verdict.sentence = "no site explains it";
	assert_int_equal(ask(100, false), SEEP_BUDGET_OPEN);
	expect_why("but the verdict is undecided: no site explains it");
	near(answer.events_more, 150, 0);
	assert_int_equal(ask(0, false), SEEP_BUDGET_OPEN);
	assert_int_equal(ask(2000, false), SEEP_BUDGET_WITHIN);
	verdict.bytes_per_event.known = false;
	assert_int_equal(ask(2000, false), SEEP_BUDGET_OPEN);
	expect_why("no site explains it");
}

/* The heap is flat, and RSS is not: its rate is not that of the program. */
static void test_growth_outside(void **state)
{
	(void)state;
	put(SEEP_KIND_UNDECIDED, 100, 0, 0, 0);
	verdict.sum = (struct seep_closing_sum){ .known = true, .clear = true, .rss = 6000,
						 .tracker = 1000, .residual = 5000 };
	assert_int_equal(ask(1000, false), SEEP_BUDGET_OPEN);
	expect_why("the heap stays within the budget, but RSS grows by about 5000 B/event more");
	assert_int_equal(ask(5000, false), SEEP_BUDGET_WITHIN);
}

static void test_events_more(void **state)
{
	(void)state;
	/* A random walk: twice as far from the budget takes a quarter of the events. */
	put(SEEP_KIND_LEAK, 100, 1000, 800, 1200);
	assert_int_equal(ask(900, false), SEEP_BUDGET_OPEN);
	near(answer.events_more, 300, 1);
	expect_why("the budget of 900 B/event is inside that interval");
	assert_int_equal(ask(1001, false), SEEP_BUDGET_OPEN);
	near(answer.events_more, 0, 0);
	expect_why("the run would pass with a budget of 1200 B/event");
}

static void test_few_events(void **state)
{
	(void)state;
	put(SEEP_KIND_LEAK, 7, 1000, 900, 1100);
	assert_int_equal(ask(100, false), SEEP_BUDGET_OPEN);
	expect_why("only 7 events; 10 are required (--min-events)");
	near(answer.events_more, 3, 0);
}

static void test_no_events(void **state)
{
	(void)state;
	put(SEEP_KIND_UNDECIDED, 0, 0, 0, 0);
	assert_int_equal(ask(100, false), SEEP_BUDGET_OPEN);
	expect_why("no event was seen");
}

static void test_per_second(void **state)
{
	(void)state;
	put(SEEP_KIND_LEAK, 100, 1000, 900, 1100);
	assert_int_equal(ask(80000, true), SEEP_BUDGET_OVER);
	near(answer.rate.value, 100000, 1e-6);
	assert_int_equal(ask(110000, true), SEEP_BUDGET_WITHIN);
	/* Where nothing grows the pace is that of the events. */
	put(SEEP_KIND_FLAT, 0, 0, 0, 10);
	assert_int_equal(ask(1001, true), SEEP_BUDGET_WITHIN);
	near(answer.scale, 100, 1e-6);
}

static void test_slices(void **state)
{
	(void)state;
	put(SEEP_KIND_LEAK, 100, 1000, 900, 1100);
	fake.run.event_source = SEEP_EVENTS_TIME;
	assert_int_equal(ask(100, false), SEEP_BUDGET_OPEN);
	expect_why("set one per second");
	assert_int_equal(ask(100, true), SEEP_BUDGET_OVER);
	assert_int_equal(ask(0, false), SEEP_BUDGET_OVER);
	expect_why("0 B/s");
}

static void test_baseline(void **state)
{
	(void)state;
	put(SEEP_KIND_LEAK, 100, 1000, 970, 1030);
	baseline = (struct seep_estimate){ true, 900, 860, 940 };
	/* 100, with the errors 30 and 40 at right angles. */
	assert_int_equal(ask(49, false), SEEP_BUDGET_OVER);
	near(answer.beyond.value, 100, 1e-9);
	near(answer.beyond.low, 50, 1e-9);
	near(answer.beyond.high, 150, 1e-9);
	expect_why("100 B/event beyond the baseline (95 %: 50 B to 150 B)");
	assert_int_equal(ask(51, false), SEEP_BUDGET_OPEN);
	assert_int_equal(ask(150, false), SEEP_BUDGET_WITHIN);
	assert_int_equal(ask(0, false), SEEP_BUDGET_OVER);
	/* The same as before is not more, as far as can be seen. */
	baseline = (struct seep_estimate){ true, 1000, 980, 1020 };
	assert_int_equal(ask(0, false), SEEP_BUDGET_WITHIN);
	baseline = (struct seep_estimate){ true, 1000, 800, 1200 };
	assert_int_equal(ask(0, false), SEEP_BUDGET_OPEN);
	/* Better than before is within any budget. */
	baseline = (struct seep_estimate){ true, 2000, 1900, 2100 };
	assert_int_equal(ask(0, false), SEEP_BUDGET_WITHIN);
	baseline.known = false;
}

#define BUDGET_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* A run that rose and stopped has grown, and so has one that grows no more than another. */
static void test_words_for_no_growth(void **state)
{
	(void)state;
	put(SEEP_KIND_FLAT, 100, 0, 0, 0);
	assert_int_equal(ask(0, false), SEEP_BUDGET_WITHIN);
	expect_why("there is no growth at all");
	verdict.kind = SEEP_KIND_SATURATING;
	verdict.rise_bytes = 5e6;
	assert_int_equal(ask(0, false), SEEP_BUDGET_WITHIN);
	expect_why("it rose by 5.00 MB, and no longer grows");
	verdict.bytes_per_event = (struct seep_estimate){ true, 100, 90, 110 };
	verdict.kind = SEEP_KIND_LEAK;
	baseline = (struct seep_estimate){ true, 200, 190, 210 };
	assert_int_equal(ask(0, false), SEEP_BUDGET_WITHIN);
	expect_why("it does not grow by more than the baseline");
	baseline.known = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_budgets),
		cmocka_unit_test(test_no_budgets),
		BUDGET_TEST(test_over_and_within),
		BUDGET_TEST(test_kinds_that_grow),
		BUDGET_TEST(test_undecided),
		BUDGET_TEST(test_growth_outside),
		BUDGET_TEST(test_events_more),
		BUDGET_TEST(test_few_events),
		BUDGET_TEST(test_no_events),
		BUDGET_TEST(test_per_second),
		BUDGET_TEST(test_flat_is_within_nothing),
		BUDGET_TEST(test_ended_is_within_nothing),
		BUDGET_TEST(test_fragmentation_that_slows_down),
		BUDGET_TEST(test_slices),
		BUDGET_TEST(test_baseline),
		BUDGET_TEST(test_words_for_no_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
