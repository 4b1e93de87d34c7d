/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Phases of events that overlap: those of the sites, whatever the heap did between two stamps. */
#include "analyse/cause/phase.h"

#include "fake_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

static struct seep_series series;
static struct seep_rate rate;
static struct seep_phase_share *phases;
static size_t n_phases;
static struct seep_site_result results[3];

enum { READ = 1, WRITE, LOAD, SAVE };

/* Two of three events read and write, the others load and save. */
static void run_events(void)
{
	int64_t e;

	assert_int_equal(fake_name(&fake, "read"), READ);
	assert_int_equal(fake_name(&fake, "write"), WRITE);
	assert_int_equal(fake_name(&fake, "load"), LOAD);
	assert_int_equal(fake_name(&fake, "save"), SAVE);
	fake.run.overlapping = true;
	for (e = 0; e < 30; e++) {
		fake_begin(&fake, 1000 * e, 0);
		fake_stamp(&fake, e % 3 ? READ : LOAD, 0, 1000 * e + 900, 0);
		fake_stamp(&fake, e % 3 ? WRITE : SAVE, 0, 1000 * e + 100, 0);
	}
	seep_series_build(&series, &fake.run, SEEP_SERIES_HEAP, &fake.arena);
	seep_rate_estimate(&rate, &series);
}

static struct seep_site *add_site(size_t i, double bytes)
{
	static const double kept[] = { 1, 1 };

	fake_site(&fake, 2, kept, 1);
	results[i].verdict = SEEP_SITE_LEAK;
	results[i].bytes_per_event = (struct seep_estimate){ true, bytes, bytes, bytes };
	return &fake.run.sites[i];
}

static void split(size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		results[i].site = &fake.run.sites[i];
	seep_phase_split_sites(&phases, &n_phases,
			       &(struct seep_phase_sites){ results, n, true }, &fake.run, &series,
			       &rate, &fake.arena);
}

static const struct seep_phase_share *find(uint32_t from, bool outside)
{
	size_t k;

	for (k = 0; k < n_phases; k++)
		if (phases[k].from == from && phases[k].outside == outside)
			return &phases[k];
	return NULL;
}

static void each_kind_of_event_has_its_phases(void **state)
{
	(void)state;
	run_events();
	add_site(0, 300)->after_stamp = LOAD;
	add_site(1, 100)->after_stamp = READ;
	split(2);
	assert_int_equal(n_phases, 3);
	near(find(LOAD, false)->bytes_per_event.value, 300, 1e-9);
	assert_int_equal(find(LOAD, false)->to, SAVE);
	assert_true(find(LOAD, false)->accused);
	near(find(READ, false)->share, .25, 1e-12);
	assert_int_equal(find(READ, false)->to, WRITE);
	assert_false(find(READ, false)->accused);
}

static void the_parts_of_a_site_share_its_rate(void **state)
{
	struct seep_site_part parts[] = {
		{ .after_stamp = READ, .live_bytes = 600 },
		{ .after_stamp = WRITE, .live_bytes = 0, .born_bytes = 5000 },
		{ .after_stamp = SEEP_PHASE_NONE, .live_bytes = 200 },
	};
	struct seep_site *site;

	(void)state;
	run_events();
	site = add_site(0, 400);
	site->after_stamp = READ;
	site->parts = parts;
	site->n_parts = 3;
	split(1);
	near(find(READ, false)->bytes_per_event.value, 300, 1e-9);
	near(find(WRITE, false)->bytes_per_event.value, 0, 1e-9);
	near(find(0, true)->bytes_per_event.value, 100, 1e-9);
	near(find(0, true)->share, .25, 1e-12);
}

/* Of two stamps of one event, the work of others lies between. */
static void levels_between_stamps_mean_nothing(void **state)
{
	struct seep_phase_matrix matrix;

	(void)state;
	run_events();
	seep_phase_tabulate(&matrix, &fake.run, &series, 0, 10, &fake.arena);
	assert_int_equal(matrix.n_phases, 0);
	fake.run.overlapping = false;
	seep_phase_tabulate(&matrix, &fake.run, &series, 0, 10, &fake.arena);
	assert_int_equal(matrix.n_phases, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_kind_of_event_has_its_phases, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_parts_of_a_site_share_its_rate, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(levels_between_stamps_mean_nothing, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
