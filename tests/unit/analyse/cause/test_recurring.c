/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/cause/recurring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SECONDS 20

static struct seep_run_call calls[2];
static struct seep_run run;

/* A run of so many seconds in slices of 10 ms, all through which both calls come, each in turn. */
static int set_up(void **state)
{
	struct seep_run_call often = {
		.returns = 5000, .calls = 9000, .slices = 1500, .first = 10,
		.last = 100 * SECONDS - 10, .gap = 30,
	};

	(void)state;
	calls[0] = calls[1] = often;
	calls[0].call = SEEP_CALL_READ;
	calls[1].call = SEEP_CALL_EPOLL_WAIT;
	run = (struct seep_run){
		.event_source = SEEP_EVENTS_TIME, .wall_ns = SECONDS * 1000000000ll,
		.call_slices = 100 * SECONDS, .calls = calls, .n_calls = 2,
	};
	return 0;
}

static void a_turn_of_the_loop_comes_before_a_message(void **state)
{
	(void)state;
	assert_ptr_equal(seep_recurring_call(&run), &calls[1]);
	run.n_calls = 1;
	assert_ptr_equal(seep_recurring_call(&run), &calls[0]);
}

static void output_and_locks_are_not_proposed(void **state)
{
	(void)state;
	run.n_calls = 1;
	calls[0].call = SEEP_CALL_WRITE;
	assert_null(seep_recurring_call(&run));
	calls[0].call = SEEP_CALL_SEM_WAIT;
	assert_null(seep_recurring_call(&run));
	calls[0].call = SEEP_CALL_COND_TIMEDWAIT;
	assert_null(seep_recurring_call(&run));
}

static void what_happens_only_in_a_part_of_the_run_is_not_proposed(void **state)
{
	(void)state;
	calls[1].first = 100 * SECONDS / 2;
	assert_ptr_equal(seep_recurring_call(&run), &calls[0]);
	calls[0].last = 100 * SECONDS / 2;
	assert_null(seep_recurring_call(&run));
	calls[0].last = 100 * SECONDS - 10;
	calls[0].gap = 100 * SECONDS / 2;
	assert_null(seep_recurring_call(&run));
}

/* 5000 reads of a file that is read at the start and at the end. */
static void bursts_are_not_proposed(void **state)
{
	(void)state;
	run.n_calls = 1;
	calls[0].slices = 5;
	assert_null(seep_recurring_call(&run));
}

static void rare_ones_and_very_frequent_ones_are_not_proposed(void **state)
{
	(void)state;
	run.n_calls = 1;
	calls[0].returns = calls[0].slices = 30;
	assert_null(seep_recurring_call(&run));
	calls[0].returns = 1000000ull * SECONDS;
	assert_null(seep_recurring_call(&run));
}

static void not_if_the_program_marks_events(void **state)
{
	(void)state;
	run.event_source = SEEP_EVENTS_API;
	assert_null(seep_recurring_call(&run));
	run.event_source = SEEP_EVENTS_CALL;
	assert_null(seep_recurring_call(&run));
}

static void not_if_the_length_of_the_run_is_not_known(void **state)
{
	(void)state;
	run.call_slices = 0;
	assert_null(seep_recurring_call(&run));
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_turn_of_the_loop_comes_before_a_message),
		TEST(output_and_locks_are_not_proposed),
		TEST(what_happens_only_in_a_part_of_the_run_is_not_proposed),
		TEST(bursts_are_not_proposed),
		TEST(rare_ones_and_very_frequent_ones_are_not_proposed),
		TEST(not_if_the_program_marks_events),
		TEST(not_if_the_length_of_the_run_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
