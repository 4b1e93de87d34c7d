/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/cause/driver.h"
#include "analyse/verdict/verdict.h"

#include "fake_run.h"
#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

#define MAX 400

static struct seep_verdict verdict;
static double hits[MAX], photons[MAX], other[MAX], same[MAX];

/* Events with counters; the live heap grows by grow[e] in event e, under white noise. */
static void make_events(size_t n, const double *grow, double spread, struct noise *noise)
{
	double level = 1e8;
	size_t e;

	for (e = 0; e < n; e++) {
		double value = round(level + spread * noise_normal(noise));

		fake_begin(&fake, (int64_t)value, (int64_t)value);
		level += grow[e];
	}
	fake_counter(&fake, "other", other);
	fake_counter(&fake, "same", same);
	fake_counter(&fake, "photons", photons);
	fake_counter(&fake, "hits", hits);
}

/* Hits of about 1758 per event, photons that nearly follow them, and two distractors. */
static void draw_counters(size_t n, struct noise *noise)
{
	size_t e;

	for (e = 0; e < n; e++) {
		double z = noise_normal(noise);

		hits[e] = round(1758 + 39 * z);
		photons[e] = round(90000 + 2000 * (.98 * z + .2 * noise_normal(noise)));
		other[e] = round(100 + 10 * noise_normal(noise));
		same[e] = 7;
	}
}

static void find(const struct seep_driver_leak *leaks, size_t n_leaks)
{
	struct seep_series series;
	struct seep_rate rate;

	memset(&verdict, 0, sizeof(verdict));
	seep_series_build(&series, &fake.run, SEEP_SERIES_HEAP, &fake.arena);
	seep_rate_estimate(&rate, &series);
	seep_driver_find(&verdict.drivers, &verdict.n_drivers,
			 &(struct seep_driver_question){ &fake.run, leaks, n_leaks, &series, &rate,
							 false }, &fake.arena);
}

static const char *best(void)
{
	return verdict.n_drivers ? fake.run.counters[verdict.drivers[0].counter].name : "none";
}

/* Four sites that keep one block of 384, 64, 384 and 384 bytes per hit. */
static void four_sites_per_hit(void **state)
{
	static const double sizes[] = { 384, 64, 384, 384 };
	static const size_t lengths[] = { 10, 11, 20, 50, 200 };
	struct noise noise = noise_seed(21);
	size_t i, k;

	(void)state;
	for (i = 0; i < 5; i++) {
		struct seep_driver_leak leaks[4];
		size_t n = lengths[i];

		tear_down(NULL);
		set_up(NULL);
		draw_counters(n, &noise);
		make_events(n, other, 1e6, &noise); /* the total is of no use here */
		for (k = 0; k < 4; k++)
			fake_site(&fake, n, hits, sizes[k]);
		for (k = 0; k < 4; k++)
			leaks[k] = (struct seep_driver_leak){ &fake.run.sites[k], 0, (int64_t)n };
		find(leaks, 4);
		assert_string_equal(best(), "hits");
		assert_int_equal(verdict.n_drivers, 1);
		near(verdict.drivers[0].bytes_per_unit.value, 1216, .005 * 1216);
		assert_true(verdict.drivers[0].proportional);
		near(verdict.drivers[0].r2, 1, 1e-6);
	}
}

/* Bins of different widths, windows of different lengths, a short last bin. */
static void uneven_bins(void **state)
{
	struct noise noise = noise_seed(22);
	struct seep_driver_leak leaks[2];
	struct seep_cohorts *c;
	size_t b, n = 63;

	(void)state;
	draw_counters(n, &noise);
	make_events(n, other, 1e6, &noise);
	fake_site(&fake, n, hits, 100);
	fake_site(&fake, n, hits, 60);
	c = &fake.run.sites[0].cohorts;
	for (b = 0; b < n; b++) {
		uint64_t bytes = c->live_bytes[b];

		c->live_bytes[b] = 0;
		c->live_bytes[b / 4] += bytes;
	}
	c->n_bins = (n + 3) / 4;
	c->events_per_bin = 4;
	leaks[0] = (struct seep_driver_leak){ &fake.run.sites[0], 0, (int64_t)n };
	leaks[1] = (struct seep_driver_leak){ &fake.run.sites[1], 1, (int64_t)n };
	find(leaks, 2);
	assert_string_equal(best(), "hits");
	near(verdict.drivers[0].bytes_per_unit.value, 160, 1e-6);
	leaks[0].first = leaks[1].first = 44; /* four full bins and one of three events */
	find(leaks, 2);
	assert_string_equal(best(), "hits");
	leaks[0] = (struct seep_driver_leak){ &fake.run.sites[0], 0, (int64_t)n };
	leaks[1] = (struct seep_driver_leak){ &fake.run.sites[1], 1, 50 };
	find(leaks, 2);
	assert_string_equal(best(), "hits");
	near(verdict.drivers[0].bytes_per_unit.value, 160, 1e-6);
}

static void levels_of_the_heap(void **state)
{
	static double grow[MAX];
	struct noise noise = noise_seed(23);
	size_t e, n = 100;

	(void)state;
	draw_counters(n, &noise);
	for (e = 0; e < n; e++)
		grow[e] = 60 * hits[e];
	make_events(n, grow, 40, &noise);
	find(NULL, 0);
	assert_string_equal(best(), "hits");
	near(verdict.drivers[0].bytes_per_unit.value, 60, .1);
	assert_true(verdict.drivers[0].bytes_per_unit.low < 60);
	assert_true(verdict.drivers[0].bytes_per_unit.high > 60);
	assert_true(verdict.drivers[0].proportional);
	assert_true(verdict.drivers[0].r2 > .9);
}

/* 60 bytes per hit and 50 kB per event besides. */
static void constant_part_is_seen(void **state)
{
	static double grow[MAX];
	struct noise noise = noise_seed(24);
	size_t e, n = 100;

	(void)state;
	draw_counters(n, &noise);
	for (e = 0; e < n; e++)
		grow[e] = 60 * hits[e] + 50000;
	make_events(n, grow, 40, &noise);
	find(NULL, 0);
	assert_string_equal(best(), "hits");
	assert_false(verdict.drivers[0].proportional);
	near(verdict.drivers[0].bytes_per_unit.value, 60, 1);
}

/* A constant leak, and one that depends on nothing that is counted. */
static void no_driver(void **state)
{
	static double grow[MAX];
	size_t e, n = 60, seed, found = 0;

	(void)state;
	for (seed = 1; seed <= 60; seed++) {
		struct noise noise = noise_seed(seed);

		tear_down(NULL);
		set_up(NULL);
		draw_counters(n, &noise);
		for (e = 0; e < n; e++)
			grow[e] = 5000 + (double)(seed % 3) * 500 * noise_normal(&noise);
		make_events(n, grow, seed % 2 ? 0 : 100, &noise);
		find(NULL, 0);
		found += verdict.n_drivers > 0;
	}
	assert_in_range(found, 0, 6); /* three counters tried in each of 60 runs */
}

/* Two counters that say the same explain exact data equally well. */
static void twins_are_both_named(void **state)
{
	static double grow[MAX];
	struct noise noise = noise_seed(27);
	size_t e, n = 90;

	(void)state;
	draw_counters(n, &noise);
	for (e = 0; e < n; e++) {
		photons[e] = 3 * hits[e];
		grow[e] = 1216 * hits[e];
	}
	make_events(n, grow, 0, &noise);
	find(NULL, 0);
	assert_int_equal(verdict.n_drivers, 2);
	near(verdict.drivers[0].bytes_per_unit.value, 1216. / 3, 1e-6);
	near(verdict.drivers[1].bytes_per_unit.value, 1216, 1e-6);
}

static void counter_that_never_varies_is_no_driver(void **state)
{
	static double grow[MAX];
	struct noise noise = noise_seed(25);
	size_t e, n = 50;

	(void)state;
	draw_counters(n, &noise);
	for (e = 0; e < n; e++)
		grow[e] = 100 * same[e];
	make_events(n, grow, 0, &noise);
	find(NULL, 0);
	assert_int_equal(verdict.n_drivers, 0);
}

/* Under noise, hits and photons that follow them cannot be told apart: both are named. */
static void equals_are_all_named(void **state)
{
	static double grow[MAX];
	size_t e, n = 30, seed, right = 0, both = 0;

	(void)state;
	for (seed = 1; seed <= 20; seed++) {
		struct noise noise = noise_seed(seed);
		size_t i;

		tear_down(NULL);
		set_up(NULL);
		draw_counters(n, &noise);
		for (e = 0; e < n; e++)
			grow[e] = 1216 * hits[e];
		make_events(n, grow, 40000, &noise);
		find(NULL, 0);
		for (i = 0; i < verdict.n_drivers; i++)
			right += verdict.drivers[i].counter == 3;
		both += verdict.n_drivers == 2;
	}
	assert_in_range(right, 16, 20);
	assert_in_range(both, 8, 20);
}

/* What an allocator keeps for the largest event so far; each event is about as large as told. */
static void make_retention(size_t n, double (*size)(size_t e), struct noise *noise)
{
	double most = 0, level = 1e8;
	size_t e;

	draw_counters(n, noise);
	for (e = 0; e < n; e++) {
		fake_begin(&fake, 0, (int64_t)(level + 3e4 * noise_normal(noise)));
		other[e] = round(size(e) * exp(.1 * noise_normal(noise)));
		most = fmax(most, other[e]);
		level = 1e8 + 2400 * most;
	}
	fake_counter(&fake, "hits", hits);
	fake_counter(&fake, "steps", other);
}

static void find_retention(void)
{
	struct seep_series series;
	struct seep_rate rate;

	memset(&verdict, 0, sizeof(verdict));
	seep_series_build(&series, &fake.run, SEEP_SERIES_RSS, &fake.arena);
	seep_rate_estimate(&rate, &series);
	seep_driver_find(&verdict.drivers, &verdict.n_drivers,
			 &(struct seep_driver_question){ &fake.run, NULL, 0, &series, &rate, true },
			 &fake.arena);
}

/* Now and then one is larger than all before. */
static double by_record(size_t e)
{
	return e % 37 ? 1000 : 1000 + 20 * (double)e;
}

/* The largest come soon: what follows would be taken for the time after a warm-up. */
static double by_warming_up(size_t e)
{
	return 1000 * (1 - exp(-(double)e / 8));
}

static void running_maximum(void **state)
{
	double (*const sizes[])(size_t) = { by_record, by_warming_up };
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct noise noise = noise_seed(31);

		tear_down(NULL);
		set_up(NULL);
		make_retention(200, sizes[i], &noise);
		find_retention();
		assert_int_equal(verdict.n_drivers, 1);
		assert_true(verdict.drivers[0].running_maximum);
		assert_int_equal(verdict.drivers[0].counter, 1);
		near(verdict.drivers[0].bytes_per_unit.value, 2400, 50);
		assert_true(verdict.drivers[0].bytes_per_unit.low < 2400);
		assert_true(verdict.drivers[0].bytes_per_unit.high > 2400);
		assert_true(verdict.drivers[0].proportional);
	}
}

/* That of events which are not all there is not known. */
static void thinned_runs_have_no_maximum(void **state)
{
	struct noise noise = noise_seed(35);
	size_t i;

	(void)state;
	make_retention(200, by_record, &noise);
	fake.run.stride = 2;
	find_retention();
	for (i = 0; i < verdict.n_drivers; i++)
		assert_false(verdict.drivers[i].running_maximum);
}

/* Two leaks that follow different counters. */
static void two_together(void **state)
{
	static double grow[MAX];
	struct noise noise = noise_seed(33);
	size_t e, n = 100;

	(void)state;
	draw_counters(n, &noise);
	for (e = 0; e < n; e++)
		grow[e] = 60 * hits[e] + 700 * other[e];
	make_events(n, grow, 40, &noise);
	find(NULL, 0);
	assert_int_equal(verdict.n_drivers, 1);
	assert_true(verdict.drivers[0].combined);
	assert_string_equal(fake.run.counters[verdict.drivers[0].counter].name, "other");
	assert_string_equal(fake.run.counters[verdict.drivers[0].second_counter].name, "hits");
	near(verdict.drivers[0].bytes_per_unit.value, 700, 1);
	near(verdict.drivers[0].second_bytes_per_unit.value, 60, .2);
	assert_true(verdict.drivers[0].r2 > .99);
}

/* Of more counters than are compared with each other, the right one is among them. */
static void many_counters(void **state)
{
	static double more[15][MAX];
	struct noise noise = noise_seed(34);
	size_t e, c, n = 60;

	(void)state;
	draw_counters(n, &noise);
	for (e = 0; e < n; e++) {
		fake_begin(&fake, 0, 0);
		for (c = 0; c < 15; c++)
			more[c][e] = round(1000 + 100 * noise_normal(&noise));
	}
	for (c = 0; c < 15; c++)
		fake_counter(&fake, "more", more[c]);
	fake_site(&fake, n, more[14], 48);
	find(&(struct seep_driver_leak){ fake.run.sites, 0, (int64_t)n }, 1);
	assert_int_equal(verdict.n_drivers, 1);
	assert_int_equal(verdict.drivers[0].counter, 14);
	near(verdict.drivers[0].bytes_per_unit.value, 48, 1e-6);
}

static void gauges_and_few_events(void **state)
{
	struct noise noise = noise_seed(26);

	(void)state;
	find(NULL, 0);
	assert_int_equal(verdict.n_drivers, 0);
	draw_counters(30, &noise);
	make_events(30, hits, 0, &noise);
	find(NULL, 0);
	assert_string_equal(best(), "hits");
	near(verdict.drivers[0].bytes_per_unit.value, 1, 1e-6);
	fake.run.counters[3].gauge = true;
	fake.run.n_counters = 4;
	find(NULL, 0);
	assert_string_not_equal(best(), "hits");
	fake.run.counters[3].gauge = false;
	fake.run.n_events = 5;
	find(NULL, 0);
	assert_int_equal(verdict.n_drivers, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(four_sites_per_hit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(uneven_bins, set_up, tear_down),
		cmocka_unit_test_setup_teardown(levels_of_the_heap, set_up, tear_down),
		cmocka_unit_test_setup_teardown(constant_part_is_seen, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_driver, set_up, tear_down),
		cmocka_unit_test_setup_teardown(twins_are_both_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(counter_that_never_varies_is_no_driver, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(equals_are_all_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(running_maximum, set_up, tear_down),
		cmocka_unit_test_setup_teardown(two_together, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_counters, set_up, tear_down),
		cmocka_unit_test_setup_teardown(thinned_runs_have_no_maximum, set_up, tear_down),
		cmocka_unit_test_setup_teardown(gauges_and_few_events, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
