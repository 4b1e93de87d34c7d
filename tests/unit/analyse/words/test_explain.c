/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps by which a verdict was reached, for runs that have much to tell and for others. */
#include "analyse/words/explain.h"
#include "analyse/judge.h"
#include "analyse/words/explain_rules.h"

#include "fake_life.h"
#include "fake_run.h"
#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

#define STEPS_MAX 24

static struct seep_verdict verdict;

static void start(bool has_heap)
{
	fake_release(&fake);
	fake_init(&fake, has_heap);
}

static void expect_no_nan(const char *text)
{
	static const char *const bad[] = { "nan", " inf", "-inf", "(inf", "(null)" };
	size_t k;

	assert_non_null(text);
	assert_true(strlen(text) > 0);
	for (k = 0; k < sizeof(bad) / sizeof(*bad); k++)
		if (strstr(text, bad[k]))
			fail_msg("\"%s\" is in: %s", bad[k], text);
}

static void explain(void)
{
	size_t k;

	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
	assert_in_range(verdict.n_reasoning, 0, STEPS_MAX);
	expect_no_nan(verdict.sentence);
	for (k = 0; k < verdict.n_reasoning; k++)
		expect_no_nan(verdict.reasoning[k]);
}

static bool is_said(const char *words)
{
	size_t k;

	for (k = 0; k < verdict.n_reasoning; k++)
		if (strstr(verdict.reasoning[k], words))
			return true;
	return false;
}

static void expect_words(const char *words)
{
	if (!is_said(words))
		fail_msg("\"%s\" is in none of %zu steps", words, verdict.n_reasoning);
}

/* Events with a level each; RSS is above by as much as is given, if it is. */
static void make_events(size_t n, double (*level)(size_t), double rss)
{
	size_t e;

	for (e = 0; e < n; e++) {
		int64_t live = (int64_t)level(e);

		fake_begin(&fake, live, rss > 0 ? live + (int64_t)rss : 0);
		fake_end(&fake, live, 0);
	}
	fake_snapshot(&fake);
}

static double rest(size_t e)
{
	return 1e8 + 0 * (double)e;
}

static double rise(size_t e)
{
	return 1e8 + 1e5 * (double)e;
}

static double wave(size_t e)
{
	return 1e8 + 1e6 * (double)(e * 7919 % 13);
}

static double saw(size_t e)
{
	return 1e8 + 1e6 * (double)(e % 12);
}

static double stair(size_t e)
{
	return 1e8 + 5e6 * (double)(e / 9);
}

static double extreme(size_t e)
{
	return e % 2 ? 1e15 : 1;
}

static void runs_with_nothing_to_tell(void **state)
{
	(void)state;
	start(false);
	explain();
	assert_int_equal(verdict.n_reasoning, 1);
	expect_words("decided by rule no-events: were no events seen?  Yes: ");
	start(true);
	explain();
	start(true);
	make_events(1, rest, 5e7);
	explain();
	start(false);
	make_events(1, rest, 5e7);
	explain();
	start(true);
	make_events(1, rest, 0); /* RSS was never read */
	explain();
	assert_false(is_said("RSS: "));
}

/* Few events and many, of all levels, with a heap and without. */
static void no_run_is_too_odd(void **state)
{
	static double (*const levels[])(size_t) = { rest, rise, wave, saw, stair, extreme };
	struct noise noise = noise_seed(1);
	size_t n, k;

	(void)state;
	for (n = 0; n <= 40; n += n < 13 ? 1 : 9)
		for (k = 0; k < sizeof(levels) / sizeof(*levels); k++) {
			start(false);
			make_events(n, levels[k], 5e7);
			explain();
			assert_false(is_said("live heap"));
			assert_false(is_said("sites"));
			start(true);
			make_events(n, levels[k], n % 2 ? 5e7 : 0);
			fake_life(&fake, &lives[(n + k) % N_LIVES], n, &noise);
			if (k % 2)
				fake.run.sampling.mean_bytes = 512000;
			explain();
			if (n)
				expect_words("sites: of 1");
		}
}

/* Each step that decides is told, with its numbers. */
static void what_decides_is_told(void **state)
{
	static const double kept[] = { [0] = 1 };

	(void)state;
	start(true);
	make_events(60, rise, 5e7);
	explain();
	expect_words("live heap: straight-line fit after 1 warm-up anchor: 100 kB per event");
	expect_words("live heap: shape line; worse by BIC: flat ");
	expect_words("it grows");
	expect_words("RSS: at the end 100 kB per event");
	start(true);
	make_events(60, saw, 0);
	explain();
	expect_words("live heap: 4 drops of 11.0 MB on average; judged by its troughs");
	expect_words("it goes up and down, but its troughs do not rise");
	start(true);
	make_events(60, stair, 0);
	explain();
	expect_words("live heap: rises in 6 steps of 5.00 MB on average");
	start(true);
	make_events(20, rest, 0);
	fake_site(&fake, 1, kept, 100);
	explain();
	expect_words("it does not grow");
	expect_words("sites that seem to keep nothing: ");
	assert_false(is_said("levelling off")); /* shapes that were not tried are not listed */
}

static size_t find_rule(const char *id)
{
	size_t i = 0;

	while (i < seep_rules_n && strcmp(seep_rules[i].id, id))
		i++;
	return i;
}

/* The first step names the rule, with what it was answered by; the next ones what was not. */
static void the_rule_is_told_first(void **state)
{
	static const double kept[] = { [0] = 1 };

	(void)state;
	start(true);
	make_events(60, rest, 0);
	fake_site(&fake, 1, kept, 100);
	explain();
	assert_string_equal(verdict.rule->id, "flat");
	assert_non_null(strstr(verdict.reasoning[0], "decided by rule flat: is growth beyond the "
			       "tolerance excluded?  Yes: live heap changes by 0 B per event"));
	assert_string_equal(verdict.reasoning[1], "before it, rule leak-sites: do sites leak, "
			    "whatever the total does?  No: 0 of 1 site leak, 0 are suspect");
	assert_non_null(strstr(verdict.reasoning[2], "before it, rule outside: "));
	start(false);
	make_events(60, rise, 5e7);
	explain();
	assert_non_null(strstr(verdict.reasoning[0], "decided by rule rss-grows: "));
	assert_null(strstr(verdict.reasoning[1], " rule "));
}

/* Whoever adds a rule says what its numbers are, and what would be expected instead. */
static void each_rule_has_numbers(void **state)
{
	const struct seep_rule *before[SEEP_EXPLAIN_BEFORE];
	static struct seep_evidence evidence;
	struct seep_unit unit;
	size_t i, n, more = 0;

	(void)state;
	start(true);
	make_events(60, wave, 0);
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
	seep_evidence_gather(&evidence, &fake.run, 0, &fake.arena);
	unit = seep_unit_of(&fake.run, &verdict);
	for (i = 0; i < seep_rules_n; i++) {
		const char *text = seep_explain_numbers(&seep_rules[i], &evidence, &unit,
							&fake.arena);

		if (!text)
			fail_msg("words/explain_rules.c lacks the rule %s", seep_rules[i].id);
		expect_no_nan(text);
		n = seep_explain_before(&seep_rules[i], &evidence, before);
		while (n--) {
			more++;
			assert_true(before[n] < &seep_rules[i]);
			assert_false(before[n]->holds(&evidence));
		}
	}
	assert_true(more > seep_rules_n);
	assert_true(find_rule("leak-sites") < find_rule("flat"));
	assert_true(find_rule("outside") < find_rule("flat"));
}

static void leaks_and_their_closure(void **state)
{
	struct noise noise = noise_seed(2);

	(void)state;
	start(true);
	make_events(60, rise, 0);
	fake_life(&fake, &lives[0], 60, &noise);
	explain();
	expect_words("sites: of 1, 1 leak, 0 fill up");
	expect_words("based on the blocks of 60 events");
	expect_words("cross-check: the leaking sites keep 500 B per event");
}

static void anchors_and_the_probe(void **state)
{
	size_t e;

	(void)state;
	start(true);
	for (e = 0; e < 60; e++) {
		struct seep_anchor anchor = {
			.rss_bytes = 100000000 + 500000 * (int64_t)e, .live_bytes = 40000000,
			.allocator_bytes = 50000000 + 500000 * (int64_t)e,
			.flags = SEEP_ANCHOR_ALLOCATOR | SEEP_ANCHOR_RESIDENT,
		};

		fake_begin(&fake, anchor.live_bytes, anchor.rss_bytes);
		fake_anchor(&fake, &anchor);
	}
	explain();
	expect_words("from the first anchors to the last: RSS 28.0 MB, live heap 0 B, free in the "
		     "allocator 28.0 MB");
	assert_false(is_said("was asked"));
	fake.run.probe = (struct seep_probe){
		.done = true, .asked = true, .rss_before_bytes = 130000000,
		.rss_after_bytes = 100000000, .heap_resident_bytes = 80000000,
		.live_bytes = 40000000,
	};
	explain();
	expect_words("the allocator was asked to give back its free memory: it gave back 30.0 MB "
		     "of 40.0 MB, 75 %");
	fake.run.probe.heap_resident_bytes = 0;
	explain();
	expect_words("0 B of 0 B, 0 %");
}

static void restarts_are_told(void **state)
{
	size_t e;

	(void)state;
	start(true);
	for (e = 0; e < 60; e++) {
		fake_begin(&fake, 100000000 + 100000 * (int64_t)(e % 20), 0);
		fake.run.events[e].index = (int64_t)(e % 20);
	}
	explain();
	expect_words("live heap: 3 parts between restarts, judged separately and pooled");
	assert_false(is_said("they grow at different rates"));
	for (e = 20; e < 40; e++)
		fake.run.stamps[fake.run.events[e].first_stamp].live_bytes = 100000000;
	explain();
	expect_words("they grow at different rates");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(runs_with_nothing_to_tell, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_run_is_too_odd, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_decides_is_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_rule_is_told_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_rule_has_numbers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(leaks_and_their_closure, set_up, tear_down),
		cmocka_unit_test_setup_teardown(anchors_and_the_probe, set_up, tear_down),
		cmocka_unit_test_setup_teardown(restarts_are_told, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
