/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rise of RSS that the heap does not explain. */
#include "analyse/cause/rss_rise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define N 40
#define MB 1e6

static double index_of[N], rss_values[N], heap_values[N];
static struct seep_series rss = { .n = N, .index = index_of, .values = rss_values };
static struct seep_series heap = { .n = N, .index = index_of, .values = heap_values };
static struct seep_rate rate;
static struct seep_closing_sum sum;
static struct seep_run run;
static struct seep_rss_rise rise;

/* A straight line for each. */
static void find(double rss_from, double rss_to, double heap_from, double heap_to)
{
	const struct seep_rss_question question = {
		.run = &run, .rss = &rss, .heap = &heap, .rate = &rate, .sum = &sum,
	};

	for (size_t i = 0; i < N; i++) {
		double part = (double)i / (N - 1);

		index_of[i] = (double)i;
		rss_values[i] = rss_from + part * (rss_to - rss_from);
		heap_values[i] = heap_from + part * (heap_to - heap_from);
	}
	rate = (struct seep_rate){ .first = 0, .n = N };
	seep_rss_rise_find(&rise, &question);
}

static void expect_bytes(double bytes)
{
	assert_true(rise.bytes > bytes - 1 && rise.bytes < bytes + 1);
}

static void what_the_heap_grew_by_is_not_counted(void **state)
{
	(void)state;
	find(100 * MB, 160 * MB, 50 * MB, 60 * MB);
	assert_true(rise.known);
	expect_bytes(50 * MB);
	find(100 * MB, 160 * MB, 50 * MB, 105 * MB);
	assert_false(rise.known);
	expect_bytes(5 * MB);
}

/* What the heap gave back is in the allocator, at most: RSS rose by no more than it did. */
static void a_heap_that_falls_adds_nothing(void **state)
{
	(void)state;
	find(100 * MB, 160 * MB, 50 * MB, 20 * MB);
	assert_true(rise.known);
	expect_bytes(60 * MB);
}

static void a_tenth_of_rss_and_four_megabytes_matter(void **state)
{
	(void)state;
	find(10 * MB, 13.9 * MB, MB, MB);
	assert_false(rise.known);
	find(100 * MB, 109 * MB, MB, MB);
	assert_false(rise.known);
	find(100 * MB, 130 * MB, MB, MB);
	assert_true(rise.known);
}

static void the_largest_term_is_named_if_it_is_most_of_it(void **state)
{
	(void)state;
	sum = (struct seep_closing_sum){
		.known = true, .slack_known = true, .non_heap_known = true,
		.rss = 1000, .allocator_slack = 300, .non_heap = 600, .residual = 100,
	};
	find(100 * MB, 160 * MB, MB, MB);
	assert_int_equal(rise.part, SEEP_RSS_PART_NON_HEAP);
	assert_true(rise.part_per_event > 599 && rise.part_per_event < 601);
	sum.non_heap = 450;
	find(100 * MB, 160 * MB, MB, MB);
	assert_int_equal(rise.part, SEEP_RSS_PART_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_heap_grew_by_is_not_counted),
		cmocka_unit_test(a_heap_that_falls_adds_nothing),
		cmocka_unit_test(a_tenth_of_rss_and_four_megabytes_matter),
		cmocka_unit_test(the_largest_term_is_named_if_it_is_most_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
