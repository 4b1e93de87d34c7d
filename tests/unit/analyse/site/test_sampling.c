/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Verdicts from a sample: 400 seeded runs of 200 events for each mean, in which every
 * event keeps 30 blocks of 104 bytes, more or less, and frees some others.  The
 * intervals are to hold the truth in 95 of 100 runs: 362 of 400 is what a right one
 * falls short of less than once in 10 000 times, and no leak may be seen where there is none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/judge.h"
#include "analyse/series/rate.h"
#include "fake_test.h"
#include "noise.h"
#include "record/heap/book/poisson.h"

#define RUNS 400
#define HOLDS 362
#define EVENTS 200
#define SIZE 104

struct sampler {
	uint64_t seed, mean;
	int64_t left;
};

static uint64_t take(struct sampler *s, uint64_t bytes)
{
	s->left -= (int64_t)bytes;
	if (s->left >= 0)
		return 0;
	s->left = (int64_t)seep_poisson_draw(seep_poisson_next(&s->seed), s->mean);
	return seep_poisson_weight(bytes, s->mean, seep_poisson_next(&s->seed));
}

/* Blocks kept by an event: 30 in the mean, from 20 to 40. */
static unsigned int kept(struct noise *noise)
{
	return (unsigned int)(20 + floor(21 * noise_uniform(noise)));
}

struct tally {
	double blocks[EVENTS], variance[EVENTS], kept, live;
	uint64_t freed;          /* blocks of the sample that did not stay */
};

static void run_event(struct sampler *s, struct tally *t, size_t e, unsigned int blocks)
{
	unsigned int i;

	for (i = 0; i < blocks; i++) {
		uint64_t w = take(s, SIZE);

		t->freed += take(s, 333) ? 1 : 0; /* and gone again */
		t->blocks[e] += (double)w;
		t->variance[e] += (double)(w * (w - (w > 0))) * SIZE * SIZE;
		t->live += (double)w * SIZE;
	}
	t->kept += blocks;
}

/* A run of a program that leaks, or does not, as a sample of one per mean bytes shows it. */
static void make_run(uint64_t seed, uint64_t mean, bool leaks, double *true_rate)
{
	struct sampler s = { .seed = seed, .mean = mean };
	struct noise noise = noise_seed(seed + 77);
	struct tally t = { .kept = 0 };
	struct seep_site *site;
	size_t e;

	fake_init(&fake, true);
	fake.run.event_source = SEEP_EVENTS_API;
	fake.run.sampling.mean_bytes = mean;
	s.left = (int64_t)seep_poisson_draw(seep_poisson_next(&s.seed), mean);
	for (e = 0; e < EVENTS; e++) {
		fake_begin(&fake, 1000000 + (int64_t)t.live, 0);
		run_event(&s, &t, e, leaks ? kept(&noise) : 0);
		fake_end(&fake, 1000000 + (int64_t)t.live, 0);
	}
	fake_snapshot(&fake);
	site = fake_site(&fake, EVENTS, t.blocks, SIZE);
	site->cohorts.variance = seep_arena_array(&fake.arena, EVENTS, sizeof(double));
	memcpy(site->cohorts.variance, t.variance, sizeof(t.variance));
	*true_rate = t.kept * SIZE / EVENTS;
}

struct score {
	double sites, totals;    /* intervals that hold the truth */
	double leaks, flat, value;
};

static bool holds(const struct seep_estimate *e, double truth)
{
	return e->known && e->low <= truth && truth <= e->high;
}

static struct score play(uint64_t mean, bool leaks)
{
	struct score score = { 0 };
	uint64_t run;

	for (run = 0; run < RUNS; run++) {
		struct seep_verdict verdict;
		double truth;

		make_run(mean * 1000 + run, mean, leaks, &truth);
		seep_judge(&verdict, &fake.run, NULL, &fake.arena);
		score.sites += holds(&verdict.sites[0].bytes_per_event, truth);
		score.totals += holds(&verdict.bytes_per_event, truth);
		score.leaks += verdict.kind == SEEP_KIND_LEAK;
		score.flat += verdict.kind == SEEP_KIND_FLAT;
		score.value += verdict.sites[0].bytes_per_event.value / truth / RUNS;
		fake_release(&fake);
	}
	return score;
}

static void at_least(double value, double bound, const char *what, uint64_t mean)
{
	if (value < bound)
		fail_msg("%s: %.0f of %d, sampled 1 per %llu", what, value, RUNS,
			 (unsigned long long)mean);
}

/* From 150 samples of the leak in the run down to one. */
static void intervals_hold_the_truth(void **state)
{
	static const uint64_t means[] = { 1024, 4096, 16384, 65536, 524288 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(means) / sizeof(*means); i++) {
		struct score score = play(means[i], true);
		/* the rate in units of the truth: one sample in so many is the error of it */
		double error = sqrt((double)means[i] / (EVENTS * 30 * SIZE) / RUNS);

		at_least(score.sites, HOLDS, "intervals of the site", means[i]);
		at_least(score.totals, HOLDS, "intervals of the verdict", means[i]);
		if (means[i] <= 65536)
			near(score.value, 1, 5 * error + .01);
	}
}

static void finds_the_leak_in_enough_samples(void **state)
{
	(void)state;
	at_least(play(4096, true).leaks, .98 * RUNS, "leaks", 4096);
	at_least(play(16384, true).leaks, .9 * RUNS, "leaks", 16384);
}

/* Blocks live for three events in the mean: what is alive of them changes, and nothing leaks. */
static void make_churn(uint64_t seed, uint64_t mean)
{
	struct sampler s = { .seed = seed, .mean = mean };
	struct noise noise = noise_seed(seed + 99);
	double blocks[EVENTS] = { 0 }, gone[EVENTS] = { 0 }, live = 0;
	uint64_t deaths[EVENTS] = { 0 };
	struct seep_site *site;
	size_t e, i;

	fake_init(&fake, true);
	fake.run.event_source = SEEP_EVENTS_API;
	fake.run.sampling.mean_bytes = mean;
	s.left = (int64_t)seep_poisson_draw(seep_poisson_next(&s.seed), mean);
	for (e = 0; e < EVENTS; e++) {
		live -= gone[e];
		fake_begin(&fake, 1000000 + (int64_t)live, 0);
		for (i = 0; i < 30; i++) {
			uint64_t w = take(&s, SIZE);
			size_t age = (size_t)(-3 * log(noise_uniform(&noise)));

			live += age ? (double)w * SIZE : 0;
			if (e + age >= EVENTS) {
				blocks[e] += (double)w;
				continue;
			}
			deaths[age] += w;
			gone[e + age] += age ? (double)w * SIZE : 0;
		}
		fake_end(&fake, 1000000 + (int64_t)live, 0);
	}
	fake_snapshot(&fake);
	site = fake_site(&fake, EVENTS, blocks, SIZE);
	for (i = 0; i < EVENTS; i++)
		fake_deaths(site, i, deaths[i]);
}

/* At most 2 % of the runs may be called a leak; 20 of 400 would be 5 %. */
static void what_comes_and_goes_is_no_leak(void **state)
{
	static const uint64_t means[] = { 1024, 4096, 16384, 65536 };
	size_t i, leaks;
	uint64_t run;

	(void)state;
	for (i = 0; i < sizeof(means) / sizeof(*means); i++) {
		for (run = 0, leaks = 0; run < RUNS; run++) {
			struct seep_verdict verdict;

			make_churn(means[i] * 3000 + run, means[i]);
			seep_judge(&verdict, &fake.run, NULL, &fake.arena);
			leaks += verdict.kind == SEEP_KIND_LEAK;
			fake_release(&fake);
		}
		if (leaks > RUNS / 50)
			fail_msg("%zu of %d called a leak, sampled 1 per %llu", leaks, RUNS,
				 (unsigned long long)means[i]);
	}
}

/* Cohorts that agree by chance would make a straight line, and an interval without width. */
static void equal_cohorts_of_one_sample_are_no_certainty(void **state)
{
	double blocks[10] = { 0 };
	struct seep_verdict verdict;
	struct seep_site *site;
	size_t e;

	(void)state;
	fake_init(&fake, true);
	fake.run.event_source = SEEP_EVENTS_API;
	fake.run.sampling.mean_bytes = 10400;
	for (e = 0; e < 10; e++) {
		fake_begin(&fake, (int64_t)e * 10400, 0);
		fake_end(&fake, (int64_t)e * 10400, 0);
		blocks[e] = 100; /* one block that stands for 100 */
	}
	fake_snapshot(&fake);
	site = fake_site(&fake, 10, blocks, SIZE);
	site->cohorts.variance = seep_arena_array(&fake.arena, 10, sizeof(double));
	for (e = 0; e < 10; e++)
		site->cohorts.variance[e] = 100. * 99 * SIZE * SIZE;
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
	assert_int_equal(verdict.kind, SEEP_KIND_LEAK);
	/* ten samples are 4.8 to 18.4 */
	near(verdict.sites[0].bytes_per_event.low, .48 * 10400, 100);
	near(verdict.sites[0].bytes_per_event.high, 1.84 * 10400, 200);
	assert_true(verdict.bytes_per_event.low < .5 * 10400);
	assert_true(verdict.bytes_per_event.high > 1.8 * 10400);
	fake_release(&fake);
}

static void nothing_kept_is_flat_within_a_bound(void **state)
{
	struct score score = play(65536, false);
	struct seep_verdict verdict;
	double truth;

	(void)state;
	assert_int_equal((int)score.leaks, 0);
	at_least(score.flat, RUNS, "flat", 65536);
	make_run(5, 65536, false, &truth);
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
	/* a leak of three samples' worth could have hidden */
	assert_true(verdict.bytes_per_event.high * EVENTS > 3 * 65536.);
	assert_non_null(strstr(verdict.sentence, "sampled 1 per 65.54 kB: "));
	fake_release(&fake);
}

/* Flat means the same as in an exact run: what a coarse sample cannot exclude is not excluded. */
static void a_coarse_sample_is_never_flat(void **state)
{
	static const uint64_t means[] = { 131072, 524288, 1u << 30 };
	struct seep_verdict verdict;
	double truth;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(means) / sizeof(*means); i++) {
		assert_int_equal((int)play(means[i], false).flat, 0);
		assert_int_equal((int)play(means[i], true).flat, 0);
	}
	make_run(5, 524288, false, &truth);
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
	assert_int_equal(verdict.kind, SEEP_KIND_UNDECIDED);
	near(verdict.events_needed, 0, 0);
	assert_non_null(strstr(verdict.sentence, "the sample is too coarse to tell: 0 blocks"));
	assert_non_null(strstr(verdict.sentence, "; use --sample 8kB or none"));
	fake_release(&fake);
}

/* The bound is per event also where only one anchor of many events is in the trace. */
static void anchors_of_many_events_have_the_same_bound(void **state)
{
	struct seep_rate rate = { .n = 101, .stride = 10 };

	(void)state;
	rate.bytes_per_event.known = true;
	seep_rate_widen(&rate, 1e6);
	near(rate.bytes_per_event.high, 3689, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_hold_the_truth),
		cmocka_unit_test(finds_the_leak_in_enough_samples),
		cmocka_unit_test(what_comes_and_goes_is_no_leak),
		cmocka_unit_test(equal_cohorts_of_one_sample_are_no_certainty),
		cmocka_unit_test(nothing_kept_is_flat_within_a_bound),
		cmocka_unit_test(a_coarse_sample_is_never_flat),
		cmocka_unit_test(anchors_of_many_events_have_the_same_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
