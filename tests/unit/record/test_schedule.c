/* SPDX-License-Identifier: GPL-3.0-or-later */
/* At which events the heap is dumped. */
#include "record/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* The events of a loop of so many, each as often as it is dumped: "49 59 99 99". */
static const char *list(struct seep_schedule schedule, uint32_t events)
{
	static char text[256];
	size_t used = 0;

	text[0] = 0;
	for (uint32_t i = 1; i <= events; i++) {
		uint32_t due = seep_schedule_take(&schedule, i);

		assert_int_equal(seep_schedule_take(&schedule, i), 0);
		for (; due; due--)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u",
						 used ? " " : "", i);
	}
	return text;
}

static void test_as_in_the_note(void **state)
{
	(void)state;
	assert_string_equal(list((struct seep_schedule){ 49, 99, 10, 0 }, 200),
			    "49 59 69 79 89 99 99");
	assert_string_equal(list((struct seep_schedule){ 49, 99, 10, 0 }, 60), "49 59");
}

static void test_last_between_periods(void **state)
{
	(void)state;
	assert_string_equal(list((struct seep_schedule){ 1, 20, 7, 0 }, 50), "1 8 15 20");
	assert_string_equal(list((struct seep_schedule){ 5, 5, 100, 0 }, 50), "5 5");
}

static void test_without_last(void **state)
{
	(void)state;
	assert_string_equal(list((struct seep_schedule){ 1, 0, 100, 0 }, 250), "1 101 201");
	assert_string_equal(list((struct seep_schedule){ 3, 0, 1, 0 }, 5), "3 4 5");
	assert_string_equal(list((struct seep_schedule){ 1, 0, 0, 0 }, 5), "");
}

/* Where several threads end events, not each number is seen. */
static void test_numbers_are_skipped(void **state)
{
	struct seep_schedule schedule = { 10, 30, 10, 0 };

	(void)state;
	assert_int_equal(seep_schedule_take(&schedule, 9), 0);
	assert_int_equal(seep_schedule_take(&schedule, 13), 1);
	assert_int_equal(seep_schedule_take(&schedule, 11), 0);
	assert_int_equal(seep_schedule_take(&schedule, 1000), 2);
	assert_int_equal(seep_schedule_take(&schedule, UINT32_MAX), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_in_the_note),
		cmocka_unit_test(test_last_between_periods),
		cmocka_unit_test(test_without_last),
		cmocka_unit_test(test_numbers_are_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
