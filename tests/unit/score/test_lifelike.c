/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The runs of the lifelike set are made up, but each must be a run that could have been.  No
 * verdict is asked for here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "score/score.h"

#define SEEDS 2

typedef void case_check(const struct score_case *c);

/* Names the case in which a check fails. */
static const char *scenario_name;

#define holds(condition) \
	do { \
		if (!(condition)) \
			fail_msg("%s: %s does not hold", scenario_name, #condition); \
	} while (0)

static void each_case(case_check *check)
{
	uint64_t seed;
	size_t s;

	for (s = 0; s < score_n_lifelike; s++)
		for (seed = 1; seed <= SEEDS; seed++) {
			struct noise noise = noise_seed(1000 * seed + s);
			struct score_case c;

			scenario_name = score_lifelike[s].name;
			score_lifelike[s].make(&c, 60 + 90 * seed, &noise);
			check(&c);
			fake_release(&c.fake);
		}
}

static uint64_t sum(const uint64_t *values, size_t n)
{
	uint64_t all = 0;

	while (n--)
		all += values[n];
	return all;
}

static void keeps_its_books(const struct score_case *c)
{
	const struct seep_run *run = &c->fake.run;
	uint64_t all_blocks = 0, all_bytes = 0;
	size_t i;

	for (i = 0; i < run->n_sites; i++) {
		const struct seep_site *site = &run->sites[i];
		const struct seep_cohorts *k = &site->cohorts;
		uint64_t blocks = k->early_blocks + sum(k->live_blocks, k->n_bins);
		uint64_t bytes = k->early_bytes + sum(k->live_bytes, k->n_bins);

		holds(site->born_blocks == blocks + site->died_blocks);
		holds(site->born_bytes == bytes + site->died_bytes);
		holds(sum(site->ages, SEEP_TRACE_AGE_BINS) == site->died_blocks);
		holds(k->n_bins <= SEEP_TRACE_COHORT_BINS);
		holds((int64_t)(k->n_bins - 1) * k->events_per_bin < seep_run_end(run));
		all_blocks += blocks;
		all_bytes += bytes;
	}
	holds(all_blocks == (uint64_t)run->live_blocks && all_bytes == (uint64_t)run->live_bytes);
}

static void books_add_up(void **state)
{
	(void)state;
	each_case(keeps_its_books);
}

/* A slice after one in which the program slept has the level of the one before. */
static void check_idle(const struct seep_stamp *before, const struct seep_stamp *stamp)
{
	holds(before->live_bytes == stamp->live_bytes && before->live_blocks == stamp->live_blocks);
	holds(stamp->flags & SEEP_STAMP_TICK);
}

static void keeps_time(const struct score_case *c)
{
	const struct seep_run *run = &c->fake.run;
	size_t i;

	holds(seep_run_marked(run) == (int64_t)run->n_events);
	holds(run->cleaned_up == (seep_run_end(run) < seep_run_marked(run)));
	holds(run->cleaned_up == (run->end_live_bytes < run->live_bytes));
	for (i = 0; i < run->n_stamps; i++) {
		const struct seep_stamp *stamp = &run->stamps[i];

		holds(stamp->live_bytes >= 0 && stamp->live_blocks >= 0);
		holds(stamp->rss_bytes > stamp->live_bytes + stamp->tracker_bytes);
		if (!i)
			continue;
		holds(stamp->t_ns > stamp[-1].t_ns);
		if (stamp->flags & SEEP_STAMP_FILLED)
			check_idle(stamp - 1, stamp);
	}
	holds(run->wall_ns >= run->stamps[run->n_stamps - 1].t_ns);
}

static void time_goes_on(void **state)
{
	(void)state;
	each_case(keeps_time);
}

static bool keeps_blocks(const struct seep_run *run, uint32_t id)
{
	const struct seep_site *site = &run->sites[id - 1];

	return site->id == id && sum(site->cohorts.live_blocks, site->cohorts.n_bins) > 0;
}

static void check_truth(const struct score_case *c)
{
	const struct score_truth *truth = &c->truth;

	holds(truth->kinds && truth->kinds < SCORE_KIND(SEEP_KIND_UNDECIDED + 1));
	holds(!truth->leaks || (truth->kinds & SCORE_KIND(SEEP_KIND_LEAK)));
	holds(isnan(truth->bytes_per_event) || truth->bytes_per_event > 0);
	holds(truth->leaks == (truth->site != 0));
	holds(!truth->site || keeps_blocks(&c->fake.run, truth->site));
}

static void truth_is_of_the_run(void **state)
{
	(void)state;
	each_case(check_truth);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(books_add_up),
		cmocka_unit_test(time_goes_on),
		cmocka_unit_test(truth_is_of_the_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
