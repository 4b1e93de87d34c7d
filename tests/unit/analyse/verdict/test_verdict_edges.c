/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts where two things happen, or one that has ended, or a small one. */
#include "analyse/judge.h"
#include "analyse/words/suspect.h"
#include "analyse/words/unit.h"

#include "fake_run.h"
#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "fake_test.h"

#define N 200
#define KB 1e3
#define MB 1e6
#define KNOWN (SEEP_ANCHOR_ALLOCATOR | SEEP_ANCHOR_RESIDENT)

static struct seep_verdict verdict;
static double live[N], held[N], blocks[N];

static void start(double level)
{
	size_t e;

	fake_release(&fake);
	fake_init(&fake, true);
	for (e = 0; e < N; e++) {
		live[e] = level;
		held[e] = blocks[e] = 0;
	}
}

/* The live heap with some noise, and RSS as much above it as is mapped. */
static void reach(double churn, uint64_t seed)
{
	struct noise noise = noise_seed(seed);
	size_t e;

	for (e = 0; e < N; e++) {
		double level = round(live[e] + churn * noise_normal(&noise));
		struct seep_anchor anchor = {
			.live_bytes = (int64_t)level,
			.allocator_bytes = (int64_t)(level + 5e5),
			.non_heap_resident_bytes = (int64_t)held[e],
			.rss_bytes = 4096 * (int64_t)((level + 2e7 + held[e]) / 4096),
			.flags = KNOWN,
		};

		fake_begin(&fake, anchor.live_bytes, anchor.rss_bytes);
		fake_anchor(&fake, &anchor);
		fake_end(&fake, anchor.live_bytes, 0);
	}
	fake_snapshot(&fake);
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
}

static bool holds(double bytes)
{
	const struct seep_estimate *e = &verdict.bytes_per_event;

	return e->low <= bytes && e->high >= bytes;
}

static void steps_are_counted(void **state)
{
	static const size_t places[] = { 45, 110, 160 };
	uint64_t seed;
	size_t steps, e, k;

	(void)state;
	for (steps = 1; steps <= 3; steps++)
		for (seed = 1; seed <= 3; seed++) {
			start(10 * MB);
			for (k = 0; k < steps; k++)
				for (e = places[k]; e < N; e++)
					live[e] += 3 * MB;
			reach(20 * KB, seed);
			expect_kind(&verdict, SEEP_KIND_STEP);
			near(verdict.rise_bytes, 3 * MB * (double)steps, .2 * MB);
			expect_in_sentence(&verdict, steps == 1 ? "rose once"
						     : steps == 2 ? "rose in 2 steps"
								  : "rose in 3 steps");
		}
}

/* 192 B are lost in every event, and an array that remembers them has 8 B more. */
static void the_rate_has_all_that_grows(void **state)
{
	struct seep_site *array;
	uint64_t seed;
	size_t e;

	(void)state;
	for (seed = 1; seed <= 5; seed++) {
		start(5 * MB);
		for (e = 0; e < N; e++) {
			live[e] += 200 * (double)e;
			blocks[e] = 1;
		}
		fake_site(&fake, N, blocks, 192);
		memset(blocks, 0, sizeof(blocks));
		blocks[0] = 1;
		array = fake_site(&fake, N, blocks, 8 * N);
		array->moved_blocks = N - 1;
		reach(seed * 500.0, seed);
		expect_kind(&verdict, SEEP_KIND_LEAK);
		assert_true(holds(200));
		assert_true(verdict.bytes_per_event.low > 150);
		assert_true(verdict.bytes_per_event.high < 250);
	}
}

/* Before the 80th event, what it asked for was freed two events later. */
static void a_late_leak_has_the_rate_since(void **state)
{
	struct seep_site *site;
	struct seep_unit unit;
	uint64_t seed;
	size_t e, first;

	(void)state;
	for (seed = 1; seed <= 5; seed++) {
		first = 30 + 20 * seed;
		start(5 * MB);
		for (e = 0; e < N; e++)
			live[e] += 400 * fmax((double)e - (double)first, 0);
		for (e = 0; e < N; e++)
			blocks[e] = e >= first || e == 25 ? 4 : 0;
		site = fake_site(&fake, N, blocks, 100);
		fake_deaths(site, 2, 4 * first);
		reach(2 * KB, seed);
		expect_kind(&verdict, SEEP_KIND_LEAK);
		near(verdict.bytes_per_event.value, 400, 20);
		assert_true(holds(400));
		/* ... which is the rate of these events, and called so */
		assert_true(llabs(verdict.since_event - (int64_t)first) <= 16);
		unit = seep_unit_of(&fake.run, &verdict);
		assert_non_null(strstr(seep_unit_covered(&unit, &verdict, &fake.arena),
				       "over the last "));
	}
}

/* The larger one has a fifth less in the second half than in the first. */
static void a_site_that_slows_down_is_not_dismissed(void **state)
{
	double level = 5 * MB;
	size_t e;

	(void)state;
	start(0);
	for (e = 0; e < N; e++) {
		live[e] = level;
		blocks[e] = e < N / 2 ? 30 : 24;
		level += 100 * (blocks[e] + 10);
	}
	fake_site(&fake, N, blocks, 100);
	for (e = 0; e < N; e++)
		blocks[e] = 10;
	fake_site(&fake, N, blocks, 100);
	reach(5 * KB, 1);
	expect_kind(&verdict, SEEP_KIND_LEAK);
	assert_int_equal(verdict.sites[0].site->id, 1);
	assert_int_equal(verdict.sites[0].verdict, SEEP_SITE_LEAK);
	assert_true(holds(3400));
}

static void mapped_memory_that_stops(void **state)
{
	size_t e, stop;

	(void)state;
	for (stop = 80; stop <= N; stop += N - 80) {
		start(5 * MB);
		for (e = 0; e < N; e++)
			held[e] = 1e5 * fmin((double)e, (double)stop);
		reach(2 * KB, stop);
		expect_kind(&verdict, stop < N ? SEEP_KIND_SATURATING : SEEP_KIND_NON_HEAP);
		expect_in_sentence(&verdict, "memory that the program mapped itself");
	}
}

/* 150 kB of 5 MB: told if the noise is small; never of a level that merely wanders. */
static void small_rises_are_told_if_clear(void **state)
{
	struct noise noise = noise_seed(7);
	size_t e, k;

	(void)state;
	for (k = 0; k < 2; k++) {
		start(5 * MB);
		for (e = 0; e < N; e++)
			live[e] += 150 * KB * fmin((double)e / 80, 1);
		reach(k ? 60 * KB : 3 * KB, k);
		if (!k) {
			expect_kind(&verdict, SEEP_KIND_SATURATING);
			near(verdict.rise_bytes, 150 * KB, 20 * KB);
		} else {
			assert_int_not_equal(verdict.kind, SEEP_KIND_SATURATING);
		}
	}
	for (k = 0; k < 30; k++) {
		start(5 * MB);
		for (e = 1; e < N; e++)
			live[e] = live[e - 1] + 5 * KB * noise_normal(&noise);
		reach(1 * KB, k);
		assert_int_not_equal(verdict.kind, SEEP_KIND_SATURATING);
		assert_int_not_equal(verdict.kind, SEEP_KIND_STEP);
	}
}

/* So little growth in so short a run is called flat, but nothing may say that there is none. */
static void tolerated_growth_is_not_denied(void **state)
{
	const struct seep_judge_options options = { .material_bytes = 50 * KB };
	const struct seep_suspect *suspects;
	struct seep_unit unit;
	size_t e, n;

	(void)state;
	start(100 * KB);
	fake.run.event_source = SEEP_EVENTS_TIME;
	for (e = N / 3; e < N; e++) {
		blocks[e] = e % 4 == 0;
		live[e] = live[e - 1] + 4 * KB * blocks[e - 1];
	}
	fake_site(&fake, N, blocks, 4000);
	reach(0, 1);
	seep_judge(&verdict, &fake.run, &options, &fake.arena);
	expect_kind(&verdict, SEEP_KIND_FLAT);
	expect_in_sentence(&verdict, "live heap grew by 132 kB over");
	expect_in_sentence(&verdict, "less than the 262 kB tolerated");
	unit = seep_unit_of(&fake.run, &verdict);
	suspects = seep_suspect_list(&fake.run, &verdict, &fake.arena, &n);
	assert_int_equal(n, 1);
	assert_int_equal(suspects->result->doubt, SEEP_DOUBT_TOLERATED);
	assert_non_null(strstr(seep_suspect_tell(suspects, &unit, &fake.arena),
			       "the heap grew by 132 kB in"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(steps_are_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_rate_has_all_that_grows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_late_leak_has_the_rate_since, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_site_that_slows_down_is_not_dismissed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(mapped_memory_that_stops, set_up, tear_down),
		cmocka_unit_test_setup_teardown(small_rises_are_told_if_clear, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tolerated_growth_is_not_denied, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
