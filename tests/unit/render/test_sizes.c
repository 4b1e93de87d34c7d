/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"
#include "cli/common/options.h"
#include "render/safe.h"
#include "render/sizes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect_size(double bytes, const char *text)
{
	assert_string_equal(seep_size_format(bytes).text, text);
}

static void test_sizes(void **state)
{
	(void)state;
	expect_size(0, "0 B");
	expect_size(384, "384 B");
	expect_size(1216, "1216 B");
	expect_size(9999, "9999 B");
	expect_size(9999.7, "10.0 kB");
	expect_size(0.25, "0.25 B");
	expect_size(12.34, "12.3 B");
	expect_size(-384, "-384 B");
	expect_size(2190000, "2.19 MB");
	expect_size(21900000, "21.9 MB");
	expect_size(219000000, "219 MB");
	expect_size(999499999, "999 MB");
	expect_size(999600000, "1.00 GB");
	expect_size(9996000, "10.0 MB");
	expect_size(-2190000, "-2.19 MB");
	expect_size(8589934592.0, "8.59 GB");
	expect_size(1e-9, "0 B");
	expect_size(-1e-9, "0 B");
	expect_size(NAN, "unknown");
	expect_size(INFINITY, "unknown");
}

static void test_extremes(void **state)
{
	(void)state;
	assert_true(strlen(seep_size_format(1e300).text) < sizeof(struct seep_size_text));
	assert_true(strlen(seep_size_format(-1e300).text) < sizeof(struct seep_size_text));
	assert_true(strlen(seep_size_interval(1e300, -1e300, 1e308).value) < 64);
	assert_true(strlen(seep_size_duration(1e300).text) < 64);
}

static void test_counts(void **state)
{
	(void)state;
	assert_string_equal(seep_size_count(0).text, "0");
	assert_string_equal(seep_size_count(1748).text, "1748");
	assert_string_equal(seep_size_count(1748.4).text, "1748");
	assert_string_equal(seep_size_count(12.5).text, "12.5");
	assert_string_equal(seep_size_count(0.02).text, "0.02");
	assert_string_equal(seep_size_count(3).text, "3");
	assert_string_equal(seep_size_count(123456789).text, "123456789");
}

static void test_percents(void **state)
{
	(void)state;
	assert_string_equal(seep_size_percent(0).text, "0 %");
	assert_string_equal(seep_size_percent(0.302).text, "30 %");
	assert_string_equal(seep_size_percent(1).text, "100 %");
	assert_string_equal(seep_size_percent(0.001).text, "<1 %");
	assert_string_equal(seep_size_percent(-0.15).text, "-15 %");
	assert_string_equal(seep_size_percent(NAN).text, "-");
}

static void test_durations(void **state)
{
	(void)state;
	assert_string_equal(seep_size_duration(0.03).text, "30 ms");
	assert_string_equal(seep_size_duration(1.5).text, "1.5 s");
	assert_string_equal(seep_size_duration(37.2).text, "37 s");
	assert_string_equal(seep_size_duration(386).text, "6 m 26 s");
	assert_string_equal(seep_size_duration(11400).text, "3 h 10 m");
	assert_string_equal(seep_size_duration(3600 * 36).text, "36 h");
	assert_string_equal(seep_size_duration(3600 * 72).text, "3 d");
	assert_string_equal(seep_size_duration(3600 * 75).text, "3 d 3 h");
	assert_string_equal(seep_size_duration(INFINITY).text, "years");
	assert_string_equal(seep_size_duration(NAN).text, "unknown");
}

static void test_intervals(void **state)
{
	struct seep_size_pair pair = seep_size_interval(2.19e6, 2.18e6, 2.2e6);

	(void)state;
	assert_string_equal(pair.value, "2.19 MB");
	assert_string_equal(pair.interval, "2.18, 2.20");
	pair = seep_size_interval(2.1324e6, 2.1318e6, 2.133e6);
	assert_string_equal(pair.value, "2.132 MB");
	assert_string_equal(pair.interval, "2.132, 2.133");
	pair = seep_size_interval(1216, 1215.9999, 1216.0001);
	assert_string_equal(pair.value, "1216 B");
	assert_string_equal(pair.interval, "1216, 1216");
	pair = seep_size_interval(100, -50000, 60000);
	assert_string_equal(pair.value, "0.1 kB");
	assert_string_equal(pair.interval, "-50.0, 60.0");
}

static void test_parsing(void **state)
{
	struct seep_err err = { 0 };
	int64_t value = 0;

	(void)state;
	assert_int_equal(seep_options_size("--size", "2GB", "1MB", &value, &err), 0);
	assert_int_equal(value, 2000000000);
	assert_int_equal(seep_options_size("--size", "2GiB", "1MB", &value, &err), 0);
	assert_int_equal(value, 2147483648);
	assert_int_equal(seep_options_size("--size", "1.5 kB", "1MB", &value, &err), 0);
	assert_int_equal(value, 1500);
	assert_int_equal(seep_options_duration("100ms", &value, &err), 0);
	assert_int_equal(value, 100000000);
	assert_int_equal(seep_options_duration("1s", &value, &err), 0);
	assert_int_equal(value, 1000000000);
	assert_int_equal(seep_options_duration("2min", &value, &err), 0);
	assert_int_equal(value, 120000000000);
	assert_int_equal(err.code, 0);
}

static void test_refusing(void **state)
{
	static const char *const sizes[] = { "", "GB", "-1", "2XB", "1e30", "0", "nan", "0x10k" };
	int64_t value;
	size_t count;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct seep_err err = { 0 };

		assert_true(seep_options_size("--size", sizes[i], "1MB", &value, &err) < 0);
		assert_true(err.code != 0);
	}
	assert_true(seep_options_duration("5 parsecs", &value, NULL) < 0);
	assert_true(seep_options_count("0", "site", &count, NULL) < 0);
	assert_true(seep_options_count("-3", "site", &count, NULL) < 0);
	assert_true(seep_options_count("1x", "site", &count, NULL) < 0);
	assert_int_equal(seep_options_count("12", "site", &count, NULL), 0);
	assert_int_equal(count, 12);
	assert_int_equal(seep_options_distance("rum", "run"), 1);
	assert_int_equal(seep_options_distance("", "run"), 3);
}

static void test_safe_names(void **state)
{
	struct seep_arena arena;

	(void)state;
	seep_arena_init(&arena);
	assert_string_equal(seep_safe_text(&arena, "plain"), "plain");
	assert_string_equal(seep_safe_text(&arena, "\x1b[31m\n"), "\\x1b[31m\\x0a");
	assert_string_equal(seep_safe_text(&arena, "gr\xc3\xbcn"), "gr\xc3\xbcn");
	assert_string_equal(seep_safe_text(&arena, "\xc2\x9b" "2J"), "\\xc2\\x9b2J");
	assert_string_equal(seep_safe_text(&arena, "a\xe2\x80\xae" "b"), "a\\xe2\\x80\\xaeb");
	assert_string_equal(seep_safe_text(&arena, "\xff"), "\\xff");
	assert_int_equal(seep_safe_width("gr\xc3\xbcn"), 4);
	assert_string_equal(seep_safe_shorten(&arena, "short", 10), "short");
	assert_string_equal(seep_safe_shorten(&arena, "abcdefghijklmnop", 11), "abcd...mnop");
	assert_string_equal(seep_safe_shell(&arena, "a.seep"), "a.seep");
	assert_string_equal(seep_safe_shell(&arena, "a b"), "'a b'");
	assert_string_equal(seep_safe_shell(&arena, "it's"), "'it'\\''s'");
	assert_string_equal(seep_safe_shell(&arena, ""), "''");
	seep_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_percents),
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_parsing),
		cmocka_unit_test(test_refusing),
		cmocka_unit_test(test_safe_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
