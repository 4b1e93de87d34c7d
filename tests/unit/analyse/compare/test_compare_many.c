/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cost of a comparison rises as the number of sites does, and not as its square. */
#include "analyse/compare/calls.h"
#include "analyse/compare/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define FEW 2000
#define TIMES 8
#define DEEP 20
#define FUNCTIONS 500
#define ROUNDS 15                /* the fastest counts; others may have the cache meanwhile */

#define LONG_NAME 3000
#define LONG_MOST 4.0

/* What may be left of noise: a square would give TIMES times TIMES. */
#define MOST (4.5 * TIMES)

static struct seep_arena arena;
static struct seep_frame functions[FUNCTIONS + 1];
static uint64_t alive = 100;
static int name_bytes = 1;
static const char *outermost = "main";

struct many {
	struct seep_run run;
	struct seep_verdict verdict;
};

static void name_functions(void)
{
	for (size_t i = 0; i < FUNCTIONS; i++)
		functions[i] = (struct seep_frame){
			.function = seep_arena_printf(&arena, "f%0*zu", name_bytes, i),
			.module = "x", .language = "c", .line = 1,
		};
	functions[FUNCTIONS] = (struct seep_frame){ .function = outermost, .module = "x",
						    .language = "c", .line = 1 };
}

/* Stacks that differ by their functions, or, if alike, by their lines alone. */
static void fill_stack(struct seep_stack *stack, size_t i, bool alike)
{
	stack->n_frames = DEEP;
	stack->frames = seep_arena_array(&arena, DEEP, sizeof(*stack->frames));
	for (size_t k = 0; k < DEEP; k++) {
		stack->frames[k] = functions[alike ? k : (k * 37 + (k < 4 ? i : 0)) % FUNCTIONS];
		if (k < 4)
			i /= 2;
	}
	stack->frames[DEEP - 1] = functions[FUNCTIONS];
}

static void make(struct many *many, size_t n, bool alike)
{
	struct seep_run *run = &many->run;
	struct seep_verdict *verdict = &many->verdict;

	memset(many, 0, sizeof(*many));
	run->path = "x.seep";
	run->event_source = SEEP_EVENTS_API;
	run->has_heap = true;
	run->sites = seep_arena_array(&arena, n, sizeof(*run->sites));
	run->n_sites = verdict->n_sites = n;
	verdict->kind = SEEP_KIND_LEAK;
	verdict->from_heap = true;
	verdict->bytes_per_event = (struct seep_estimate){ true, 10, 9, 11 };
	verdict->sites = seep_arena_array(&arena, n, sizeof(*verdict->sites));
	for (size_t i = 0; i < n; i++) {
		struct seep_site *site = &run->sites[i];

		fill_stack(&site->stack, i, alike);
		if (alike)
			site->stack.frames[0].line = (int)(i * 7919 % n);
		site->cohorts = (struct seep_cohorts){ .events_per_bin = 1, .n_bins = 1,
						       .live_blocks = &alive,
						       .live_bytes = &alive };
		verdict->sites[i] = (struct seep_site_result){
			.site = site, .verdict = i % 2 ? SEEP_SITE_LEAK : SEEP_SITE_NONE,
			.bytes_per_event = { true, 10, 9, 11 }, .live_blocks = 1,
			.live_bytes = alive,
		};
	}
}

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double take_time(size_t n, bool alike, bool live)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		struct many before, after;
		struct seep_compare_side sides[] = { { &before.run, &before.verdict, false },
						     { &after.run, &after.verdict, false } };
		struct seep_compare compare;
		struct seep_calls calls;
		double start;

		seep_arena_init(&arena);
		name_functions();
		make(&before, n, alike);
		make(&after, n, alike);
		start = cpu_s();
		seep_compare_runs(&compare, &sides[0], &sides[1], live, &arena);
		if (live)
			seep_calls_compare(&calls, &sides[0], &sides[1], &arena);
		for (size_t k = 0; live && k < calls.n_functions; k++)
			assert_non_null(calls.functions[k].name);
		start = cpu_s() - start;
		best = start < best ? start : best;
		assert_true(compare.n_sites > 0);
		seep_arena_release(&arena);
	}
	return best;
}

static void expect_linear(bool alike, bool live)
{
	double few = take_time(FEW, alike, live), many = take_time(FEW * TIMES, alike, live);

	if (many > MOST * few)
		fail_msg("%d times the sites take %.1f times as long", TIMES, many / few);
}

static void rates_of_many(void **state)
{
	(void)state;
	expect_linear(false, false);
}

static void levels_of_many(void **state)
{
	(void)state;
	expect_linear(false, true);
}

/* As in a program whose stacks were cut. */
static void levels_without_main(void **state)
{
	(void)state;
	outermost = "start";
	take_time(FEW, false, true);
	outermost = "main";
}

static void lines_of_one_function(void **state)
{
	(void)state;
	expect_linear(true, false);
}

/*
 * A name is looked at once, and not in each stack that has it: names that are a thousand times
 * longer do not make it even a few times slower.
 */
static void long_names(void **state)
{
	double plain = take_time(FEW * TIMES, false, false), longer;

	(void)state;
	name_bytes = LONG_NAME;
	longer = take_time(FEW * TIMES, false, false);
	name_bytes = 1;
	if (longer > LONG_MOST * plain)
		fail_msg("long names take %.1f times as long", longer / plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_of_many),
		cmocka_unit_test(levels_of_many),
		cmocka_unit_test(levels_without_main),
		cmocka_unit_test(lines_of_one_function),
		cmocka_unit_test(long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
