/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/cause/gauges.h"
#include "analyse/cause/rss_rise.h"
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

static struct seep_gauge_result *gauges;
static size_t n_gauges;

static void begin_events(size_t n, const double *rss)
{
	size_t e;

	for (e = 0; e < n; e++)
		fake_begin(&fake, 1000000, rss ? (int64_t)rss[e] : 50000000);
}

/* Anchors as the tracker takes them: in each of 16 events, then ever rarer. */
static void add_anchors(size_t n, const double *descriptors)
{
	struct seep_anchor *anchor;
	size_t e;

	for (e = 0; e < n; e += e < 16 ? 1 : e / 3) {
		fake_anchor(&fake, &(struct seep_anchor){ 0 });
		anchor = &fake.run.anchors[fake.run.n_anchors - 1];
		anchor->event = (int64_t)e;
		anchor->t_ns = (int64_t)e * 2000000;
		anchor->descriptors = (int64_t)descriptors[e];
		anchor->threads = 4;
		anchor->flags |= SEEP_ANCHOR_DESCRIPTORS | SEEP_ANCHOR_THREADS;
	}
}

static void judge(void)
{
	seep_gauges_judge(&gauges, &n_gauges, &fake.run, &fake.arena);
}

static void test_descriptors_lost(void **state)
{
	double values[300];
	size_t e;

	(void)state;
	for (e = 0; e < 300; e++)
		values[e] = 4 + (double)e;
	begin_events(300, NULL);
	add_anchors(300, values);
	judge();
	assert_int_equal(n_gauges, 2);
	assert_int_equal(gauges[0].unit, SEEP_GAUGE_DESCRIPTORS);
	assert_true(gauges[0].rises);
	near(gauges[0].per_event.value, 1, 1e-9);
	near(gauges[0].first, 4, 0);
	near(gauges[0].per_s, 500, 1e-6);
	assert_false(gauges[1].rises);
	near(gauges[1].per_event.high, 0, 0);
}

static void test_end_does_not_count(void **state)
{
	double values[200] = { 0 };
	size_t e;

	(void)state;
	for (e = 100; e < 200; e++)
		values[e] = (double)e;
	begin_events(200, NULL);
	add_anchors(200, values);
	fake.run.end_event = 100;
	judge();
	near(gauges[0].last, 0, 0);
	assert_false(gauges[0].rises);
}

/* One step, and a rise that has come to its end. */
static void test_steps(void **state)
{
	double values[400];
	size_t e, at;

	(void)state;
	for (at = 1; at < 400; at += 13) {
		fake_release(&fake);
		fake_init(&fake, true);
		for (e = 0; e < 400; e++)
			values[e] = e < at ? 5 : 45;
		begin_events(400, NULL);
		add_anchors(400, values);
		judge();
		assert_false(gauges[0].rises);
		for (e = 0; e < 400; e++)
			values[e] = e < 100 ? 5 + (double)e / 2 : 55;
		fake.run.n_anchors = 0;
		add_anchors(400, values);
		judge();
		assert_false(gauges[0].rises);
	}
}

/* Descriptors that scatter, or wander like those of a server: seldom taken for a rise. */
static void test_false_alarms(void **state)
{
	struct noise noise = noise_seed(7);
	double values[400], level;
	size_t e, k, alarms[2] = { 0 };

	(void)state;
	for (k = 0; k < 1000; k++) {
		fake_release(&fake);
		fake_init(&fake, true);
		level = 0;
		for (e = 0; e < 400; e++) {
			level += noise_normal(&noise);
			values[e] = floor(200 + (k % 2 ? level : 10 * noise_normal(&noise)));
		}
		begin_events(400, NULL);
		add_anchors(400, values);
		judge();
		alarms[k % 2] += gauges[0].rises;
	}
	assert_in_range(alarms[0], 0, 5);
	assert_in_range(alarms[1], 0, 10);
}

static void test_samples_of_slices(void **state)
{
	size_t e;

	(void)state;
	fake.run.event_source = SEEP_EVENTS_TIME;
	begin_events(300, NULL);
	fake.run.samples = seep_arena_array(&fake.arena, 300, sizeof(*fake.run.samples));
	fake.run.n_samples = 300;
	for (e = 0; e < 300; e++)
		fake.run.samples[e] = (struct seep_sample){
			.t_ns = (int64_t)e * 1000000, .event = (int64_t)e,
			.threads = (int64_t)e / 10, .flags = SEEP_SAMPLE_THREADS,
		};
	judge();
	assert_int_equal(n_gauges, 1);
	assert_int_equal(gauges[0].unit, SEEP_GAUGE_THREADS);
	assert_true(gauges[0].rises);
	near(gauges[0].per_event.value, .1, .01);
}

static void test_gauges(void **state)
{
	double rises[200], rests[200], seldom[200];
	size_t e;

	(void)state;
	for (e = 0; e < 200; e++) {
		rises[e] = 1e8 + 14336 * (double)e;
		rests[e] = 1e8 + 1000 * (double)(e % 7);
		seldom[e] = e % 10 ? 0 : 1e6 + 1e5 * (double)e;
	}
	begin_events(200, NULL);
	fake_counter(&fake, "rises", rises);
	fake_counter(&fake, "rests", rests);
	fake_counter(&fake, "seldom", seldom);
	fake_counter(&fake, "hits", rises);
	for (e = 0; e < 3; e++)
		fake.run.counters[e].gauge = true;
	fake.run.counters[2].given = 20;
	judge();
	assert_int_equal(n_gauges, 3);
	assert_true(gauges[0].rises);
	near(gauges[0].per_event.value, 14336, 1);
	assert_false(gauges[1].rises);
	assert_true(gauges[2].rises);
	near(gauges[2].per_event.value, 1e5, 1);
	near(gauges[2].last, 1e6 + 1.9e7, 0);
	fake.run.has_heap = false;
	fake.run.event_source = SEEP_EVENTS_FILE;
	judge();
	assert_int_equal(n_gauges, 0);
}

static struct seep_rss_rise rise_of(const double *rss, size_t n)
{
	struct seep_closing_sum sum = { .known = true, .slack_known = true, .non_heap_known = true,
					.rss = 5e6, .allocator_slack = 4e6, .residual = 1e6 };
	struct seep_series series, heap;
	struct seep_rss_rise rise;
	struct seep_rate rate;

	fake_release(&fake);
	fake_init(&fake, true);
	begin_events(n, rss);
	seep_series_build(&series, &fake.run, SEEP_SERIES_RSS, &fake.arena);
	seep_series_build(&heap, &fake.run, SEEP_SERIES_HEAP, &fake.arena);
	seep_rate_estimate(&rate, &series);
	seep_rss_rise_find(&rise, &(struct seep_rss_question){ &fake.run, &series, &heap, &rate,
							       &sum });
	return rise;
}

static void test_rss_rise(void **state)
{
	double up[] = { 4e6, 4e6, 15e6, 16e6, 24e6, 24e6, 26e6, 29e6, 54e6, 54e6 };
	double teeth[] = { 4e7, 4e7, 8e7, 4e7, 8e7, 4e7, 8e7, 4e7, 8e7, 8e7 };
	double little[] = { 9e7, 9e7, 9e7, 9.1e7, 9.1e7, 9.2e7, 9.2e7, 9.4e7, 9.5e7, 9.6e7 };
	double early[] = { 4e6, 54e6, 54e6, 54e6, 54e6, 54e6, 54e6, 54e6, 54e6, 54e6 };
	struct seep_rss_rise rise = rise_of(up, 10);

	(void)state;
	assert_true(rise.known);
	assert_int_equal(rise.part, SEEP_RSS_PART_SLACK);
	near(rise.part_per_event, 4e6, 0);
	assert_true(rise.bytes > 2e7 && rise.bytes <= 5e7);
	assert_false(rise_of(teeth, 10).known);
	assert_false(rise_of(little, 10).known);
	assert_false(rise_of(early, 10).known);
	assert_false(rise_of(up, 3).known);
}

/* Node.js without heap data: whose heap it may be, and what looks into it. */
static void test_runtime(void **state)
{
	struct seep_verdict verdict;
	size_t e;

	(void)state;
	fake_release(&fake);
	fake_init(&fake, false);
	for (e = 0; e < 200; e++)
		fake_begin(&fake, 0, 50000000 + 409600 * (int64_t)e);
	fake.run.exe = "/usr/bin/node";
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
	expect_kind(&verdict, SEEP_KIND_GROWTH);
	expect_in_sentence(&verdict, "most likely the JavaScript heap of V8; continue with node ");
	fake.run.exe = "/usr/bin/php8.2";
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
	expect_in_sentence(&verdict, "most likely the heap of PHP's own allocator; continue with ");
	fake.run.exe = "/usr/bin/python3";
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
	assert_null(verdict.runtime);
	assert_null(strstr(verdict.sentence, "most likely"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_descriptors_lost, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_end_does_not_count, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_steps, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_false_alarms, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_samples_of_slices, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_gauges, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_rss_rise, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_runtime, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
