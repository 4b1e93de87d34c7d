/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/series/rate.h"
#include "analyse/words/sentence.h"

#include "fake_run.h"
#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

static struct seep_series series;
static struct seep_rate rate;

static int start(void **state)
{
	(void)state;
	fake_init(&fake, false);
	return 0;
}

/* Of the RSS of all events so far. */
static void estimate(void)
{
	seep_series_build(&series, &fake.run, SEEP_SERIES_RSS, &fake.arena);
	seep_rate_estimate(&rate, &series);
}

static void few_events_say_little(void **state)
{
	int64_t e;

	(void)state;
	estimate();
	assert_true(series.n == 0 && rate.n == 0 && !rate.bytes_per_event.known);
	for (e = 1; e <= 5; e++) {
		fake_begin(&fake, 0, 1000000 * e + 1000 * (e & 1));
		estimate();
		assert_int_equal(rate.bytes_per_event.known, e >= 4);
		assert_int_equal(rate.mix.known, e >= 5);
		if (e >= 2)
			near(rate.bytes_per_event.value, 1000000, 2500);
		if (e >= 4)
			assert_true(rate.bytes_per_event.low < 1000000 &&
				    rate.bytes_per_event.high > 1000000);
	}
	assert_int_equal(rate.steps_up, 3);
	assert_int_equal(rate.first, 1);
	near(rate.level, 3500500, 1);
	near(rate.period_s, .001, 1e-9);
}

/* Half the interval takes 4 times the events if noise stays, 2^(2/3) times if not. */
static void events_needed_follow_the_noise(void **state)
{
	static const enum colour colours[] = { WHITE, WALK };
	static double level[200];
	size_t k, e;

	(void)state;
	for (k = 0; k < 2; k++) {
		struct noise noise = noise_seed(6);
		double half, ratio = k ? 4 : pow(2, 2. / 3);

		tear_down(NULL);
		start(NULL);
		noise_fill(&noise, colours[k], level, 200);
		for (e = 0; e < 200; e++)
			fake_begin(&fake, 0, (int64_t)(1e9 + 1e6 * level[e]));
		estimate();
		half = (rate.bytes_per_event.high - rate.bytes_per_event.low) / 2;
		near(seep_rate_events_needed(&rate, half / 2), 200 * ratio, 1);
		near(seep_rate_events_needed(&rate, 2 * half), 200, 1);
		near(seep_rate_events_needed(&rate, 0), 0, 0);
	}
}

/* RSS comes in pages, and not with every stamp. */
static void pages_and_gaps(void **state)
{
	int64_t e;

	(void)state;
	for (e = 0; e < 40; e++)
		fake_begin(&fake, 0, e % 2 ? 0 : 409600);
	estimate();
	assert_int_equal(series.n, 20);
	assert_int_equal(rate.n, 19);
	assert_int_equal(series.events[rate.first], 2);
	near(rate.bytes_per_event.value, 0, 0);
	near(rate.bytes_per_event.high, 1.5 * 4096 * 18 / 19 / 36, 1e-6);
	near(rate.floor, 1.5 * 4096 / 36, 1e-6);
	for (e = 0; e < 40; e++)
		fake_begin(&fake, 0, e % 2 ? 0 : 409600 + 500000 * e);
	fake.run.events += 40;
	fake.run.n_events = 40;
	estimate();
	near(rate.bytes_per_event.value, 500000, 1);
}

/*
 * Of a thinned run the early events are dense in the trace.  They must not weigh more:
 * the fit is that of the same run with equal distances throughout.
 */
static void dense_events_weigh_no_more(void **state)
{
	static double level[4000];
	struct noise noise = noise_seed(11);
	struct seep_estimate dense;
	size_t k, e;

	(void)state;
	noise_fill(&noise, WALK, level, 4000);
	for (k = 0; k < 2; k++) {
		tear_down(NULL);
		start(NULL);
		for (e = 0; e < 4000; e++) {
			if (e % 4 && (k || e >= 1000))
				continue;
			fake_begin(&fake, 0, (int64_t)(1e9 + 1e6 * level[e] + 1e5 * (double)e));
			fake.run.events[fake.run.n_events - 1].number = (int64_t)e;
		}
		fake.run.stride = 4;
		estimate();
		assert_int_equal(series.n, 1000);
		if (!k)
			dense = rate.bytes_per_event;
	}
	assert_true(dense.low < 1e5 && dense.high > 1e5);
	assert_true(memcmp(&dense, &rate.bytes_per_event, sizeof(dense)) == 0);
	near(rate.stride, 4, 0);
}

static void lopsided_steps_are_noticed(void **state)
{
	static const enum colour colours[] = { WALK, LOGNORMAL_WALK };
	static double level[40];
	size_t k, e, seed, skewed[2] = { 0, 0 };

	(void)state;
	for (seed = 1; seed <= 50; seed++)
		for (k = 0; k < 2; k++) {
			struct noise noise = noise_seed(seed);

			tear_down(NULL);
			start(NULL);
			noise_fill(&noise, colours[k], level, 40);
			for (e = 0; e < 40; e++)
				fake_begin(&fake, 0, (int64_t)(1e9 + 1e6 * level[e]));
			estimate();
			skewed[k] += rate.skewed;
		}
	assert_in_range(skewed[0], 0, 3);
	assert_in_range(skewed[1], 35, 50);
}

static void closing_value_is_the_last(void **state)
{
	(void)state;
	fake_begin(&fake, 0, 5000);
	fake_begin(&fake, 0, 6000);
	fake_end(&fake, 0, 7000);
	fake_end(&fake, 0, 0);
	estimate();
	assert_true(series.has_closing);
	near(series.closing, 7000, 0);
	near(seep_series_step(series.values, 0), 1000, 0);
	seep_series_build(&series, &fake.run, SEEP_SERIES_HEAP, &fake.arena);
	assert_true(series.n == 0 && !series.has_closing);
}

static void sizes_read_well(void **state)
{
	(void)state;
	assert_string_equal(seep_sentence_size(0, &fake.arena), "0 B");
	assert_string_equal(seep_sentence_size(384, &fake.arena), "384 B");
	assert_string_equal(seep_sentence_size(9999.7, &fake.arena), "10.0 kB");
	assert_string_equal(seep_sentence_size(2137000, &fake.arena), "2.14 MB");
	assert_string_equal(seep_sentence_size(-21370, &fake.arena), "-21.4 kB");
	assert_string_equal(seep_sentence_size(.25, &fake.arena), "0.25 B");
	assert_string_equal(seep_sentence_size(8e9, &fake.arena), "8.00 GB");
	assert_string_equal(seep_sentence_size(1e20, &fake.arena), "100000 PB");
}

/* From no count to speak of to one that is a certainty; 10 is known from tables. */
static void bounds_a_count_of_any_size(void **state)
{
	double count, low, high, last_low = 0, last_high = INFINITY;

	(void)state;
	for (count = 1e-12; count < 1e18; count *= 1.1) {
		seep_rate_bound_count(1, count, &low, &high);
		assert_true(low >= last_low - .001 && low <= 1);
		assert_true(high <= last_high + .001 && high >= 1);
		last_low = low;
		last_high = high;
	}
	seep_rate_bound_count(10, 10, &low, &high);
	assert_true(fabs(low - 4.795) < .001 && fabs(high - 18.390) < .001);
}

/* A trace may say anything; what it says must not run over. */
static void numbers_that_cannot_be_keep_their_sign(void **state)
{
	struct seep_stamp stamp = { .rss_bytes = INT64_MAX, .tracker_bytes = INT64_MIN,
				    .flags = SEEP_STAMP_RSS };
	double bytes = 0;

	(void)state;
	assert_true(seep_series_value(&stamp, SEEP_SERIES_RSS, &bytes));
	assert_true(bytes > 1.8e19);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_a_count_of_any_size),
		cmocka_unit_test(numbers_that_cannot_be_keep_their_sign),
		cmocka_unit_test_setup_teardown(few_events_say_little, start, tear_down),
		cmocka_unit_test_setup_teardown(events_needed_follow_the_noise, start, tear_down),
		cmocka_unit_test_setup_teardown(pages_and_gaps, start, tear_down),
		cmocka_unit_test_setup_teardown(dense_events_weigh_no_more, start, tear_down),
		cmocka_unit_test_setup_teardown(lopsided_steps_are_noticed, start, tear_down),
		cmocka_unit_test_setup_teardown(closing_value_is_the_last, start, tear_down),
		cmocka_unit_test_setup_teardown(sizes_read_well, start, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
