/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/cause/outside.h"

#include "fake_run.h"
#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

#define N 100
#define MB 1e6
#define KNOWN (SEEP_ANCHOR_ALLOCATOR | SEEP_ANCHOR_RESIDENT)

static struct seep_outside outside;
static struct seep_trend rss;
static struct seep_rate rate;

/* MB that each term gains over the run. */
struct gains {
	double rss, live, slack, held, files, tracker;
};

static const struct gains nothing, all_slack = { .rss = 50, .slack = 50 };

/* Anchors of 100 events between which each term gains evenly; RSS says so, too. */
static void make_run(const struct gains *gains)
{
	size_t e;

	fake_release(&fake);
	fake_init(&fake, true);
	for (e = 0; e < N; e++) {
		double part = (double)e / N * MB;
		struct seep_anchor anchor = {
			.rss_bytes = (int64_t)(1e8 + (gains->rss + gains->tracker) * part),
			.live_bytes = (int64_t)(4e7 + gains->live * part),
			.allocator_bytes = (int64_t)(5e7 + (gains->live + gains->slack) * part),
			.non_heap_resident_bytes = (int64_t)(1e7 + gains->held * part),
			.rss_file_bytes = (int64_t)(1e7 + gains->files * part),
			.tracker_bytes = (int64_t)(1e6 + gains->tracker * part),
			.flags = KNOWN,
		};

		fake_begin(&fake, anchor.live_bytes, anchor.rss_bytes);
		fake_anchor(&fake, &anchor);
	}
	rate = (struct seep_rate){ .n = N, .stride = 1, .level = 1e8 };
	rss = (struct seep_trend){
		.tolerance = seep_trend_tolerance(&rate), .parts = 1,
		.course = gains->rss > 0 ? SEEP_COURSE_GROWS : SEEP_COURSE_FLAT,
		.bytes_per_event = { true, gains->rss * MB / N, .98 * gains->rss * MB / N,
				     1.02 * gains->rss * MB / N },
	};
}

/* The allocator is asked: it has so many MB free in memory, and gives some of them back. */
static void ask(double free_mb, double given_mb)
{
	fake.run.probe = (struct seep_probe){
		.done = true, .asked = true, .event = N - 1,
		.rss_before_bytes = (int64_t)1.5e8,
		.rss_after_bytes = (int64_t)(1.5e8 - given_mb * MB),
		.heap_resident_bytes = (int64_t)(4e7 + free_mb * MB), .live_bytes = (int64_t)4e7,
	};
}

static void expect(enum seep_outside_kind kind)
{
	seep_outside_find(&outside, &fake.run, &rss, &rate, 0);
	if (outside.kind != kind)
		fail_msg("kind %d, not %d: rise %g of RSS %g, live %g, slack %g, held %g, files %g",
			 outside.kind, kind, outside.rise, outside.rss, outside.live, outside.slack,
			 outside.held, outside.files);
	assert_true(isfinite(outside.rise) && outside.rise >= 0);
	assert_true(outside.gain >= 0 && outside.gain <= 1);
	assert_true(outside.given_back >= 0 && outside.given_back <= outside.free_resident);
	assert_true(isfinite(outside.free_resident));
}

static void each_kind_from_its_anchors(void **state)
{
	static const struct {
		struct gains gains;
		enum seep_outside_kind kind;
		double rise;
	} cases[] = {
		{ { 0 }, SEEP_OUTSIDE_NOTHING, 0 },
		{ { .rss = 50, .live = 50 }, SEEP_OUTSIDE_NOTHING, 0 },
		{ { .tracker = 50 }, SEEP_OUTSIDE_NOTHING, 0 },
		{ { .rss = 1.5, .slack = 1.5 }, SEEP_OUTSIDE_NOTHING, 0 }, /* 1 % is tolerated */
		{ { .rss = 50, .slack = 50 }, SEEP_OUTSIDE_SLACK, 49 },
		{ { .rss = 50, .held = 50 }, SEEP_OUTSIDE_HELD, 49 },
		{ { .rss = 50, .files = 50 }, SEEP_OUTSIDE_FILES, 49 },
		{ { .rss = 50 }, SEEP_OUTSIDE_REST, 49 },
		{ { .rss = 50, .live = 10, .slack = 30, .held = 10 }, SEEP_OUTSIDE_SLACK, 29 },
		{ { .rss = 50, .live = 10, .slack = 10, .held = 30 }, SEEP_OUTSIDE_HELD, 29 },
		{ { .rss = 50, .live = 10, .slack = 10 }, SEEP_OUTSIDE_REST, 29 },
	};
	size_t k;

	(void)state;
	for (k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		make_run(&cases[k].gains);
		expect(cases[k].kind);
		assert_true(outside.anchored && !outside.asked);
		near(outside.rise, cases[k].rise * MB, 1.5 * MB);
		near(outside.rss, .95 * cases[k].gains.rss * MB, .05 * MB + 1);
		near(outside.slack, .95 * cases[k].gains.slack * MB, .05 * MB + 1);
	}
}

static void what_it_gives_back_was_kept_for_later(void **state)
{
	(void)state;
	make_run(&all_slack);
	ask(50, 48);
	expect(SEEP_OUTSIDE_RETENTION);
	near(outside.gain, .96, 1e-9);
	near(outside.given_back, 48 * MB, 1);
	ask(50, 5);
	expect(SEEP_OUTSIDE_FRAGMENTATION);
	near(outside.gain, .1, 1e-9);
	ask(50, 0);
	expect(SEEP_OUTSIDE_FRAGMENTATION);
}

/* RSS is too noisy to show it, but the slack rises from anchor to anchor, and is in memory. */
static void slack_is_seen_where_rss_is_noisy(void **state)
{
	size_t e;

	(void)state;
	make_run(&all_slack);
	rss.course = SEEP_COURSE_OPEN;
	expect(SEEP_OUTSIDE_NOTHING);
	ask(50, 48);
	expect(SEEP_OUTSIDE_RETENTION);
	for (e = 0; e < N; e++) /* it comes and goes */
		fake.run.anchors[e].allocator_bytes = fake.run.anchors[e].live_bytes +
						      (int64_t)(MB * (double)(e % 10 * 5));
	expect(SEEP_OUTSIDE_NOTHING);
}

/* Numbers that cannot be: never NAN, never a gain below 0 or above 1. */
static void a_probe_may_be_absurd(void **state)
{
	static const int64_t numbers[] = { 0, -1, 1, 40000000, -40000000, INT64_MAX / 4,
					   INT64_MIN / 4 };
	size_t a, b, c, d, n = sizeof(numbers) / sizeof(*numbers);

	(void)state;
	for (a = 0; a < n; a++)
		for (b = 0; b < n; b++)
			for (c = 0; c < n; c++)
				for (d = 0; d < n; d++) {
					make_run(&nothing);
					fake.run.probe = (struct seep_probe){
						.done = true, .asked = true,
						.rss_before_bytes = numbers[a],
						.rss_after_bytes = numbers[b],
						.heap_resident_bytes = numbers[c],
						.live_bytes = numbers[d],
					};
					expect(SEEP_OUTSIDE_NOTHING);
				}
	make_run(&all_slack);
	ask(0, 0); /* nothing that is free is in memory: RSS grows by something else */
	expect(SEEP_OUTSIDE_REST);
	ask(50, -20); /* RSS rose meanwhile */
	expect(SEEP_OUTSIDE_FRAGMENTATION);
	near(outside.gain, 0, 0);
	ask(50, 500); /* it gave more than there was */
	expect(SEEP_OUTSIDE_RETENTION);
	near(outside.gain, 1, 0);
}

/* Without anchors what RSS gains is the rest; of too few, or old ones, nothing is read. */
static void anchors_may_lack(void **state)
{
	static const struct gains held = { .rss = 50, .held = 50 };
	size_t n, e;

	(void)state;
	for (n = 0; n <= 8; n++) {
		make_run(&held);
		fake.run.n_anchors = n;
		seep_outside_find(&outside, &fake.run, &rss, &rate, 0);
		/* the first two are warm-up, and three are averaged at each end */
		assert_int_equal(outside.anchored, n >= 8);
		if (n < 8)
			expect(SEEP_OUTSIDE_REST);
	}
	make_run(&held);
	for (e = 0; e < N; e++)
		fake.run.anchors[e].flags &= (uint16_t)~SEEP_ANCHOR_BEGIN;
	expect(SEEP_OUTSIDE_REST);
	assert_false(outside.anchored);
	make_run(&held);
	for (e = 0; e < N; e++)
		fake.run.anchors[e].flags &= (uint16_t)~KNOWN;
	expect(SEEP_OUTSIDE_REST);
	near(outside.held, 0, 0);
	rate.n = 0;
	expect(SEEP_OUTSIDE_NOTHING);
}

/* What RSS does decides how much there is to explain. */
static void courses_of_rss(void **state)
{
	(void)state;
	make_run(&all_slack);
	rss.course = SEEP_COURSE_TEETH;
	expect(SEEP_OUTSIDE_NOTHING);
	rss.course = SEEP_COURSE_STEP;
	rss.rise = 30 * MB;
	expect(SEEP_OUTSIDE_SLACK);
	near(outside.rise, 30 * MB, 1);
	rss.course = SEEP_COURSE_LEVELS_OFF;
	rss.rise = 45 * MB;
	expect(SEEP_OUTSIDE_SLACK);
	near(outside.rise, 45 * MB, 1);
}

/* The room of blocks that were given back is no growth, as long as RSS does not rise. */
static void a_heap_that_drains(void **state)
{
	static const struct gains drains = { .live = -30, .slack = 30 };
	static const struct gains both = { .rss = 20, .live = -30, .slack = 50 };

	(void)state;
	make_run(&drains);
	ask(30, 1);
	expect(SEEP_OUTSIDE_NOTHING);
	make_run(&both);
	ask(50, 1);
	expect(SEEP_OUTSIDE_FRAGMENTATION);
	near(outside.rise, 20 * MB, 2 * MB);
}

/* RSS has risen, and may rise still: the allocator has what it has all the same. */
static void a_rise_whose_end_is_not_sure(void **state)
{
	(void)state;
	make_run(&all_slack);
	rss.course = SEEP_COURSE_OPEN;
	expect(SEEP_OUTSIDE_NOTHING);
	rss.likely = SEEP_COURSE_LEVELS_OFF;
	rss.rise = 40 * MB;
	expect(SEEP_OUTSIDE_SLACK);
	near(outside.rise, 40 * MB, 1);
}

/* 1024 times as much of everything is the same; a tolerance of 1 % goes with it. */
static void units_and_levels_do_not_matter(void **state)
{
	static const struct gains cases[] = {
		{ .rss = 50, .slack = 50 }, { .rss = 50, .held = 40, .slack = 10 },
		{ .rss = 50, .files = 50 }, { .rss = 50 }, { .rss = 1.5, .slack = 1.5 },
	};
	size_t k, e;

	(void)state;
	for (k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		enum seep_outside_kind kind;
		double rise;

		make_run(&cases[k]);
		ask(cases[k].slack, cases[k].slack);
		seep_outside_find(&outside, &fake.run, &rss, &rate, 0);
		kind = outside.kind;
		rise = outside.rise;
		for (e = 0; e < N; e++) { /* another level */
			fake.run.anchors[e].rss_bytes += 77777;
			fake.run.anchors[e].live_bytes += 33333;
			fake.run.anchors[e].allocator_bytes += 55555;
		}
		expect(kind);
		near(outside.rise, rise, 10);
		for (e = 0; e < N; e++) {
			struct seep_anchor *anchor = &fake.run.anchors[e];

			anchor->rss_bytes *= 1024;
			anchor->live_bytes *= 1024;
			anchor->allocator_bytes *= 1024;
			anchor->non_heap_resident_bytes *= 1024;
			anchor->rss_file_bytes *= 1024;
			anchor->tracker_bytes *= 1024;
		}
		fake.run.probe.rss_before_bytes *= 1024;
		fake.run.probe.rss_after_bytes *= 1024;
		fake.run.probe.heap_resident_bytes *= 1024;
		fake.run.probe.live_bytes *= 1024;
		rss.tolerance *= 1024;
		rss.bytes_per_event.low *= 1024;
		expect(kind);
		near(outside.rise, 1024 * rise, 10240);
	}
}

/* What lies in live blocks that were not touched yet, and in mappings that were there before. */
static void touched_bit_by_bit(void **state)
{
	struct gains gains = { .rss = 50 };
	size_t e;

	(void)state;
	make_run(&gains);
	for (e = 0; e < fake.run.n_stamps; e++)
		fake.run.stamps[e].live_bytes = 200000000;
	expect(SEEP_OUTSIDE_TOUCHED);
	assert_true(outside.in_blocks);
	near(outside.untouched, 2e8 - (1e8 + 49.5 * MB), MB);

	gains.held = 50;
	make_run(&gains);
	for (e = 0; e < N; e++) /* mapped in the first tenth */
		fake.run.anchors[e].non_heap_bytes = (int64_t)(e < N / 10 ? 2e7 : 1e8);
	expect(SEEP_OUTSIDE_HELD);
	seep_outside_find(&outside, &fake.run, &rss, &rate, N / 10);
	assert_int_equal(outside.kind, SEEP_OUTSIDE_TOUCHED);
	assert_false(outside.in_blocks);
	for (e = 0; e < N; e++) /* ... and as it is touched */
		fake.run.anchors[e].non_heap_bytes =
			fake.run.anchors[e].non_heap_resident_bytes + 1000;
	seep_outside_find(&outside, &fake.run, &rss, &rate, N / 10);
	assert_int_equal(outside.kind, SEEP_OUTSIDE_HELD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_kind_from_its_anchors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_it_gives_back_was_kept_for_later, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(slack_is_seen_where_rss_is_noisy, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_probe_may_be_absurd, set_up, tear_down),
		cmocka_unit_test_setup_teardown(anchors_may_lack, set_up, tear_down),
		cmocka_unit_test_setup_teardown(courses_of_rss, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_heap_that_drains, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_rise_whose_end_is_not_sure, set_up, tear_down),
		cmocka_unit_test_setup_teardown(units_and_levels_do_not_matter, set_up, tear_down),
		cmocka_unit_test_setup_teardown(touched_bit_by_bit, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
