/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often the true difference of two runs is inside its interval, and how often something
 * that did not change is said to have.
 */
#include "analyse/compare/compare.h"
#include "analyse/compare/compare_sides.h"
#include "analyse/series/rate.h"

#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PAIRS 1500
#define EVENTS_MOST 80
#define LIVE_PAIRS 3000
#define DUMP_PAIRS 400
#define SITES 100

/* The rate of n events that add value each, seen through noise. */
static struct seep_estimate estimate(struct noise *noise, enum colour colour, size_t n,
				     double value, double spread)
{
	static double values[EVENTS_MOST], index[EVENTS_MOST], seconds[EVENTS_MOST];
	static size_t events[EVENTS_MOST];
	static bool restarts[EVENTS_MOST];
	struct seep_series series = {
		.kind = SEEP_SERIES_HEAP, .n = n, .stride = 1, .events = events, .index = index,
		.values = values, .seconds = seconds, .restarts = restarts,
	};
	struct seep_rate rate = { .n = 0 };

	noise_fill(noise, colour, values, n);
	for (size_t e = 0; e < n; e++) {
		events[e] = e;
		index[e] = (double)e;
		seconds[e] = (double)e;
		values[e] = 1e9 + value * (double)e + spread * values[e];
	}
	seep_rate_estimate(&rate, &series);
	return rate.bytes_per_event;
}

/* Part of PAIRS whose interval holds the true difference. */
static double cover(enum colour before_colour, enum colour after_colour, double before,
		    double after)
{
	struct noise noise = noise_seed(5);
	size_t held = 0;

	for (size_t i = 0; i < PAIRS; i++) {
		struct seep_estimate b = estimate(&noise, before_colour, 40, before, 3e4);
		struct seep_estimate a = estimate(&noise, after_colour, EVENTS_MOST, after, 1e4);
		struct seep_compare_pair pair = seep_compare_pair(&b, &a);

		assert_true(pair.difference.known);
		held += pair.difference.low <= after - before &&
			after - before <= pair.difference.high;
	}
	return (double)held / PAIRS;
}

static void expect_between(double part, double low, double high)
{
	if (!(part >= low && part <= high))
		fail_msg("%.4f is not between %.4f and %.4f", part, low, high);
}

/*
 * 95 % is stated, 93 % at least is held; where noise stays, as that of a leak does, the interval
 * is not wider than it needs to be.  Of white noise an estimate does not know that it is.
 */
static void the_interval_holds_the_difference(void **state)
{
	(void)state;
	expect_between(cover(WHITE, WHITE, 1e5, 9e4), .93, 1);
	expect_between(cover(WALK, WALK, 1e5, 1e5), .93, .985);
	expect_between(cover(WALK, WHITE, 0, 1e5), .93, 1);
	expect_between(cover(WALK_WHITE, WALK, 1e5, 2e5), .93, .99);
}

static double draw_poisson(struct noise *noise, double mean)
{
	double sum = 0;
	int n = 0;

	if (mean > 200)
		return fmax(0, nearbyint(mean + sqrt(mean) * noise_normal(noise)));
	while ((sum -= log(noise_uniform(noise))) < mean)
		n++;
	return n;
}

/* Samples of one per 1000 bytes, of blocks so small that each is in it by chance. */
static struct seep_compare_live live_of(double samples)
{
	return (struct seep_compare_live){ .bytes = 1000 * samples, .blocks = samples,
				   .variance = 1e6 * samples };
}

/* both: samples that are alive in both; the others come and go. */
static double cover_live(double both, double before, double after)
{
	static const double means[] = { 1000, 1000 };
	struct noise noise = noise_seed(7);
	size_t held = 0;

	for (size_t i = 0; i < LIVE_PAIRS; i++) {
		double stay = draw_poisson(&noise, both);
		struct seep_compare_live_pair live = { {
			live_of(stay + draw_poisson(&noise, before)),
			live_of(stay + draw_poisson(&noise, after)),
		} };
		struct seep_estimate e = seep_compare_live_compare(&live, means).difference;

		held += e.low <= 1000 * (after - before) && 1000 * (after - before) <= e.high;
	}
	return (double)held / LIVE_PAIRS;
}

static void the_interval_of_samples_holds_it(void **state)
{
	(void)state;
	expect_between(cover_live(0, 100, 130), .93, .985);
	expect_between(cover_live(0, 0, 10), .93, 1);
	expect_between(cover_live(0, 3, 3), .93, 1);
	expect_between(cover_live(1000, 20, 60), .93, 1);
}

static bool is_certain(enum seep_compare_change change)
{
	return change != SEEP_CHANGE_SAME && change != SEEP_CHANGE_PERHAPS;
}

/* A hundred sites whose blocks are all new ones, and none of which holds more than before. */
static void noise_is_no_change(void **state)
{
	static const double means[] = { 1000, 1000 };
	struct noise noise = noise_seed(11);
	double stretch = seep_compare_stretch(SITES);
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < DUMP_PAIRS; i++) {
		bool any = false;

		for (size_t k = 0; k < SITES; k++) {
			double mean = exp(6 * noise_uniform(&noise));
			struct seep_compare_live_pair live = { {
				live_of(draw_poisson(&noise, mean)),
				live_of(draw_poisson(&noise, mean)),
			} };
			struct seep_compare_pair pair = seep_compare_live_compare(&live, means);

			any = any || is_certain(seep_compare_tell(&pair.difference, stretch));
		}
		wrong += any;
	}
	expect_between((double)wrong / DUMP_PAIRS, 0, .08);
}

/* What grew by more than its noise is found, and what only may have is said to. */
static void a_change_is_seen(void **state)
{
	static const double means[] = { 1000, 1000 };
	struct seep_compare_live_pair grown = { { live_of(49), live_of(99) } };
	struct seep_compare_live_pair perhaps = { { live_of(1000), live_of(1060) } };
	struct seep_compare_pair pair = seep_compare_live_compare(&grown, means);

	(void)state;
	assert_int_equal(seep_compare_tell(&pair.difference, 1), SEEP_CHANGE_MORE);
	pair = seep_compare_live_compare(&perhaps, means);
	assert_int_equal(seep_compare_tell(&pair.difference, 1), SEEP_CHANGE_SAME);
	assert_true(seep_compare_live_may_differ(&perhaps, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_interval_holds_the_difference),
		cmocka_unit_test(the_interval_of_samples_holds_it),
		cmocka_unit_test(noise_is_no_change),
		cmocka_unit_test(a_change_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
