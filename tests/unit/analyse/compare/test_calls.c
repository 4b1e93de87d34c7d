/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is alive by function and by call. */
#include "analyse/compare/calls.h"

#include "fake_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

/* A call that a stack goes through twice holds what the stack holds, not twice as much. */
static void recursion_counts_once_in_an_edge(void **state)
{
	static const double kept[] = { 3, 4 };
	static struct seep_frame frames[] = {
		{ .function = "walk" }, { .function = "walk" }, { .function = "walk" },
		{ .function = "main" },
	};
	struct seep_site *site = fake_site(&fake, 2, kept, 100);
	struct seep_site_result result = { .site = 0 };
	struct seep_verdict verdict = { .sites = &result, .n_sites = 1 };
	struct seep_run none = { .has_heap = true };
	struct seep_verdict nothing = { 0 };
	struct seep_compare_side before = { &none, &nothing, false };
	struct seep_compare_side after = { &fake.run, &verdict, false };
	struct seep_calls calls;
	size_t own = 0;

	(void)state;
	site->stack.frames = frames;
	site->stack.n_frames = sizeof(frames) / sizeof(frames[0]);
	seep_calls_compare(&calls, &before, &after, &fake.arena);
	assert_true(calls.total.side[1].bytes == 700);
	assert_int_equal(calls.n_edges, 2);
	for (size_t i = 0; i < calls.n_edges; i++) {
		assert_true(calls.edges[i].bytes.side[1].bytes == 700);
		own += calls.edges[i].caller == calls.edges[i].callee;
	}
	assert_int_equal(own, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(recursion_counts_once_in_an_edge, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
