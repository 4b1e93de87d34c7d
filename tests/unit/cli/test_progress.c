/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line for work that takes long: it comes late, names the step, and goes away. */
#include "cli/common/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Waits although signals come meanwhile. */
static void wait_ms(long ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&left, &left))
		;
}

static void expect(int after_ms, long work_ms, const char *expected)
{
	char text[256] = "";
	int ends[2];
	ssize_t n;

	assert_int_equal(pipe(ends), 0);
	seep_progress_start(ends[1], after_ms);
	seep_progress_step("reading");
	wait_ms(work_ms);
	seep_progress_end();
	seep_progress_step("late"); /* must not matter */
	close(ends[1]);
	n = read(ends[0], text, sizeof(text) - 1);
	close(ends[0]);
	assert_true(n >= 0);
	assert_string_equal(text, expected);
}

static void short_work_has_no_line(void **state)
{
	(void)state;
	expect(60000, 5, "");
}

static void long_work_has_one(void **state)
{
	(void)state;
	expect(5, 300, "\r\033[Kseep: reading ...\r\033[K");
}

static void nothing_was_started(void **state)
{
	(void)state;
	seep_progress_step("reading");
	seep_progress_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_work_has_no_line),
		cmocka_unit_test(long_work_has_one),
		cmocka_unit_test(nothing_was_started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
