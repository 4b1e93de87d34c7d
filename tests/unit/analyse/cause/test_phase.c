/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/cause/phase.h"
#include "analyse/verdict/verdict.h"

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
static struct seep_verdict verdict;

static void split(enum seep_series_kind kind)
{
	memset(&verdict, 0, sizeof(verdict));
	seep_series_build(&series, &fake.run, kind, &fake.arena);
	seep_rate_estimate(&rate, &series);
	seep_phase_split(&verdict.phases, &verdict.n_phases, &fake.run, &series, &rate,
			 &fake.arena);
}

static void check_sum(void)
{
	double sum = 0, shares = 0;
	size_t k;

	for (k = 0; k < verdict.n_phases; k++) {
		const struct seep_estimate *e = &verdict.phases[k].bytes_per_event;

		sum += e->value;
		shares += verdict.phases[k].share;
		assert_true(e->low <= e->value && e->value <= e->high);
	}
	near(sum, rate.bytes_per_event.value, 1e-9 * fabs(rate.bytes_per_event.value));
	near(shares, 1, 1e-12);
}

static void check_phase(size_t k, uint32_t from, uint32_t to, double value, double tolerance)
{
	assert_true(k < verdict.n_phases);
	assert_int_equal(verdict.phases[k].from, from);
	assert_int_equal(verdict.phases[k].to, to);
	near(verdict.phases[k].bytes_per_event.value, value, tolerance);
}

/*
 * kB above the first stamp of the event, at its seven stamps, as published; the
 * seventh is where the next event starts from.
 */
static const int table[][7] = {
	{ 0, 204, 2380, 4440, 4484, 6852, 6860 }, { 0, 32, 32, 32, 132, 2200, 2264 },
	{ 0, 0, 0, 0, 0, 2160, 2168 },            { 0, 0, 0, 0, 100, 2304, 2316 },
	{ 0, 0, 0, 0, 0, 1944, 2136 },            { 0, 0, 0, 0, 92, 2116, 2208 },
	{ 0, 0, 0, 0, 0, 2048, 2160 },            { 0, 0, 0, 0, 92, 2152, 2216 },
	{ 0, 0, 0, 0, 96, 2188, 2232 },           { 0, 0, 0, 0, 0, 2084, 2204 },
	{ 0, 0, 0, 0, 0, 2076, 2156 },            { 0, 0, 0, 0, 92, 2200, 2228 },
	{ 0, 0, 0, 0, 0, 2108, 2196 },            { 0, 4, 4, 4, 4, 2108, 2160 },
	{ 0, 0, 0, 0, 92, 1932, 2188 },           { 0, 0, 0, 0, 88, 1928, 2088 },
	{ 0, 0, 0, 0, 88, 1932, 2144 },           { 0, 0, 0, 0, 92, 2200, 2220 },
	{ 0, 0, 0, 0, 88, 1932, 2156 },           { 0, 0, 0, 0, 92, 2200, 2232 },
	{ 0, 0, 0, 0, 0, 2104, 2200 },            { 0, 0, 0, 0, 0, 2108, 2180 },
	{ 0, 0, 0, 0, 92, 2200, 2228 },           { 0, 0, 0, 0, 0, 2104, 2164 },
	{ 0, 0, 0, 0, 92, 1936, 2192 },           { 0, 0, 0, 0, 0, 2108, 2164 },
};

static void check_seed(enum seep_series_kind kind, const uint32_t *name)
{
	const struct seep_phase_share *phases;
	size_t k;

	split(kind);
	phases = verdict.phases;
	assert_int_equal(verdict.n_phases, 7);
	check_sum();
	for (k = 0; k < 7; k++) {
		assert_int_equal(phases[k].from, name[k]);
		assert_int_equal(phases[k].to, name[(k + 1) % 7]);
		assert_int_equal(phases[k].accused, k == 4);
		assert_int_equal(phases[k].group_n, k == 4 || k == 5 ? 2 : 0);
	}
	near(phases[4].share, .93, .02); /* TAIL to the head of reset */
	near(phases[5].share, .045, .02);
	near(phases[2].bytes_per_event.value, 0, 1e-6);
	near(phases[6].bytes_per_event.value, 0, 1e-6);
	assert_true(phases[4].bytes_per_event.low > 0);
	assert_true(phases[2].bytes_per_event.low <= 0);
	/* page faults before or behind the stamp between them: better known together */
	assert_int_equal(phases[5].group_first, 4);
	near(phases[4].group_bytes_per_event.value,
	     phases[4].bytes_per_event.value + phases[5].bytes_per_event.value, 1e-3);
	assert_true(phases[4].group_bytes_per_event.high - phases[4].group_bytes_per_event.low <
		    .7 * (phases[4].bytes_per_event.high - phases[4].bytes_per_event.low));
}

static void seven_stamps_add_up(void **state)
{
	static const char *const names[] = {
		"simulate_HEAD", "simulate_PREL", "simulate_POST", "simulate_DOWN",
		"simulate_TAIL", "reset_HEAD",    "reset_TAIL",
	};
	uint32_t name[7];
	int64_t level = 500000;
	size_t e, k;

	(void)state;
	for (k = 0; k < 7; k++)
		name[k] = fake_name(&fake, names[k]);
	for (e = 0; e < sizeof(table) / sizeof(*table); e++) {
		fake_begin(&fake, 1024 * level, 1024 * level);
		for (k = 0; k < 7; k++)
			fake_stamp(&fake, name[k], 0, 1024 * (level + table[e][k]),
				   1024 * (level + table[e][k]));
		level += table[e][6];
		fake_end(&fake, 1024 * level, 1024 * level);
	}
	check_seed(SEEP_SERIES_RSS, name);
	check_seed(SEEP_SERIES_HEAP, name);
}

/* What is kept before the first stamp and behind the last one is the wrap's. */
static void outer_pieces_join_the_wrap(void **state)
{
	uint32_t a = fake_name(&fake, "A"), b = fake_name(&fake, "B");
	int64_t e, level;

	(void)state;
	for (e = 0; e < 40; e++) {
		level = 1000 * e;
		fake_begin(&fake, level, 0);
		fake_stamp(&fake, a, 0, level + 100, 0);
		fake_stamp(&fake, b, 0, level + 700, 0);
		fake_end(&fake, level + 500, 0); /* frees 200, and 500 come between events */
	}
	split(SEEP_SERIES_HEAP);
	assert_int_equal(verdict.n_phases, 2);
	check_sum();
	check_phase(0, a, b, 600, 1e-6);
	check_phase(1, b, a, 400, 1e-6);
}

/* Two orders of stamps, each in half of the events: the phases are those of the first. */
static void of_two_orders_the_earlier_holds(void **state)
{
	(void)state;
	for (int earlier = 0; earlier < 2; earlier++) {
		uint32_t names[2];

		tear_down(NULL);
		set_up(NULL);
		names[0] = fake_name(&fake, "A");
		names[1] = fake_name(&fake, "B");
		/* The first event is the warm-up, and the last has no next one: 40 count. */
		for (int64_t e = 0; e < 42; e++) {
			size_t first = (size_t)(earlier ^ (e % 2 == 0));

			fake_begin(&fake, 1000 * e, 0);
			fake_stamp(&fake, names[first], 0, 1000 * e, 0);
			fake_stamp(&fake, names[!first], 0, 1000 * e + 1000, 0);
			fake_end(&fake, 1000 * e + 1000, 0);
		}
		split(SEEP_SERIES_HEAP);
		check_sum();
		assert_int_equal(verdict.phases[0].from, names[earlier]);
		assert_int_equal(verdict.phases[0].to, names[!earlier]);
	}
}

/* Phases that free have negative shares, and the sum holds under noise. */
static void noise_does_not_break_the_sum(void **state)
{
	uint32_t a = fake_name(&fake, "A"), b = fake_name(&fake, "B"), c = fake_name(&fake, "C");
	struct noise noise = noise_seed(3);
	int64_t e, level = 0, scratch;

	(void)state;
	for (e = 0; e < 800; e++) {
		scratch = (int64_t)(1e6 * (2 + noise_uniform(&noise)));
		fake_begin(&fake, level, 0);
		fake_stamp(&fake, a, 0, level, 0);
		fake_stamp(&fake, b, 0, level + scratch, 0);
		level += 5000 + (int64_t)(300 * noise_normal(&noise));
		fake_stamp(&fake, c, 0, level, 0);
		fake_end(&fake, level, 0);
	}
	split(SEEP_SERIES_HEAP);
	assert_int_equal(verdict.n_phases, 3);
	check_sum();
	assert_true(verdict.phases[0].share > 100);
	assert_true(verdict.phases[1].share < -100);
	near(verdict.phases[2].bytes_per_event.value, 0, 1e-6);
}

/* Any number of stamps, in any order, with any noise: the parts are the whole. */
static void whatever_happens_adds_up(void **state)
{
	uint32_t name[6];
	uint64_t seed;
	int64_t e, level, n;
	size_t k;

	(void)state;
	for (seed = 1; seed <= 60; seed++) {
		struct noise noise = noise_seed(seed);
		double kept = 1e5 * noise_normal(&noise), spread = 1e6 * noise_uniform(&noise);

		fake_release(&fake);
		fake_init(&fake, true);
		for (k = 0; k < 6; k++)
			name[k] = fake_name(&fake, "stamp");
		n = 6 + (int64_t)(300 * noise_uniform(&noise));
		for (e = 0, level = 1000000000; e < n; e++) {
			fake_begin(&fake, level, level);
			for (k = 0; k < 6; k++) {
				if (noise_uniform(&noise) < .1)
					continue;
				level += (int64_t)(spread * noise_normal(&noise));
				fake_stamp(&fake, noise_uniform(&noise) < .1 ? name[0] : name[k],
					   0, level, level);
			}
			level += (int64_t)kept;
			if (noise_uniform(&noise) < .8)
				fake_end(&fake, level, level);
		}
		split(seed % 2 ? SEEP_SERIES_HEAP : SEEP_SERIES_RSS);
		assert_true(verdict.n_phases >= 1);
		check_sum();
	}
}

static void irregular_events_lose_nothing(void **state)
{
	uint32_t a = fake_name(&fake, "A"), b = fake_name(&fake, "B"), c = fake_name(&fake, "C");
	uint32_t rare = fake_name(&fake, "rare");
	int64_t e, level;

	(void)state;
	for (e = 0; e < 60; e++) {
		level = 700 * e;
		fake_begin(&fake, level, 0);
		if (e % 7 == 3) {         /* leaves at once */
			fake_end(&fake, level, 0);
			continue;
		}
		fake_stamp(&fake, a, 0, level, 0);
		if (e % 7 == 5)           /* one more stamp */
			fake_stamp(&fake, rare, 0, level + 50, 0);
		if (e % 7 != 6)           /* one less */
			fake_stamp(&fake, b, 0, level + 100, 0);
		fake_stamp(&fake, c, 0, level + 300, 0);
		fake_end(&fake, level + 300, 0);
	}
	split(SEEP_SERIES_HEAP);
	assert_int_equal(verdict.n_phases, 3);
	check_sum();
	assert_int_equal(verdict.phases[0].from, a);
	assert_int_equal(verdict.phases[1].from, b);
	assert_int_equal(verdict.phases[2].from, c);
	assert_int_equal(verdict.phases[2].to, a);
}

/* The majority decides what the phases are, whatever comes first. */
static void most_common_sequence_rules(void **state)
{
	uint32_t a = fake_name(&fake, "A"), b = fake_name(&fake, "B"), c = fake_name(&fake, "C");
	int64_t e, often, level;

	(void)state;
	for (often = 0; often < 2; often++) {
		fake.run.n_events = fake.run.n_stamps = 0;
		for (e = 0; e < 60; e++) {
			level = 700 * e;
			fake_begin(&fake, level, 0);
			fake_stamp(&fake, a, 0, level, 0);
			if ((e % 3 == 1) != often)
				fake_stamp(&fake, b, 0, level + 100, 0);
			fake_stamp(&fake, c, 0, level + 300, 0);
		}
		split(SEEP_SERIES_HEAP);
		assert_int_equal(verdict.n_phases, often ? 3 : 2);
		check_sum();
		assert_int_equal(verdict.phases[0].to, often ? b : c);
	}
}

static void one_name_is_split_at_the_begin(void **state)
{
	uint32_t a = fake_name(&fake, "A");
	int64_t e;

	(void)state;
	for (e = 0; e < 30; e++) {
		fake_begin(&fake, 1000 * e, 0);
		fake_stamp(&fake, a, 0, 1000 * e + 300, 0);
		fake_end(&fake, 1000 * e + 300, 0);
	}
	split(SEEP_SERIES_HEAP);
	assert_int_equal(verdict.n_phases, 2);
	check_sum();
	check_phase(0, 0, a, 300, 1e-6);
	check_phase(1, a, 0, 700, 1e-6);
}

static void without_names_inside_and_between(void **state)
{
	int64_t e;

	(void)state;
	for (e = 0; e < 30; e++) {
		fake_begin(&fake, 1000 * e, 0);
		fake_end(&fake, 1000 * e + 900, 0);
	}
	split(SEEP_SERIES_HEAP);
	assert_int_equal(verdict.n_phases, 2);
	check_sum();
	check_phase(0, 0, 0, 900, 1e-6);
	check_phase(1, 0, 0, 100, 1e-6);
	assert_false(verdict.phases[0].between_events);
	assert_true(verdict.phases[1].between_events);
}

static void without_ends_one_phase(void **state)
{
	int64_t e;

	(void)state;
	for (e = 0; e < 30; e++)
		fake_begin(&fake, 1000 * e, 0);
	split(SEEP_SERIES_HEAP);
	assert_int_equal(verdict.n_phases, 1);
	check_sum();
	check_phase(0, 0, 0, 1000, 1e-6);
}

/* A stamp that comes twice in an event: pieces with the same two names are one phase. */
static void repeated_stamps_are_merged(void **state)
{
	uint32_t a = fake_name(&fake, "A"), b = fake_name(&fake, "B");
	int64_t e, level;

	(void)state;
	for (e = 0; e < 30; e++) {
		level = 1000 * e;
		fake_begin(&fake, level, 0);
		fake_stamp(&fake, a, 0, level, 0);
		fake_stamp(&fake, b, 0, level + 100, 0);
		fake_stamp(&fake, a, 0, level + 110, 0);
		fake_stamp(&fake, b, 0, level + 210, 0);
		fake_stamp(&fake, a, 0, level + 220, 0);
		fake_end(&fake, level + 220, 0);
	}
	split(SEEP_SERIES_HEAP);
	assert_int_equal(verdict.n_phases, 3);
	check_sum();
	check_phase(0, a, b, 200, 1e-6);
	check_phase(1, b, a, 20, 1e-6);
	check_phase(2, a, a, 780, 1e-6);
}

static void few_events_still_add_up(void **state)
{
	uint32_t a = fake_name(&fake, "A"), b = fake_name(&fake, "B");
	int64_t e;

	(void)state;
	split(SEEP_SERIES_HEAP);
	assert_int_equal(verdict.n_phases, 0);
	for (e = 0; e < 12; e++) {
		fake_begin(&fake, 1000 * e + e * e, 0);
		fake_stamp(&fake, a, 0, 1000 * e + e * e, 0);
		fake_stamp(&fake, b, 0, 1000 * e + e * e + 50, 0);
		split(SEEP_SERIES_HEAP);
		assert_int_equal(verdict.n_phases, e ? 2 : 0);
		if (e)
			check_sum();
	}
}

/* Sites that leak, by the phase they allocate in. */
static void sites_have_phases(void **state)
{
	static const double kept[] = { 1, 1 };
	uint32_t a = fake_name(&fake, "A"), b = fake_name(&fake, "B");
	static struct seep_site_result results[4];
	int64_t e;

	(void)state;
	for (e = 0; e < 30; e++) {
		fake_begin(&fake, 1000 * e, 0);
		fake_stamp(&fake, a, 0, 1000 * e, 0);
		fake_stamp(&fake, b, 0, 1000 * e, 0);
	}
	split(SEEP_SERIES_HEAP);
	for (e = 0; e < 4; e++) {
		struct seep_site *site = fake_site(&fake, 2, kept, 1);

		site->after_stamp = e == 0 ? a : e == 1 ? b : 0;
		results[e].verdict = e < 3 ? SEEP_SITE_LEAK : SEEP_SITE_FILLING;
		results[e].bytes_per_event = (struct seep_estimate){ true, 100, 90, 110 };
	}
	for (e = 0; e < 4; e++)
		results[e].site = &fake.run.sites[e];
	seep_phase_split_sites(&verdict.phases, &verdict.n_phases,
			       &(struct seep_phase_sites){ results, 4, true }, &fake.run, &series,
			       &rate, &fake.arena);
	assert_int_equal(verdict.n_phases, 2);
	check_phase(0, a, b, 100, 1e-9);
	check_phase(1, b, a, 200, 1e-9);
	near(verdict.phases[0].share + verdict.phases[1].share, 1, 1e-12);
	assert_false(verdict.phases[0].accused);
	assert_true(verdict.phases[1].accused);
}

/*
 * One event of eight is whole.  Each keeps 100 bytes in one phase and 20 in the other;
 * the first of eight borrows 1000 in one and gives them back in the other.  Seen
 * are 1000 of 8000 events, so a phase is known to 1000 * sqrt(7 / 64 / 1000) = 10 bytes.
 */
static void a_sample_of_events_tells_the_phases(void **state)
{
	struct noise noise = noise_seed(5);
	uint32_t a = fake_name(&fake, "a"), b = fake_name(&fake, "b");
	int64_t level = 1000000, borrowed;
	size_t e, sample = 0;
	bool closes = false;

	(void)state;
	fake.run.has_heap = true;
	fake.run.stride = 8;
	for (e = 0; e < 8000; e++, level += 120) {
		if (e % 8 == 0)
			sample = e + (size_t)(8 * noise_uniform(&noise));
		borrowed = e % 8 ? 0 : 1000;
		if (e % 8 == 0 || e == sample || closes) {
			fake_begin(&fake, level, 0);
			fake.run.events[fake.run.n_events - 1].number = (int64_t)e;
		}
		closes = e == sample;
		if (!closes && fake.run.events[fake.run.n_events - 1].number == (int64_t)e)
			fake.run.stamps[fake.run.n_stamps - 1].flags |= SEEP_STAMP_PART;
		if (!closes)
			continue;
		fake_stamp(&fake, a, 0, level, 0);
		fake_stamp(&fake, b, 0, level + 100 + borrowed, 0);
	}
	split(SEEP_SERIES_HEAP);
	near(rate.bytes_per_event.value, 120, 1e-6);
	assert_int_equal(verdict.n_phases, 2);
	check_phase(0, a, b, 225, 50);
	check_phase(1, b, a, -105, 50);
	near(verdict.phases[0].bytes_per_event.value + verdict.phases[1].bytes_per_event.value,
	     120, 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(seven_stamps_add_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(outer_pieces_join_the_wrap, set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_two_orders_the_earlier_holds, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(noise_does_not_break_the_sum, set_up, tear_down),
		cmocka_unit_test_setup_teardown(whatever_happens_adds_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(irregular_events_lose_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(most_common_sequence_rules, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_name_is_split_at_the_begin, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_names_inside_and_between, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(without_ends_one_phase, set_up, tear_down),
		cmocka_unit_test_setup_teardown(repeated_stamps_are_merged, set_up, tear_down),
		cmocka_unit_test_setup_teardown(few_events_still_add_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sites_have_phases, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_sample_of_events_tells_the_phases, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
