/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/cause/subset.h"

#include "analyse/series/average.h"
#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

#define ROWS 50
#define CLEAR 6

static struct seep_subset subset;
static double columns[4][ROWS], y[ROWS];

/* Sums of four counters that have nothing to do with each other; y is to be filled in. */
static struct seep_subset_data draw(struct noise *noise)
{
	struct seep_subset_data data = { .y = y, .n_columns = 4, .rows = ROWS };
	size_t i, k;

	for (k = 0; k < 4; k++) {
		data.columns[k] = columns[k];
		for (i = 1; i < ROWS; i++)
			columns[k][i] = columns[k][i - 1] + 100 + 20 * noise_normal(noise);
	}
	return data;
}

/* Of all sets, is this the best by far? */
static bool is_best(double bic)
{
	size_t j, k, as_good = 0;

	for (k = 0; k < 4; k++) {
		as_good += subset.one[k] < bic + CLEAR;
		for (j = 0; j < k; j++)
			as_good += subset.two[j][k] < bic + CLEAR;
	}
	return as_good == 1;
}

static void two_of_four(void **state)
{
	struct noise noise = noise_seed(1);
	struct seep_subset_data data = draw(&noise);
	size_t i;

	(void)state;
	for (i = 0; i < ROWS; i++)
		y[i] = 1e9 + 30 * columns[1][i] + 20 * columns[3][i] + 50 * noise_normal(&noise);
	seep_subset_judge(&subset, &data, true, &fake.arena);
	assert_true(is_best(subset.two[1][3]));
	near(subset.two[3][1], subset.two[1][3], 0);
	seep_subset_judge(&subset, &data, false, &fake.arena);
	assert_true(isinf(subset.two[1][3]));
	assert_false(isinf(subset.one[1]));
}

/* The more that is left over, the worse; exact data have no better likelihood than their grain. */
static void one_is_enough(void **state)
{
	struct noise noise = noise_seed(2);
	struct seep_subset_data data = draw(&noise);
	size_t i, k;

	(void)state;
	for (i = 0; i < ROWS; i++)
		y[i] = 48 * columns[2][i];
	seep_subset_judge(&subset, &data, true, &fake.arena);
	for (k = 0; k < 4; k++)
		if (k != 2) {
			assert_true(subset.one[k] > subset.one[2] + 100);
			assert_true(subset.two[k][2] >= subset.one[2] + log(ROWS) - 1e-9);
		}
}

static void no_negative_parts(void **state)
{
	struct noise noise = noise_seed(3);
	struct seep_subset_data data = draw(&noise);
	size_t i;

	(void)state;
	for (i = 0; i < ROWS; i++)
		y[i] = 50 * columns[0][i] - 20 * columns[1][i] + 5 * noise_normal(&noise);
	seep_subset_judge(&subset, &data, true, &fake.arena);
	assert_true(isinf(subset.two[0][1]));
	for (i = 0; i < ROWS; i++)
		y[i] = -columns[0][i];
	seep_subset_judge(&subset, &data, true, &fake.arena);
	assert_true(isinf(subset.one[0]));
}

/* The same column twice, or one that never moves, makes no set. */
static void columns_that_are_one(void **state)
{
	struct noise noise = noise_seed(4);
	struct seep_subset_data data = draw(&noise);
	size_t i;

	(void)state;
	for (i = 0; i < ROWS; i++) {
		y[i] = 10 * columns[0][i] + noise_normal(&noise);
		columns[1][i] = 7 + 3 * columns[0][i];
		columns[2][i] = 5;
	}
	seep_subset_judge(&subset, &data, true, &fake.arena);
	near(subset.one[1], subset.one[0], 1e-3);
	assert_true(isinf(subset.two[0][1]));
	assert_true(isinf(subset.one[2]));
	assert_true(isinf(subset.two[0][2]));
}

static void long_series_are_averaged(void **state)
{
	static const double values[] = { 5, 7, 9, 11, 13 };
	double rows[2];

	(void)state;
	assert_int_equal(seep_average_count(7, SEEP_SUBSET_ROWS), 7);
	assert_int_equal(seep_average_count(SEEP_SUBSET_ROWS, SEEP_SUBSET_ROWS), SEEP_SUBSET_ROWS);
	assert_int_equal(seep_average_count(SEEP_SUBSET_ROWS + 2, SEEP_SUBSET_ROWS),
			 SEEP_SUBSET_ROWS / 2 + 1);
	assert_in_range(seep_average_count(1000000, SEEP_SUBSET_ROWS), SEEP_SUBSET_ROWS - 1,
			SEEP_SUBSET_ROWS);
	seep_average_rows(rows, 2, values, 5);
	near(rows[0], 1, 1e-12); /* of the first two, above the first */
	near(rows[1], 6, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(two_of_four, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_is_enough, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_negative_parts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(columns_that_are_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(long_series_are_averaged, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
