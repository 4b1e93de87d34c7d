/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which sites come first, and what part of the growth each has. */
#include "analyse/verdict/ranking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define N 4

static struct seep_arena arena;
static struct seep_site sites[N];
static struct seep_site_result results[N];
static struct seep_run run;
static struct seep_evidence evidence;
static struct seep_verdict verdict;

static int make(void **state)
{
	(void)state;
	seep_arena_init(&arena);
	run = (struct seep_run){ .n_sites = N };
	evidence = (struct seep_evidence){ .run = &run, .sites = results };
	verdict = (struct seep_verdict){ .kind = SEEP_KIND_LEAK };
	for (uint32_t i = 0; i < N; i++) {
		sites[i] = (struct seep_site){ .id = i + 1, .kind = SEEP_MEMORY_HEAP };
		results[i] = (struct seep_site_result){
			.site = &sites[i], .verdict = SEEP_SITE_LEAK,
			.bytes_per_event = { true, 100 * (i + 1), 0, 0 },
		};
	}
	return 0;
}

static int drop(void **state)
{
	(void)state;
	seep_arena_release(&arena);
	return 0;
}

static void expect_order(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	seep_ranking_order(&verdict, &evidence, &arena);
	assert_int_equal(verdict.n_sites, N);
	assert_int_equal(verdict.sites[0].site->id, a);
	assert_int_equal(verdict.sites[1].site->id, b);
	assert_int_equal(verdict.sites[2].site->id, c);
	assert_int_equal(verdict.sites[3].site->id, d);
}

static void leaks_stay_as_they_were_sorted(void **state)
{
	(void)state;
	sites[2].pinned_bytes = 5000;
	sites[3].kind = SEEP_MEMORY_MMAP;
	expect_order(1, 2, 3, 4);
}

static void the_largest_pins_first(void **state)
{
	(void)state;
	verdict.kind = SEEP_KIND_FRAGMENTATION;
	sites[1].pinned_bytes = sites[3].pinned_bytes = 4096;
	sites[2].pinned_bytes = 8192;
	expect_order(3, 2, 4, 1);
}

static void outside_the_heap_first(void **state)
{
	(void)state;
	verdict.kind = SEEP_KIND_NON_HEAP;
	sites[1].kind = sites[2].kind = SEEP_MEMORY_MMAP;
	results[1].verdict = SEEP_SITE_NONE;
	expect_order(3, 1, 2, 4);
}

static void expect_share(size_t i, double share)
{
	assert_true(verdict.sites[i].share > share - 1e-9 && verdict.sites[i].share < share + 1e-9);
}

static void shares_are_those_of_the_rate(void **state)
{
	(void)state;
	results[2].verdict = SEEP_SITE_NONE;
	sites[3].kind = SEEP_MEMORY_MMAP;
	verdict.bytes_per_event = (struct seep_estimate){ true, 1000, 900, 1100 };
	seep_ranking_order(&verdict, &evidence, &arena);
	seep_ranking_share(&verdict, &evidence);
	expect_share(0, .1);
	expect_share(1, .2);
	expect_share(2, 0);
	expect_share(3, 0);
}

/* If other sites free memory, the rate is less than what these sites keep. */
static void shares_are_never_more_than_all(void **state)
{
	(void)state;
	verdict.bytes_per_event = (struct seep_estimate){ true, 500, 400, 600 };
	seep_ranking_order(&verdict, &evidence, &arena);
	seep_ranking_share(&verdict, &evidence);
	expect_share(0, .1);
	expect_share(3, .4);
}

static void shares_of_what_is_outside_the_heap(void **state)
{
	(void)state;
	verdict.kind = SEEP_KIND_NON_HEAP;
	sites[1].kind = sites[3].kind = SEEP_MEMORY_MMAP;
	evidence.others_rate = (struct seep_estimate){ true, 800, 700, 900 };
	seep_ranking_order(&verdict, &evidence, &arena);
	seep_ranking_share(&verdict, &evidence);
	expect_share(0, .25);
	expect_share(1, .5);
	expect_share(2, 0);
}

#define RANKING_TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RANKING_TEST(leaks_stay_as_they_were_sorted),
		RANKING_TEST(the_largest_pins_first),
		RANKING_TEST(outside_the_heap_first),
		RANKING_TEST(shares_are_those_of_the_rate),
		RANKING_TEST(shares_are_never_more_than_all),
		RANKING_TEST(shares_of_what_is_outside_the_heap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
