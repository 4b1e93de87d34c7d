/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The runs of the third set are made up, but each must be a run that could have been: its
 * books agree with each other and with RSS, and its truth is about what is in it.  No verdict
 * is asked for here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "score/score.h"

#define SEEDS 3

typedef void case_check(const struct score_case *c, size_t n);

/* Says of which case a check speaks that fails. */
static const char *scenario_name;

#define holds(condition) \
	do { \
		if (!(condition)) \
			fail_msg("%s: %s does not hold", scenario_name, #condition); \
	} while (0)

static void each_case(case_check *check)
{
	size_t s;
	uint64_t seed;

	for (s = 0; s < score_n_third; s++)
		for (seed = 1; seed <= SEEDS; seed++) {
			struct noise noise = noise_seed(1000 * seed + s);
			size_t n = 60 + (size_t)(240 * noise_uniform(&noise));
			struct score_case c;

			scenario_name = score_third[s].name;
			score_third[s].make(&c, n, &noise);
			check(&c, n);
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

/* --- blocks */

static void check_moves(const struct seep_site *site)
{
	const struct seep_moves *m = site->moves;
	uint64_t firsts = 0, finals = 0, growths = 0;
	size_t i;

	for (i = 0; i < SEEP_TRACE_SIZE_BINS; i++) {
		firsts += m->bins[i].firsts;
		finals += m->bins[i].finals;
		growths += m->bins[i].growths;
	}
	holds(firsts == m->chains && finals == m->chains && growths == m->growths);
	holds(m->live_chains <= m->chains && m->replaced <= m->moves && m->moves <= m->growths);
	holds(m->n_peaks && m->peaks[m->n_peaks - 1]);
}

static void check_site(const struct seep_run *run, const struct seep_site *site, size_t n)
{
	const struct seep_cohorts *c = &site->cohorts;
	uint64_t blocks = c->early_blocks + sum(c->live_blocks, c->n_bins);
	uint64_t bytes = c->early_bytes + sum(c->live_bytes, c->n_bins);

	holds(site->born_blocks == blocks + site->died_blocks);
	holds(site->born_bytes == bytes + site->died_bytes);
	holds(sum(site->ages, SEEP_TRACE_AGE_BINS) == site->died_blocks);
	holds(c->n_bins <= SEEP_TRACE_COHORT_BINS);
	holds(!c->n_bins || (c->n_bins - 1) * (size_t)c->events_per_bin < n);
	holds((c->samples != NULL) == (run->sampling.mean_bytes && run->n_sites));
	if (site->moves)
		check_moves(site);
}

static void keeps_its_books(const struct score_case *c, size_t n)
{
	const struct seep_run *run = &c->fake.run;
	uint64_t heap = 0, blocks = 0, outside = 0;
	size_t i;

	for (i = 0; i < run->n_sites; i++) {
		const struct seep_site *site = &run->sites[i];
		uint64_t live = site->born_bytes - site->died_bytes;

		check_site(run, site, n);
		heap += site->kind == SEEP_MEMORY_HEAP ? live : 0;
		outside += site->kind == SEEP_MEMORY_HEAP ? 0 : live;
		blocks += site->kind == SEEP_MEMORY_HEAP ?
			  site->born_blocks - site->died_blocks : 0;
	}
	holds(heap == (uint64_t)run->live_bytes && blocks == (uint64_t)run->live_blocks);
	if (run->has_heap)
		holds(outside == (uint64_t)run->anchors[run->n_anchors - 1].non_heap_bytes);
}

static void books_add_up(void **state)
{
	(void)state;
	each_case(keeps_its_books);
}

/* --- time */

static void check_event(const struct seep_run *run, size_t e)
{
	const struct seep_event *event = &run->events[e], *first = &run->events[0];
	const struct seep_stamp *stamps = &run->stamps[event->first_stamp];
	size_t i;

	holds(event->number == (int64_t)e && event->n_stamps == first->n_stamps);
	holds(stamps->flags & SEEP_STAMP_BEGIN);
	for (i = 0; i < event->n_stamps; i++) {
		holds(stamps[i].event == (int64_t)e);
		holds(stamps[i].name == run->stamps[first->first_stamp + i].name);
	}
}

static void keeps_time(const struct score_case *c, size_t n)
{
	const struct seep_run *run = &c->fake.run;
	size_t i;

	holds(run->n_events == n);
	for (i = 0; i < n; i++)
		check_event(run, i);
	for (i = 1; i < run->n_stamps; i++)
		holds(run->stamps[i].t_ns >= run->stamps[i - 1].t_ns);
	for (i = 1; i < run->n_anchors; i++)
		holds(run->anchors[i].t_ns >= run->anchors[i - 1].t_ns);
	holds(run->wall_ns >= run->stamps[run->n_stamps - 1].t_ns);
}

static void time_goes_on(void **state)
{
	(void)state;
	each_case(keeps_time);
}

/* --- RSS holds what is alive, but for what a sample only estimates */

static void check_rss(const struct score_case *c, size_t n)
{
	const struct seep_run *run = &c->fake.run;
	size_t i;

	(void)n;
	for (i = 0; i < run->n_stamps; i++) {
		const struct seep_stamp *s = &run->stamps[i];

		holds(s->live_bytes >= 0 && s->live_blocks >= 0);
		holds(run->sampling.mean_bytes || s->rss_bytes > s->live_bytes + s->tracker_bytes);
		holds(s->vm_bytes > s->rss_bytes);
	}
	for (i = 0; i < run->n_anchors; i++) {
		const struct seep_anchor *a = &run->anchors[i];

		holds(run->sampling.mean_bytes || a->rss_bytes > a->live_bytes +
		      a->non_heap_resident_bytes + a->tracker_bytes);
		holds(!(a->flags & SEEP_ANCHOR_ALLOCATOR) || run->sampling.mean_bytes ||
		      a->allocator_bytes >= a->live_bytes);
		holds(a->non_heap_resident_bytes <= a->non_heap_bytes);
	}
	holds(run->has_heap == run->probe.done);
	holds(run->probe.rss_after_bytes <= run->probe.rss_before_bytes);
}

static void rss_holds_what_lives(void **state)
{
	(void)state;
	each_case(check_rss);
}

/* --- truth */

static bool has_counter(const struct seep_run *run, const char *name)
{
	size_t i;

	for (i = 0; i < run->n_counters; i++)
		if (strcmp(run->counters[i].name, name) == 0)
			return true;
	return false;
}

static bool has_name(const struct seep_run *run, const char *name)
{
	size_t i;

	for (i = 0; i < run->n_names; i++)
		if (strcmp(run->names[i], name) == 0)
			return true;
	return false;
}

static bool keeps_blocks(const struct seep_run *run, uint32_t id)
{
	size_t i;

	for (i = 0; i < run->n_sites; i++)
		if (run->sites[i].id == id)
			return sum(run->sites[i].cohorts.live_blocks,
				   run->sites[i].cohorts.n_bins);
	return false;
}

static void check_truth(const struct score_case *c, size_t n)
{
	const struct score_truth *truth = &c->truth;
	const struct seep_run *run = &c->fake.run;

	(void)n;
	holds(truth->kinds);
	holds(!truth->leaks || (truth->kinds & SCORE_KIND(SEEP_KIND_LEAK)));
	holds(run->has_heap || !(truth->kinds & SCORE_KIND(SEEP_KIND_LEAK)));
	holds(isnan(truth->bytes_per_event) || truth->bytes_per_event > 0);
	holds(!truth->site || keeps_blocks(run, truth->site));
	holds(!truth->phase || has_name(run, truth->phase));
	holds(!truth->drivers[0] || has_counter(run, truth->drivers[0]));
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
		cmocka_unit_test(rss_holds_what_lives),
		cmocka_unit_test(truth_is_of_the_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
