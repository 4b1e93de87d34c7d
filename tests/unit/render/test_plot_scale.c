/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/plot/scale.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct seep_arena arena;

static int set_up(void **state)
{
	(void)state;
	seep_arena_init(&arena);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	seep_arena_release(&arena);
	return 0;
}

static void expect_ticks(double low, double high, size_t most, double least, double step,
			 double first, size_t n)
{
	struct seep_ticks ticks = seep_ticks_find((struct seep_range){ low, high }, most, least);

	if (fabs(ticks.step - step) > 1e-9 * step || ticks.n != n ||
	    fabs(seep_ticks_at(&ticks, 0) - first) > 1e-9 * step)
		fail_msg("%g .. %g: %zu ticks from %g by %g", low, high, ticks.n,
			 seep_ticks_at(&ticks, 0), ticks.step);
}

static void test_ticks(void **state)
{
	(void)state;
	expect_ticks(0, 10, 5, 0, 5, 0, 3);
	expect_ticks(0, 10, 6, 0, 2, 0, 6);
	expect_ticks(0, 10, 11, 0, 1, 0, 11);
	expect_ticks(3, 97, 10, 0, 10, 10, 9);
	expect_ticks(-45e6, 42e6, 5, 0, 20e6, -40e6, 5);
	expect_ticks(0.1, 0.35, 4, 0, 0.1, 0.1, 3);
	expect_ticks(0, 3, 10, 1, 1, 0, 4);       /* no half events */
	expect_ticks(0, 100000, 8, 1, 20000, 0, 6);
	expect_ticks(1e15, 1e15 + 10, 6, 0, 2e5, 1e15 - 4e5, 5); /* widened: it has no digits */
}

/* Whatever the range: steps of 1, 2 or 5, inside of it, and not too many. */
static void test_ticks_everywhere(void **state)
{
	static const double ends[] = { 0, 1, 7, -3, 1e-9, 0.3, 4096, 1e6, 123456789, 9.2e18,
				       -9.2e18, 1e300, -1e300, NAN, INFINITY, -INFINITY };
	size_t n = sizeof(ends) / sizeof(ends[0]);

	(void)state;
	for (size_t i = 0; i < n * n; i++) {
		struct seep_range range = SEEP_RANGE_EMPTY;
		struct seep_ticks ticks;
		double digit;

		seep_range_add(&range, ends[i / n]);
		seep_range_add(&range, ends[i % n]);
		for (size_t most = 1; most < 12; most++) {
			ticks = seep_ticks_find(range, most, 0);
			range = seep_range_widen(range, 0);
			assert_true(ticks.n <= most && ticks.step > 0 && isfinite(ticks.step));
			digit = ticks.step / pow(10, floor(log10(ticks.step) + 1e-9));
			assert_true(fabs(digit - 1) < 1e-6 || fabs(digit - 2) < 1e-6 ||
				    fabs(digit - 5) < 1e-6);
			for (size_t k = 0; k < ticks.n; k++) {
				double at = seep_ticks_at(&ticks, k);

				assert_true(at >= range.low - ticks.step * 1e-5);
				assert_true(at <= range.high + ticks.step * 1e-5);
				assert_true(strlen(seep_ticks_bytes(&ticks, k).text) < 64);
				assert_true(strlen(seep_ticks_number(&ticks, at).text) < 64);
			}
		}
	}
}

static void test_labels(void **state)
{
	struct seep_ticks ticks = seep_ticks_find((struct seep_range){ 1.9e6, 2.1e6 }, 5, 0);

	(void)state;
	assert_string_equal(seep_ticks_bytes(&ticks, 0).text, "1.90 MB");
	ticks = seep_ticks_find((struct seep_range){ -2e6, 1e6 }, 4, 0);
	assert_string_equal(seep_ticks_bytes(&ticks, 0).text, "-2 MB");
	assert_string_equal(seep_ticks_bytes(&ticks, 2).text, "0 MB");
	ticks = seep_ticks_find((struct seep_range){ 0, 5000 }, 3, 0);
	assert_string_equal(seep_ticks_bytes(&ticks, 2).text, "4000 B");
	ticks = seep_ticks_find((struct seep_range){ 0, 1 }, 3, 0);
	assert_string_equal(seep_ticks_number(&ticks, 0.5).text, "0.5");
	assert_string_equal(seep_ticks_number(&ticks, -1e-17).text, "0.0");
	assert_string_equal(seep_scale_time_for(1.9).name, "s");
	assert_string_equal(seep_scale_time_for(0.2).name, "ms");
	assert_string_equal(seep_scale_time_for(100).name, "s");
	assert_string_equal(seep_scale_time_for(7200).name, "h");
	assert_string_equal(seep_scale_time_for(NAN).name, "us");
}

static void test_places(void **state)
{
	struct seep_range range = { 100, 200 };

	(void)state;
	assert_true(seep_scale_at(range, 0, 10, 100) == 0);
	assert_true(seep_scale_at(range, 0, 10, 150) == 5);
	assert_true(seep_scale_at(range, 10, 0, 200) == 0);
	assert_true(seep_scale_at(range, 0, 10, 1e300) <= 11);
	assert_true(seep_scale_at(range, 0, 10, -INFINITY) >= -1);
	assert_true(seep_scale_at(range, 0, 10, NAN) == 0);
	assert_true(seep_scale_at((struct seep_range){ 5, 5 }, 0, 10, 7) == 0);
	assert_true(seep_scale_at((struct seep_range){ -0x1p63, 0x1p63 }, 0, 10, 0) == 5);
}

static void test_clipping(void **state)
{
	double values[128];
	struct seep_range range;

	(void)state;
	/* the first event of the published run added 6884 kB, the others 2084 to 2352 */
	for (size_t i = 0; i < 128; i++)
		values[i] = i ? 2084e3 + (double)(i * 37 % 128 - 1) * 268e3 / 126 : 6884e3;
	range = seep_range_clip(values, 128, &arena);
	assert_true(range.low == 2084e3 && range.high == 2352e3);
	/* what is not far away stays, however rare */
	values[0] = 2500e3;
	assert_true(seep_range_clip(values, 128, &arena).high == 2500e3);
	/* a tooth in every tenth event is no outlier */
	for (size_t i = 0; i < 128; i++)
		values[i] = i % 10 ? 10 : -90;
	assert_true(seep_range_clip(values, 128, &arena).low == -90);
	/* one step among nothing is all there is to see */
	for (size_t i = 0; i < 128; i++)
		values[i] = i == 60 ? 1e6 : 0;
	assert_true(seep_range_clip(values, 128, &arena).high == 1e6);
	/* of a handful of events all are shown */
	values[60] = 0;
	values[0] = 1;
	values[1] = 1000;
	assert_true(seep_range_clip(values, 3, &arena).high == 1000);
}

static void test_hostile_clipping(void **state)
{
	double values[] = { NAN, INFINITY, -INFINITY, 1e308, 5, 6, 7, 8, 9, 10, (double)INT64_MAX };
	struct seep_range range;

	(void)state;
	range = seep_range_clip(values, sizeof(values) / sizeof(values[0]), &arena);
	assert_true(range.low == 5 && range.high == 10);
	range = seep_range_clip(values, 4, &arena);
	assert_true(range.low > range.high);
	range = seep_range_widen(range, 0);
	assert_true(range.low < range.high);
	range = seep_range_widen((struct seep_range){ 7, 7 }, NAN);
	assert_true(range.low < 7 && range.high > 7);
}

/* The smallest and largest of all, the ends, and the order. */
static void test_thinning(void **state)
{
	size_t n = 100000, lowest = 0, highest = 0;
	double *x = seep_arena_array(&arena, n, sizeof(double));
	double *y = seep_arena_array(&arena, n, sizeof(double));
	struct seep_range all = SEEP_RANGE_EMPTY, kept = SEEP_RANGE_EMPTY;
	struct seep_scale_points points;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		x[i] = (double)i;
		y[i] = (double)(i * 7919 % 1000);
	}
	y[31234] = -5000;
	y[31235] = 9000;
	points = seep_scale_thin(x, y, n, (struct seep_range){ 0, 1e5 }, 500, &arena);
	assert_true(points.n <= 2000 && points.n >= 1000);
	seep_range_add_all(&all, y, n);
	seep_range_add_all(&kept, points.y, points.n);
	assert_true(all.low == kept.low && all.high == kept.high);
	assert_true(points.x[0] == 0 && points.x[points.n - 1] == (double)(n - 1));
	for (size_t i = 1; i < points.n; i++) {
		assert_true(points.x[i] > points.x[i - 1]);
		lowest = points.y[i] < points.y[lowest] ? i : lowest;
		highest = points.y[i] > points.y[highest] ? i : highest;
	}
	assert_true(points.x[lowest] == 31234 && points.x[highest] == 31235);
}

static void test_hostile_thinning(void **state)
{
	double x[] = { 0, 1, 2, 3, 4, 3, NAN, INFINITY, 8 };
	double y[] = { 1, NAN, 3, INFINITY, 5, 6, 7, 8, -1e308 };
	struct seep_range range = { 0, 10 };
	struct seep_scale_points points;

	(void)state;
	points = seep_scale_thin(x, y, 9, range, 100, &arena);
	assert_int_equal(points.n, 4);
	assert_true(points.y[1] == 3 && points.y[2] == 5 && points.y[3] == 6);
	points = seep_scale_thin(x, y, 9, range, 2, &arena);
	assert_true(points.n <= 8 && points.n >= 2);
	assert_int_equal(seep_scale_thin(x, y, 9, range, 0, &arena).n, 0);
	assert_true(seep_scale_thin(x, y, 9, (struct seep_range){ 3, 3 }, 1, &arena).n <= 4);
	assert_int_equal(seep_scale_thin(x, y, 0, range, 10, &arena).n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ticks),
		cmocka_unit_test(test_ticks_everywhere),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_places),
		cmocka_unit_test_setup_teardown(test_clipping, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_hostile_clipping, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_thinning, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_hostile_thinning, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
