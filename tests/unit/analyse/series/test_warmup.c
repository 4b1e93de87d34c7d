/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the warm-up of a series ends. */
#include "analyse/series/warmup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define N_MAX 2001

static double values[N_MAX];
static size_t n;

static void start(void)
{
	n = 1;
	values[0] = 0;
}

static void rise(size_t steps, double by)
{
	while (steps--) {
		values[n] = values[n - 1] + by;
		n++;
	}
}

static void nothing_is_cut_but_the_first_step(void **state)
{
	(void)state;
	assert_int_equal(seep_warmup_cut(values, 0), 0);
	assert_int_equal(seep_warmup_cut(values, 1), 1);
	assert_int_equal(seep_warmup_cut(values, 2), 1);
	start();
	rise(30, 10);
	assert_int_equal(seep_warmup_cut(values, n), 1);
}

/* Of all cuts behind which the steps are equal, the first. */
static void a_warm_up_is_cut_where_it_ends(void **state)
{
	(void)state;
	start();
	rise(1, 100);
	rise(1, 50);
	rise(1, 20);
	rise(27, 10);
	assert_int_equal(seep_warmup_cut(values, n), 3);
}

static void a_long_series_is_cut_at_a_hundredth(void **state)
{
	(void)state;
	start();
	rise(90, 100);
	rise(910, 10);
	assert_int_equal(n, 1001);
	assert_int_equal(seep_warmup_cut(values, n), 90);
}

/* At most half of the run is warm-up. */
static void a_change_in_the_second_half_is_none(void **state)
{
	(void)state;
	start();
	rise(70, 100);
	rise(30, 10);
	assert_in_range(seep_warmup_cut(values, n), 1, 50);
}

/* The second step is odd enough for the smallest score, but not for a warm-up. */
static void noise_behind_a_large_first_step_is_none(void **state)
{
	(void)state;
	start();
	rise(1, 1000);
	rise(1, 14);
	for (int i = 0; i < 13; i++) {
		rise(1, 8);
		rise(1, 12);
	}
	assert_int_equal(seep_warmup_cut(values, n), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_cut_but_the_first_step),
		cmocka_unit_test(a_warm_up_is_cut_where_it_ends),
		cmocka_unit_test(a_long_series_is_cut_at_a_hundredth),
		cmocka_unit_test(a_change_in_the_second_half_is_none),
		cmocka_unit_test(noise_behind_a_large_first_step_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
