/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/series/rate.h"
#include "analyse/words/sentence.h"
#include "analyse/judge.h"

#include "fake_run.h"
#include "noise.h"
#include "seed_steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expect.h"
#include "fake_test.h"

#define MAX 600
#define MB 1000000.0

static struct seep_verdict verdict;
static double kept[MAX], hits[MAX];

static void start(bool has_heap)
{
	fake_release(&fake);
	fake_init(&fake, has_heap);
}

static void reach(void)
{
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
	assert_non_null(verdict.sentence);
	near(verdict.confidence, .95, 0);
}

static void expect(enum seep_kind kind)
{
	expect_kind(&verdict, kind);
}

static void expect_words(const char *words)
{
	expect_in_sentence(&verdict, words);
}

/* Levels live[e] + churn at the start of each event; RSS is 50 MB above. */
static void make_events(size_t n, const double *live, double churn, struct noise *noise)
{
	size_t e;

	for (e = 0; e < n; e++) {
		double level = round(live[e] + churn * noise_normal(noise));

		fake_begin(&fake, (int64_t)level, (int64_t)(4096 * floor((level + 5e7) / 4096)));
		fake_end(&fake, (int64_t)level, 0);
	}
	fake_snapshot(&fake);
}

/* A detector: per event one block of 384, 64, 384 and 384 bytes for every hit. */
static void make_detector(size_t n, double churn, uint64_t seed)
{
	static const double sizes[] = { 384, 64, 384, 384 };
	static double live[MAX];
	struct noise noise = noise_seed(seed);
	double level = 3e8;
	size_t e, k;

	for (e = 0; e < n; e++) {
		hits[e] = round(1758 + 39 * noise_normal(&noise));
		live[e] = level;
		level += 1216 * hits[e] + (e ? 0 : 7e6);
	}
	make_events(n, live, churn, &noise);
	for (e = 0; e < n; e++)
		kept[e] = e ? 0 : 7000;
	fake_site(&fake, n, kept, 100000); /* initialisation, more than all leaks together */
	for (k = 0; k < 4; k++)
		fake_site(&fake, n, hits, sizes[k]);
	fake_deaths(fake_site(&fake, 0, kept, 1), 0, 123456); /* a site that frees */
	fake_counter(&fake, "hits", hits);
}

static void detector_leaks(void **state)
{
	size_t n, e, k, covered = 0;

	(void)state;
	for (n = 10; n <= 200; n += 19) {
		double mean = 0;

		start(true);
		make_detector(n, 0, n);
		for (e = 0; e < n; e++)
			mean += hits[e] / (double)n;
		reach();
		expect(SEEP_KIND_LEAK);
		assert_true(verdict.from_heap);
		near(verdict.bytes_per_event.value, 1216 * mean, .02 * 1216 * mean);
		covered += verdict.bytes_per_event.low < 1216 * 1758 &&
			   verdict.bytes_per_event.high > 1216 * 1758;
		near(verdict.bytes_per_s, verdict.bytes_per_event.value * 500, 1);
		for (k = 0; k < 4; k++) {
			assert_int_equal(verdict.sites[k].verdict, SEEP_SITE_LEAK);
			near(verdict.sites[k].objects_per_event, mean, 1e-9);
			near(verdict.sites[k].share, k < 3 ? .316 : .0526, .01);
			near(verdict.sites[k].object_bytes, k < 3 ? 384 : 64, 1e-9);
		}
		assert_int_equal(verdict.sites[4].verdict, SEEP_SITE_NONE);
		assert_int_equal(verdict.sites[4].live_blocks, 7000);
		assert_int_equal(verdict.n_sites, 6);
		assert_int_equal(verdict.n_drivers, 1);
		near(verdict.drivers[0].bytes_per_unit.value, 1216, .005 * 1216);
		assert_true(verdict.drivers[0].proportional);
		assert_true(verdict.sum.known);
		near(verdict.sum.residual, 0, 2000);
		expect_words("4 sites account for");
		expect_words("nothing allocated there was freed");
	}
	expect_words("up in ");
	assert_in_range(covered, 9, 11);
}

/* The leak of 2.1 MB drowns in 100 MB of other allocations; the sites still know. */
static void sites_see_through_noise(void **state)
{
	double sum = 0;
	size_t k;

	(void)state;
	make_detector(50, 100 * MB, 7);
	reach();
	expect(SEEP_KIND_LEAK);
	near(verdict.bytes_per_event.value, 1216 * 1758, .01 * 1216 * 1758);
	assert_true(verdict.bytes_per_event.low > 2 * MB);
	assert_true(verdict.floor_bytes_per_event < .1 * MB);
	expect_words("4 sites keep 2.1");
	expect_words("as a whole");
	near(verdict.drivers[0].bytes_per_unit.value, 1216, .005 * 1216);
	for (k = 0; k < verdict.n_phases; k++)
		sum += verdict.phases[k].share;
	near(sum, 1, 1e-12);
}

static void eight_events_are_enough(void **state)
{
	size_t n;

	(void)state;
	for (n = 0; n < 5; n++) {
		start(true);
		make_detector(n, 0, 1);
		reach();
		expect(SEEP_KIND_UNDECIDED);
		assert_true(n == 0 || verdict.events_needed == 8);
	}
	for (n = 8; n <= 10; n++) {
		start(true);
		make_detector(n, 0, n);
		reach();
		expect(SEEP_KIND_LEAK);
		expect_words("a cache that is still filling, or blocks that live for more than");
	}
}

/* With few events a site is not believed against the total. */
static void few_events_must_agree(void **state)
{
	static double live[MAX];
	struct noise noise = noise_seed(1);
	size_t e, n = 9;

	(void)state;
	for (e = 0; e < n; e++) {
		live[e] = 1e8 - 1e5 * (double)e;
		kept[e] = 10;
	}
	make_events(n, live, 0, &noise);
	fake_site(&fake, n, kept, 100);
	reach();
	expect(SEEP_KIND_UNDECIDED);
	expect_words("must agree");
}

static void flat_comes_with_its_bound(void **state)
{
	static double live[MAX];
	struct noise noise = noise_seed(2);
	size_t e, n = 100;

	(void)state;
	for (e = 0; e < n; e++)
		live[e] = 1e8;
	make_events(n, live, 0, &noise);
	reach();
	expect(SEEP_KIND_FLAT);
	assert_true(verdict.bytes_per_event.value == 0);
	expect_words("does not change");
	start(true);
	make_events(n, live, 20000, &noise);
	reach();
	expect(SEEP_KIND_FLAT);
	expect_words("does not grow by more than");
	assert_true(verdict.bytes_per_event.high > 0);
	assert_true(verdict.n_phases && verdict.phases[0].share == 0);
	assert_false(verdict.oom.known);
	start(true);
	for (e = 0; e < n; e++)
		live[e] = 1e8 - 1e5 * (double)e;
	make_events(n, live, 0, &noise);
	reach();
	expect(SEEP_KIND_FLAT);
	expect_words("shrinks by 100 kB");
}

static void noise_is_undecided(void **state)
{
	static double live[MAX];
	struct noise noise = noise_seed(3);
	size_t e, n = 100;

	(void)state;
	for (e = 0; e < n; e++)
		live[e] = (e ? live[e - 1] : 1e8) + 1e6 * noise_normal(&noise);
	make_events(n, live, 0, &noise);
	reach();
	expect(SEEP_KIND_UNDECIDED);
	assert_true(verdict.events_needed > 100);
	expect_words("neither shows growth nor rules it out");
}

/* The heap grows, and the sites say why it may not be a leak. */
static void growth_without_an_accused_site(void **state)
{
	static double live[MAX];
	struct noise noise = noise_seed(4);
	size_t e, n = 60;

	(void)state;
	for (e = 0; e < n; e++) {
		kept[e] = round(1000 * exp(-(double)e / 25));
		live[e] = 1e8 + 10000 * (double)e;
	}
	make_events(n, live, 100, &noise);
	fake_site(&fake, n, kept, 100);
	reach();
	expect(SEEP_KIND_UNDECIDED);
	expect_words("1 site is filling up");
	assert_int_equal(verdict.sites[0].verdict, SEEP_SITE_FILLING);
	near(verdict.events_needed, 120, 0);
	near(verdict.phases[0].share + verdict.phases[1].share, 1, 1e-12);
	fake.run.n_sites = 0;
	reach();
	expect(SEEP_KIND_UNDECIDED);
	expect_words("no snapshot");
}

static void rss_alone_is_never_a_leak(void **state)
{
	static double level[MAX];
	size_t e, n = 100, growth = 0, seed;

	(void)state;
	for (seed = 1; seed <= 20; seed++) {
		struct noise noise = noise_seed(seed);

		start(false);
		for (e = 0; e < n; e++)
			level[e] = 1e8 + 50000 * (double)e;
		make_events(n, level, 100000, &noise);
		reach();
		assert_true(verdict.kind != SEEP_KIND_LEAK);
		assert_null(strstr(verdict.sentence, "leak"));
		assert_false(verdict.from_heap);
		growth += verdict.kind == SEEP_KIND_GROWTH;
	}
	assert_in_range(growth, 19, 20);
	expect_words("RSS grows by");
	start(false);
	for (e = 0; e < 9; e++)
		fake_begin(&fake, 0, (int64_t)(1e8 + 1e6 * (double)e));
	reach();
	expect(SEEP_KIND_UNDECIDED);
	near(verdict.events_needed, 10, 0);
}

/* RSS wanders; what is not beyond 1 % of doubt is not called growth. */
static void rss_needs_less_doubt(void **state)
{
	static double level[MAX];
	size_t e, n = 60, doubtful = 0, seed;

	(void)state;
	for (seed = 1; seed <= 300; seed++) {
		struct noise noise = noise_seed(seed);
		struct seep_series series;
		struct seep_rate rate;

		start(false);
		noise_fill(&noise, WALK, level, n);
		for (e = 0; e < n; e++)
			level[e] = 1e9 + 5e6 * level[e];
		make_events(n, level, 0, &noise);
		seep_series_build(&series, &fake.run, SEEP_SERIES_RSS, &fake.arena);
		seep_rate_estimate(&rate, &series);
		if (rate.bytes_per_event.low <= 0 || rate.p_plus < .01)
			continue;
		doubtful++;
		reach();
		expect(SEEP_KIND_UNDECIDED);
	}
	assert_in_range(doubtful, 1, 20);
}

/* The heap stays, RSS grows: fragmentation, mappings, another allocator. */
static void growth_outside_the_heap(void **state)
{
	size_t e;

	(void)state;
	for (e = 0; e < 100; e++) {
		fake_begin(&fake, 5000000, (int64_t)(1e8 + 1e6 * (double)e));
		fake_end(&fake, 5000000, 0);
	}
	fake_snapshot(&fake);
	reach();
	expect(SEEP_KIND_NON_HEAP);
	expect_words("RSS grows by 1.00 MB");
	expect_words("in memory that the tracker cannot see");
	near(verdict.sum.residual, 1e6, 1);
	near(verdict.sum.rss, verdict.sum.heap_live + verdict.sum.allocator_slack +
	     verdict.sum.non_heap + verdict.sum.tracker + verdict.sum.residual, 1e-6);
}

static void seed_as_rss(void **state)
{
	double level = 1e6;
	size_t i;

	(void)state;
	start(false);
	fake_begin(&fake, 0, (int64_t)(1024 * level));
	for (i = 0; i < SEED_STEPS; i++) {
		level += seed_steps[i];
		fake_begin(&fake, 0, (int64_t)(1024 * level));
	}
	reach();
	expect(SEEP_KIND_GROWTH);
	near(verdict.bytes_per_event.value / 1024, 2196.9, .5);
	near(verdict.bytes_per_event.low / 1024, 2187.4, .5);
	near(verdict.bytes_per_event.high / 1024, 2206.5, .5);
	assert_int_equal(verdict.warmup_events, 4);
	assert_int_equal(verdict.events_used, 125);
}

static void time_to_the_limit(void **state)
{
	struct seep_limit limits[] = {
		{ .bytes = 16000000000, .source = "RAM" },
		{ .bytes = 1100000000, .source = "cgroup" },
	};
	size_t e;

	(void)state;
	start(false);
	for (e = 0; e < 101; e++)
		fake_begin(&fake, 0, (int64_t)(1e8 + 1e6 * (double)e));
	fake.run.limits = limits;
	fake.run.n_limits = 2;
	reach();
	expect(SEEP_KIND_GROWTH);
	assert_true(verdict.oom.known);
	assert_string_equal(verdict.oom.limit_source, "cgroup");
	near(verdict.oom.events, 900, .1);
	near(verdict.oom.seconds, .9, .001); /* an event takes 1 ms */
	assert_true(verdict.oom.low <= verdict.oom.seconds);
	assert_true(verdict.oom.high >= verdict.oom.seconds && verdict.oom.high < 1);
	limits[1].bytes = 1; /* passed already */
	reach();
	near(verdict.oom.seconds, 0, 0);
}

/* Leak-free series of every colour, seeds 1 to 60, as RSS and as heap. */
static void false_verdicts_are_rare(void **state)
{
	static double level[MAX];
	size_t seed, growth = 0, runs = 0, e, n = 60;
	int colour;

	(void)state;
	for (colour = WHITE; colour <= WALK_WHITE; colour++)
		for (seed = 1; seed <= 60; seed++) {
			struct noise noise = noise_seed(1000 + seed);

			start(seed % 2);
			noise_fill(&noise, (enum colour)colour, level, n);
			for (e = 0; e < n; e++)
				level[e] = 1e9 + 5e6 * level[e];
			make_events(n, level, 0, &noise);
			reach();
			assert_true(verdict.kind != SEEP_KIND_LEAK);
			growth += verdict.kind == SEEP_KIND_GROWTH;
			runs++;
		}
	assert_int_equal(runs, 360);
	assert_in_range(growth, 0, 5); /* of 180 with RSS alone: 1 % is asked for */
}

static void names_are_those_of_the_report(void **state)
{
	(void)state;
	assert_string_equal(seep_verdict_kind_name(SEEP_KIND_NON_HEAP), "non-heap");
	assert_string_equal(seep_verdict_kind_name(SEEP_KIND_UNDECIDED), "undecided");
	assert_string_equal(seep_verdict_site_name(SEEP_SITE_REALLOC_GROWTH), "realloc-growth");
	assert_string_equal(seep_verdict_site_name(SEEP_SITE_NONE), "none");
}

/* A leak of 100 kB per event, beside a pool that gives back 20 kB: nobody has 125 % of 80 kB. */
static void shares_are_parts_of_a_whole(void **state)
{
	struct noise noise = noise_seed(3);
	double sum = 0, live[60], blocks[60];
	size_t e, i, n = 60;

	(void)state;
	start(true);
	for (e = 0; e < n; e++) {
		blocks[e] = 100 + (e % 7 == 3);
		live[e] = 1e7 + 8e4 * (double)e;
	}
	make_events(n, live, 10, &noise);
	fake_site(&fake, n, blocks, 1000);
	reach();
	expect(SEEP_KIND_LEAK);
	for (i = 0; i < verdict.n_sites; i++)
		sum += verdict.sites[i].share;
	assert_true(sum > .9 && sum < 1.001);
}

/* Undecided runs of all lengths: what they ask for is always more than they had. */
static void asks_for_more_than_there_is(void **state)
{
	struct noise noise = noise_seed(4);
	double live[200];
	size_t e, n, undecided = 0;

	(void)state;
	for (n = 5; n < 200; n += 3) {
		start(n % 2);
		live[0] = 1e7;
		for (e = 1; e < n; e++)
			live[e] = live[e - 1] + 3e4 + 1e5 * noise_normal(&noise);
		make_events(n, live, 1e6, &noise);
		reach();
		if (verdict.kind != SEEP_KIND_UNDECIDED || !(verdict.events_needed > 0))
			continue;
		undecided++;
		assert_true(verdict.events_needed > (double)n);
	}
	assert_true(undecided > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(detector_leaks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sites_see_through_noise, set_up, tear_down),
		cmocka_unit_test_setup_teardown(eight_events_are_enough, set_up, tear_down),
		cmocka_unit_test_setup_teardown(few_events_must_agree, set_up, tear_down),
		cmocka_unit_test_setup_teardown(flat_comes_with_its_bound, set_up, tear_down),
		cmocka_unit_test_setup_teardown(noise_is_undecided, set_up, tear_down),
		cmocka_unit_test_setup_teardown(growth_without_an_accused_site, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rss_alone_is_never_a_leak, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rss_needs_less_doubt, set_up, tear_down),
		cmocka_unit_test_setup_teardown(growth_outside_the_heap, set_up, tear_down),
		cmocka_unit_test_setup_teardown(seed_as_rss, set_up, tear_down),
		cmocka_unit_test_setup_teardown(time_to_the_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(false_verdicts_are_rare, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_are_those_of_the_report, set_up, tear_down),
		cmocka_unit_test_setup_teardown(shares_are_parts_of_a_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(asks_for_more_than_there_is, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
