/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sites judged by the dumps of another profiler: how often the rate is inside its interval
 * where blocks were sampled, and how often a site that does not grow is accused.
 */
#include "analyse/site/levels.h"

#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define RUNS 300
#define LEVEL_RUNS 1000
#define DUMPS_MOST 64
#define SITES 50

struct made {
	struct seep_run run;
	struct seep_dump dumps[DUMPS_MOST];
	struct seep_event events[DUMPS_MOST];
	struct seep_site site;
	struct seep_level levels[DUMPS_MOST];
};

/* One dump every so many events. */
static void begin(struct made *made, size_t n, int64_t period)
{
	memset(made, 0, sizeof(*made));
	for (size_t i = 0; i < n; i++) {
		made->dumps[i] = (struct seep_dump){ .t_ns = (int64_t)i * 1000000000,
						     .event = (int64_t)i * period };
		made->events[i].number = (int64_t)i * period;
	}
	made->run.dumps = made->dumps;
	made->run.n_dumps = n;
	made->run.events = made->events;
	made->run.n_events = n;
	made->run.n_sites = SITES;
	made->site.levels = made->levels;
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

/* What a sample of one block in 1 / p stands for. */
static void add_level(struct made *made, size_t dump, double samples, double size, double p)
{
	if (samples <= 0)
		return;
	made->levels[made->site.n_levels++] = (struct seep_level){
		.dump = dump, .blocks = samples / p, .bytes = samples * size / p,
		.error_bytes = p < 1 ? sqrt(samples * (1 - p)) * size / p : 0,
	};
}

static void judge(struct made *made, struct seep_cohort *cohort)
{
	struct seep_arena memory;

	seep_arena_init(&memory);
	seep_levels_judge(cohort, &made->site, &made->run, &memory);
	seep_arena_release(&memory);
}

/* Survivors of the sample stay in it, so its errors add up from dump to dump. */
static void make_growth(struct made *made, struct noise *noise, double blocks_per_event,
			double size, double mean)
{
	double p = mean > 0 ? -expm1(-size / mean) : 1, samples = 0;

	for (size_t i = 0; i < made->run.n_dumps; i++) {
		double events = i ? (double)(made->dumps[i].event - made->dumps[i - 1].event) : 1;
		double blocks = blocks_per_event * events;

		samples += p < 1 ? draw_poisson(noise, blocks * p) : blocks;
		add_level(made, i, samples, size, p);
	}
}

/* A number of blocks around a mean, each dump anew. */
static void make_level(struct made *made, struct noise *noise, double blocks, double size,
		       double mean)
{
	double p = mean > 0 ? -expm1(-size / mean) : 1;

	for (size_t i = 0; i < made->run.n_dumps; i++)
		add_level(made, i, draw_poisson(noise, blocks * p), size, p);
}

static void expect_rates_inside(size_t n, double mean, double least)
{
	const double size = 384, blocks = 1750;
	size_t inside = 0, found = 0;

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct noise noise = noise_seed(seed);
		struct seep_cohort cohort;
		struct made made;

		begin(&made, n, 10);
		make_growth(&made, &noise, blocks, size, mean);
		judge(&made, &cohort);
		found += cohort.verdict == SEEP_SITE_LEAK;
		inside += cohort.bytes_per_event.low <= blocks * size &&
			  cohort.bytes_per_event.high >= blocks * size;
	}
	print_message("%zu dumps, 1 per %.0f B: found %zu, inside %zu of %d\n", n, mean, found,
		      inside, RUNS);
	assert_true((double)inside >= least * RUNS);
	assert_true((double)found >= .95 * RUNS);
}

static void test_rate_of_sampled_growth_is_inside(void **state)
{
	(void)state;
	expect_rates_inside(7, 524288, .93);
	expect_rates_inside(7, 4096, .93);
	expect_rates_inside(20, 524288, .93);
	expect_rates_inside(60, 524288, .93);
}

static void test_exact_growth_is_exact(void **state)
{
	struct noise noise = noise_seed(1);
	struct seep_cohort cohort;
	struct made made;

	(void)state;
	begin(&made, 7, 10);
	make_growth(&made, &noise, 1750, 384, 0);
	judge(&made, &cohort);
	assert_int_equal(cohort.verdict, SEEP_SITE_LEAK);
	assert_true(fabs(cohort.bytes_per_event.value - 1750 * 384) < 1);
	assert_true(fabs(cohort.objects_per_event - 1750) < .01);
}

static size_t count_accused(size_t n, double mean)
{
	size_t accused = 0;

	for (uint64_t seed = 1; seed <= LEVEL_RUNS; seed++) {
		struct noise noise = noise_seed(seed + 1000);
		struct seep_cohort cohort;
		struct made made;

		begin(&made, n, 10);
		make_level(&made, &noise, 20000, 384, mean);
		judge(&made, &cohort);
		accused += cohort.verdict == SEEP_SITE_LEAK;
	}
	print_message("%zu dumps, 1 per %.0f B: %zu of %d accused\n", n, mean, accused,
		      LEVEL_RUNS);
	return accused;
}

static void test_level_sites_are_not_accused(void **state)
{
	(void)state;
	/* Few dumps: then the live heap as a whole must agree, so one in forty may be. */
	assert_true(count_accused(7, 524288) <= LEVEL_RUNS / 40);
	assert_true(count_accused(20, 524288) <= LEVEL_RUNS / SITES / 10);
	assert_true(count_accused(12, 0) <= LEVEL_RUNS / SITES / 10);
}

static void test_few_dumps_say_nothing(void **state)
{
	struct noise noise = noise_seed(1);
	struct seep_cohort cohort;
	struct made made;

	(void)state;
	begin(&made, 4, 10);
	make_growth(&made, &noise, 1750, 384, 0);
	judge(&made, &cohort);
	assert_int_equal(cohort.verdict, SEEP_SITE_NONE);
	assert_true(cohort.immature);
}

/* What rose early and stays is no leak. */
static void test_filled_site_is_not_a_leak(void **state)
{
	struct seep_cohort cohort;
	struct made made;

	(void)state;
	begin(&made, 40, 1);
	for (size_t i = 0; i < 40; i++)
		add_level(&made, i, 1000 * (1 - exp(-(double)(i + 1) / 4)), 384, 1);
	judge(&made, &cohort);
	assert_int_not_equal(cohort.verdict, SEEP_SITE_LEAK);
}

/* Each site keeps as much more as the others, or what it had. */
static size_t count_chosen(size_t n_sites, double rise, size_t risers)
{
	struct seep_level levels[2][8];
	struct seep_arena memory;
	const bool *chosen;
	struct made made;
	size_t n = 0;

	seep_arena_init(&memory);
	begin(&made, 8, 1);
	made.run.sites = seep_arena_array(&memory, n_sites, sizeof(*made.run.sites));
	made.run.n_sites = n_sites;
	for (size_t i = 0; i < 8; i++) {
		levels[0][i] = (struct seep_level){ .dump = i, .bytes = 100 };
		levels[1][i] = (struct seep_level){ .dump = i, .bytes = rise * (double)i };
	}
	for (size_t i = 0; i < n_sites; i++) {
		made.run.sites[i].levels = levels[i >= n_sites - risers];
		made.run.sites[i].n_levels = 8;
	}
	chosen = seep_levels_choose(&made.run, &memory);
	for (size_t i = 0; chosen && i < n_sites; i++) {
		n += chosen[i];
		assert_true(!chosen[i] || i >= n_sites - risers);
	}
	if (!chosen)
		n = n_sites;
	seep_arena_release(&memory);
	return n;
}

/* To judge one takes milliseconds. */
static void test_few_of_many_sites_are_judged(void **state)
{
	(void)state;
	assert_int_equal(count_chosen(20, 64, 3), 20);
	assert_int_equal(count_chosen(100000, 64, 3), 3);
	assert_in_range(count_chosen(100000, 64, 100000), 100, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate_of_sampled_growth_is_inside),
		cmocka_unit_test(test_exact_growth_is_exact),
		cmocka_unit_test(test_level_sites_are_not_accused),
		cmocka_unit_test(test_few_dumps_say_nothing),
		cmocka_unit_test(test_filled_site_is_not_a_leak),
		cmocka_unit_test(test_few_of_many_sites_are_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
