/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From bytes to lines, to events with an index and counters. */
#include "cli/lines/lines_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct seep_lines_regex regex;
static struct seep_lines_sink sink;
static struct seep_lines_reader reader;
static struct seep_lines_status *status;
static struct seep_told told;

static struct seep_lines_pattern of(const char *text)
{
	return (struct seep_lines_pattern){ "--option", text, strlen(text) };
}

static void begin(const char *pattern)
{
	struct seep_err err = { 0 };

	seep_lines_regex_release(&regex);
	assert_int_equal(seep_lines_regex_init(&regex, of(pattern), &err), 0);
	memset(&told, 0, sizeof(told));
	memset(&reader, 0, sizeof(reader));
	status = seep_lines_status_create();
	assert_non_null(status);
	seep_lines_sink_init(&sink, &regex, &told, status);
	reader.sink = &sink;
	reader.may_burst = true;
}

static int finish(void **state)
{
	(void)state;
	seep_lines_regex_release(&regex);
	return 0;
}

static void take(const char *text)
{
	seep_lines_reader_take(&reader, text, strlen(text));
}

static struct seep_told_event event(uint64_t number)
{
	struct seep_told_event found;

	assert_true(number <= told.events);
	assert_true(seep_told_look(&told, number, &found));
	return found;
}

static void says(const char *pattern, const char *wanted)
{
	struct seep_lines_regex bad;
	struct seep_err err = { 0 };

	assert_true(seep_lines_regex_init(&bad, of(pattern), &err) < 0);
	assert_non_null(strstr(err.text, "--option: "));
	if (!strstr(err.text, wanted))
		fail_msg("'%s' has no '%s'", err.text, wanted);
}

static void refuses_what_is_no_expression(void **state)
{
	char pattern[2000];

	(void)state;
	says("event (", "missing closing parenthesis at position 7");
	says("[", "position 1");
	says("", "empty");
	says("(?<hits>.)(?<hits>.)", "same name");
	says("(?<hits>.)(?<last_hits>.)", "two groups for the counter 'hits'");
	memset(pattern, '.', sizeof(pattern));
	pattern[sizeof(pattern) - 1] = 0;
	says(pattern, "longer than");
	pattern[0] = 0;
	for (int i = 0; i < 16; i++)
		snprintf(pattern + strlen(pattern), 20, "(?<g%d>.)", i);
	says(pattern, "more than 15");
}

static void a_group_is_a_counter_and_event_the_index(void **state)
{
	struct seep_told_event found;

	(void)state;
	begin("event (?<event>\\d+) hits (?<hits>\\S+)( of (?<kind>\\d+))?");
	take("--> event 17 hits -4.5e2 of 3\nnothing\nevent 18 hits 12MB\n");
	assert_int_equal(told.events, 2);
	assert_int_equal(told.n_counters, 2);
	assert_string_equal(told.names[0], "hits");
	assert_string_equal(told.names[1], "kind");
	found = event(1);
	assert_int_equal(found.index, 17);
	assert_int_equal(found.given, 3);
	assert_float_equal(found.values[0], -450, 0);
	assert_float_equal(found.values[1], 3, 0);
	found = event(2);
	assert_int_equal(found.index, 18);
	assert_int_equal(found.given, 1);
	assert_float_equal(found.values[0], 12, 0);
	assert_int_equal(status->odd, 0);
}

static void what_is_no_number_is_left_out(void **state)
{
	(void)state;
	begin("event (?<event>\\S+) hits (?<hits>\\S+)");
	take("event A hits info\nevent B hits nan\nevent 5 hits none\nevent C hits 7\n");
	assert_int_equal(told.events, 4);
	assert_int_equal(event(1).given, 0);
	assert_int_equal(event(2).given, 0);
	assert_int_equal(event(4).given, 1);
	assert_int_equal(status->odd, 6);
	/* Without an index of its own, an event has the next one. */
	assert_int_equal(event(1).index, 0);
	assert_int_equal(event(2).index, 1);
	assert_int_equal(event(3).index, 5);
	assert_int_equal(event(4).index, 6);
}

static void last_is_a_counter_of_the_event_before(void **state)
{
	(void)state;
	begin("(?<tracks>\\d+) (?<last_hits>\\d+) (?<last_>\\d+)");
	assert_int_equal(told.n_counters, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(told.of_last >> i & 1, !strcmp(told.names[i], "hits"));
}

static void lines_come_in_pieces(void **state)
{
	char text[3 * SEEP_LINES_LINE_BYTES];

	(void)state;
	begin("^event (?<event>\\d+)$");
	take("eve");
	take("nt ");
	take("4");
	assert_int_equal(told.events, 0);
	take("2\nevent 43\r\nevent 44\revent 45\r");
	take("\nevent 46");
	assert_int_equal(told.events, 4);
	assert_int_equal(event(1).index, 42);
	assert_int_equal(event(4).index, 45);
	assert_int_equal(status->lines, 4);
	/* Of a very long line only the start is looked at; the next one is whole again. */
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	take("\n");
	take(text);
	take(text);
	take("\nevent 47\n");
	assert_int_equal(told.events, 6);
	assert_int_equal(event(6).index, 47);
	assert_int_equal(status->lines, 7);
}

static void a_match_that_takes_too_long_is_given_up(void **state)
{
	(void)state;
	begin("^(a+)+$");
	take("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\naa\n");
	assert_int_equal(told.events, 1);
	assert_int_equal(status->gave_up, 1);
}

static void bytes_that_are_no_text_do_no_harm(void **state)
{
	static const char text[] = "\xff\xfe\0event 3\n\x80\n\0\n";

	(void)state;
	begin("event (?<event>\\d+)");
	seep_lines_reader_take(&reader, text, sizeof(text) - 1);
	assert_int_equal(told.events, 1);
	assert_int_equal(status->lines, 3);
}

/* A full buffer ends inside a line. */
static void bursts_are_noticed(void **state)
{
	(void)state;
	begin("event");
	for (int i = 0; i < 3; i++) {
		assert_false(seep_lines_status_bursts(status));
		take("event 1\nevent 2\nevent 3\neve");
		take("nt 4\n");
	}
	assert_true(seep_lines_status_bursts(status));
	assert_int_equal(status->burst_events / status->bursts, 3);
}

static void lines_that_come_fast_are_no_bursts(void **state)
{
	(void)state;
	begin("event");
	for (int i = 0; i < 100; i++)
		take("event 1\nevent 2\nevent 3\nevent 4\n");
	assert_false(seep_lines_status_bursts(status));
	assert_false(seep_lines_status_was_one_burst(status));
	begin("event");
	reader.may_burst = false; /* a terminal */
	for (int i = 0; i < 100; i++)
		take("event 1\nevent 2\nevent 3\neve");
	assert_false(seep_lines_status_bursts(status));
	begin("event");
	take("event 1\nevent 2\nevent 3\n");
	assert_true(seep_lines_status_was_one_burst(status));
}

static void the_last_lines_are_kept(void **state)
{
	(void)state;
	begin("event");
	take("a\nb\n\nc\nd\n");
	assert_int_equal(status->n_recent, 4);
	assert_string_equal(status->recent[0], "d");
	assert_string_equal(status->recent[1], "b");
	assert_string_equal(status->recent[2], "c");
}

static void an_event_that_was_overwritten_is_not_taken_for_another(void **state)
{
	struct seep_told_event found;

	(void)state;
	begin("event");
	for (unsigned int i = 0; i < SEEP_TOLD_RING + 10; i++)
		take("event\n");
	assert_int_equal(told.events, SEEP_TOLD_RING + 10);
	assert_int_equal(told.pulse, SEEP_TOLD_RING + 10);
	assert_false(seep_told_look(&told, 10, &found));
	assert_true(seep_told_look(&told, 11, &found));
	assert_int_equal(found.index, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_is_no_expression),
		cmocka_unit_test_teardown(a_group_is_a_counter_and_event_the_index, finish),
		cmocka_unit_test_teardown(what_is_no_number_is_left_out, finish),
		cmocka_unit_test_teardown(last_is_a_counter_of_the_event_before, finish),
		cmocka_unit_test_teardown(lines_come_in_pieces, finish),
		cmocka_unit_test_teardown(a_match_that_takes_too_long_is_given_up, finish),
		cmocka_unit_test_teardown(bytes_that_are_no_text_do_no_harm, finish),
		cmocka_unit_test_teardown(bursts_are_noticed, finish),
		cmocka_unit_test_teardown(lines_that_come_fast_are_no_bursts, finish),
		cmocka_unit_test_teardown(the_last_lines_are_kept, finish),
		cmocka_unit_test_teardown(an_event_that_was_overwritten_is_not_taken_for_another,
					  finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
