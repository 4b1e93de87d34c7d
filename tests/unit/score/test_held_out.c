/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The held-out runs are made up, but each must be a run that could have been: its books add
 * up, and its truth is about what is in it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "score/score.h"

#define SEEDS 2

static const struct score_scenario *scenario;

#define HOLDS(what)                                                              \
	do {                                                                     \
		if (!(what))                                                     \
			fail_msg("%d, %s: not so: %s", scenario->number, scenario->name, #what); \
	} while (0)

static void check_stamps(const struct seep_run *run, size_t n)
{
	size_t e, s, passed = 0;

	HOLDS(run->n_events == n);
	for (e = 0; e < n; e++) {
		const struct seep_event *event = &run->events[e];

		HOLDS(event->first_stamp == passed && event->n_stamps > 2);
		HOLDS(run->stamps[passed].flags & SEEP_STAMP_BEGIN);
		for (s = 0; s < event->n_stamps; s++)
			HOLDS(run->stamps[passed++].event == (int64_t)e);
	}
	HOLDS(run->n_stamps == passed);
	for (s = 0; s < passed; s++) {
		const struct seep_stamp *stamp = &run->stamps[s];

		HOLDS(s == 0 || stamp->t_ns > stamp[-1].t_ns);
		HOLDS(stamp->flags & SEEP_STAMP_RSS && stamp->rss_bytes % 4096 == 0);
		HOLDS(stamp->live_bytes >= stamp->live_blocks && stamp->live_blocks >= 0);
		HOLDS(stamp->rss_bytes >= stamp->live_bytes && stamp->vm_bytes >= stamp->rss_bytes);
	}
}

static void check_anchors(const struct seep_run *run)
{
	size_t i;

	HOLDS(run->n_anchors > 16);
	for (i = 0; i < run->n_anchors; i++) {
		const struct seep_anchor *anchor = &run->anchors[i];
		const struct seep_stamp *begin;

		HOLDS(i ? anchor->event > anchor[-1].event : anchor->event == 0);
		begin = &run->stamps[run->events[anchor->event].first_stamp];
		HOLDS(anchor->live_bytes == begin->live_bytes);
		HOLDS(anchor->rss_bytes == begin->rss_bytes && anchor->t_ns == begin->t_ns);
		HOLDS(anchor->non_heap_resident_bytes <= anchor->non_heap_bytes);
		HOLDS(anchor->rss_file_bytes + anchor->live_bytes <= anchor->rss_bytes);
		if (anchor->flags & SEEP_ANCHOR_ALLOCATOR)
			HOLDS(anchor->allocator_bytes >= anchor->live_bytes);
	}
}

static void check_site(const struct seep_run *run, const struct seep_site *site)
{
	const struct seep_cohorts *cohorts = &site->cohorts;
	uint64_t blocks = cohorts->early_blocks, bytes = cohorts->early_bytes, died = 0;
	size_t b;

	HOLDS(cohorts->n_bins <= SEEP_TRACE_COHORT_BINS);
	HOLDS(!cohorts->n_bins || (int64_t)(cohorts->n_bins - 1) * cohorts->events_per_bin <
				  (int64_t)run->n_events);
	for (b = 0; b < cohorts->n_bins; b++) {
		HOLDS(cohorts->live_bytes[b] >= cohorts->live_blocks[b]);
		HOLDS(cohorts->live_blocks[b] || !cohorts->live_bytes[b]);
		blocks += cohorts->live_blocks[b];
		bytes += cohorts->live_bytes[b];
	}
	HOLDS(site->born_blocks - site->died_blocks == blocks);
	HOLDS(site->born_bytes - site->died_bytes == bytes);
	for (b = 0; b < SEEP_TRACE_AGE_BINS; b++)
		died += site->ages[b];
	HOLDS(died == site->died_blocks);
}

static void check_sites(const struct seep_run *run)
{
	uint64_t blocks = 0, bytes = 0;
	size_t i;

	HOLDS(run->n_sites >= 8);
	for (i = 0; i < run->n_sites; i++) {
		const struct seep_site *site = &run->sites[i];

		check_site(run, site);
		if (site->kind != SEEP_MEMORY_HEAP)
			continue;
		blocks += site->born_blocks - site->died_blocks;
		bytes += site->born_bytes - site->died_bytes;
	}
	HOLDS((int64_t)blocks == run->live_blocks && (int64_t)bytes == run->live_bytes);
	HOLDS(run->snapshot_t_ns > run->stamps[run->n_stamps - 1].t_ns);
	if (run->probe.done) {
		HOLDS(run->probe.rss_after_bytes <= run->probe.rss_before_bytes);
		HOLDS(run->probe.heap_resident_bytes >= run->probe.live_bytes - 4096);
		HOLDS(run->probe.live_bytes == run->live_bytes);
	}
}

static bool has_counter(const struct seep_run *run, const char *name)
{
	size_t i;

	for (i = 0; i < run->n_counters; i++)
		if (!strcmp(run->counters[i].name, name))
			return true;
	return false;
}

static bool has_name(const struct seep_run *run, const char *name)
{
	size_t i;

	for (i = 1; i < run->n_names; i++)
		if (!strcmp(run->names[i], name))
			return true;
	return false;
}

/* Of what leaks, most is where the truth says, and about as much. */
static void check_planted(const struct seep_run *run, const struct score_truth *truth)
{
	double kept, most = truth->bytes_per_event * (double)run->n_events;
	size_t i;

	for (i = 0; i < run->n_sites && run->sites[i].id != truth->site; i++)
		;
	HOLDS(i < run->n_sites);
	if (!truth->leaks || isnan(most))
		return;
	kept = (double)(run->sites[i].born_bytes - run->sites[i].died_bytes);
	HOLDS(kept > .15 * most && kept < 2.5 * most);
}

static void check_truth(const struct seep_run *run, const struct score_truth *truth)
{
	size_t i;

	HOLDS(truth->kinds && !(truth->kinds >> (SEEP_KIND_UNDECIDED + 1)));
	HOLDS(truth->leaks == !!(truth->kinds & SCORE_KIND(SEEP_KIND_LEAK)));
	HOLDS(run->has_heap || !truth->leaks);
	HOLDS(!run->has_heap || !(truth->kinds & SCORE_KIND(SEEP_KIND_GROWTH)));
	HOLDS(!truth->phase || has_name(run, truth->phase));
	for (i = 0; i < 4 && truth->drivers[i]; i++)
		HOLDS(has_counter(run, truth->drivers[i]));
	if (truth->site)
		check_planted(run, truth);
}

static void check(size_t n, uint64_t seed)
{
	struct noise noise = noise_seed(seed), same = noise_seed(seed);
	struct score_case one, two;
	const struct seep_run *run = &one.fake.run;

	scenario->make(&one, n, &noise);
	check_stamps(run, n);
	check_truth(run, &one.truth);
	if (run->has_heap) {
		check_anchors(run);
		check_sites(run);
	} else {
		HOLDS(!run->n_sites && !run->n_anchors && !run->probe.done);
	}
	scenario->make(&two, n, &same);
	HOLDS(two.fake.run.n_stamps == run->n_stamps);
	HOLDS(!memcmp(two.fake.run.stamps, run->stamps, run->n_stamps * sizeof(*run->stamps)));
	fake_release(&one.fake);
	fake_release(&two.fake);
}

static void test_books_add_up(void **state)
{
	static const size_t lengths[] = { 60, 65, 137, 500 };
	uint64_t seed;
	size_t i, l;

	(void)state;
	for (i = 0; i < score_n_held_out; i++)
		for (l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++)
			for (seed = 1; seed <= SEEDS; seed++) {
				scenario = &score_held_out[i];
				check(lengths[l], seed * 1000 + i);
			}
}

static void test_all_are_there(void **state)
{
	struct noise noise = noise_seed(1);
	size_t i, leaks = 0, numbers[43] = { 0 };
	struct score_case c;

	(void)state;
	for (i = 0; i < score_n_held_out; i++) {
		score_held_out[i].make(&c, 60, &noise);
		leaks += c.truth.leaks;
		numbers[score_held_out[i].number]++;
		fake_release(&c.fake);
	}
	for (i = 1; i <= 42; i++)
		assert_true(numbers[i]);
	assert_true(2 * leaks <= score_n_held_out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_are_there),
		cmocka_unit_test(test_books_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
