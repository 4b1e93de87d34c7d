/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/series/stamp_figures.h"

#include "fake_run.h"
#include "seed_steps.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define KIB 1024

/* The published figures: 6884 kB first, then 2198.27 on average, sd 49.17, 2084 to 2352. */
static void test_rises_are_those_that_were_published(void **state)
{
	struct fake fake;
	struct seep_stamp_figures stamps;
	int64_t rss = (int64_t)3563396 * KIB;

	(void)state;
	fake_init(&fake, false);
	for (size_t i = 0; i <= SEED_STEPS; i++) {
		fake_begin(&fake, 0, rss);
		if (i < SEED_STEPS)
			rss += (int64_t)seed_steps[i] * KIB;
	}
	seep_stamp_figures_find(&stamps, &fake.run, &fake.arena);
	assert_int_equal(stamps.n_rows, 1);
	assert_int_equal(stamps.rows[0].n, SEED_STEPS + 1);
	assert_true(stamps.rows[0].first_rss == 6884 * KIB);
	assert_int_equal(stamps.rows[0].rss_rise.n, SEED_STEPS - 1);
	assert_true(fabs(stamps.rows[0].rss_rise.mean / KIB - 2198.27) < .005);
	assert_true(fabs(stamps.rows[0].rss_rise.sd / KIB - 49.17) < .005);
	assert_true(stamps.rows[0].rss_rise.min == 2084 * KIB);
	assert_true(stamps.rows[0].rss_rise.max == 2352 * KIB);
	fake_release(&fake);
}

/* A name that comes twice in an event is two rows, and one that is missing is counted. */
static void test_repeated_and_missing_stamps(void **state)
{
	struct fake fake;
	struct seep_stamp_figures stamps;
	uint32_t head, tail;

	(void)state;
	fake_init(&fake, true);
	head = fake_name(&fake, "HEAD");
	tail = fake_name(&fake, "TAIL");
	for (int64_t i = 0; i < 4; i++) {
		fake_begin(&fake, 1000 * i, 0);
		fake_stamp(&fake, head, 0, 1000 * i + 100, 0);
		fake_stamp(&fake, head, 0, 1000 * i + 300, 0);
		if (i != 3)
			fake_stamp(&fake, tail, 0, 1000 * i + 500, 0);
	}
	seep_stamp_figures_find(&stamps, &fake.run, &fake.arena);
	assert_int_equal(stamps.n_rows, 4);
	assert_int_equal(stamps.rows[0].flags, SEEP_STAMP_BEGIN);
	assert_int_equal(stamps.rows[1].name, head);
	assert_int_equal(stamps.rows[1].repeat, 0);
	assert_int_equal(stamps.rows[2].name, head);
	assert_int_equal(stamps.rows[2].repeat, 1);
	assert_true(stamps.rows[2].heap.mean == 300 && stamps.rows[2].heap.sd == 0);
	assert_int_equal(stamps.rows[3].name, tail);
	assert_int_equal(stamps.rows[3].n, 3);
	assert_true(stamps.rows[3].heap_rise.mean == 1000);
	assert_int_equal(stamps.rows[3].rss_rise.n, 0);
	assert_null(seep_stamp_figures_get(&stamps, &fake.run, 3, 3));
	assert_int_equal(seep_stamp_figures_get(&stamps, &fake.run, 2, 3)->live_bytes, 2500);
	fake_release(&fake);
}

static void test_line_fit(void **state)
{
	double y[] = { 3, 5, 7, 9 }, slope, intercept;

	(void)state;
	seep_stamp_figures_fit_line(y, 4, &slope, &intercept);
	assert_true(fabs(slope - 2) < 1e-12 && fabs(intercept - 3) < 1e-12);
	seep_stamp_figures_fit_line(y, 1, &slope, &intercept);
	assert_true(isnan(slope));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rises_are_those_that_were_published),
		cmocka_unit_test(test_repeated_and_missing_stamps),
		cmocka_unit_test(test_line_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
