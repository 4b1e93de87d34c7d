/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a program has come, read off a file that it writes. */
#include "cli/watch/watch_events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define HEARTBEAT "([0-9]+) events read so far"

static struct seep_watch_events events;
static char path[64];

static void begin(const char *regex)
{
	static char option[256]; /* its end is the path */
	struct seep_err err = { 0 };

	snprintf(path, sizeof(path), "/tmp/seep-events-%ld", (long)getpid());
	unlink(path);
	snprintf(option, sizeof(option), "%s:%s", regex, path);
	assert_int_equal(seep_watch_events_init(&events, option, &err), 0);
}

static int finish(void **state)
{
	(void)state;
	unlink(path);
	seep_watch_events_release(&events);
	return 0;
}

static void write_file(const char *mode, const char *text)
{
	FILE *file = fopen(path, mode);

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int64_t look(void)
{
	seep_watch_events_look(&events);
	return events.seen ? seep_watch_events_done(&events) : -1;
}

static void waits_for_the_file(void **state)
{
	(void)state;
	begin(HEARTBEAT);
	assert_int_equal(look(), -1);
	write_file("w", "");
	assert_int_equal(look(), -1);
	write_file("w", "nothing of interest\n");
	assert_int_equal(look(), -1);
	write_file("w", " done processing event #20166959, run #276689 22807 events read so far  "
		   "<<<===\n");
	assert_int_equal(look(), 22807);
	unlink(path);
	assert_int_equal(look(), 22807);
}

static void takes_the_last_match(void **state)
{
	(void)state;
	begin("event ([0-9]+)");
	write_file("w", "event 1 event 2\nevent 3, event 4\nno match\n\n\n");
	assert_int_equal(look(), 4);
	write_file("a", "event 5\nevent x\n");
	assert_int_equal(look(), 5);
}

static void follows_a_file_that_is_written_over(void **state)
{
	char text[64];
	int i;

	(void)state;
	begin("n=([0-9]+)");
	for (i = 1; i < 200; i++) {
		snprintf(text, sizeof(text), "n=%d\n", i);
		write_file("w", text);
		assert_int_equal(look(), i);
	}
}

/* A number at the end of the file may be half written. */
static void does_not_believe_half_a_number(void **state)
{
	(void)state;
	begin("n=([0-9]+)");
	write_file("w", "n=120\n");
	assert_int_equal(look(), 120);
	write_file("w", "n=1");
	assert_int_equal(look(), 120);
	write_file("w", "n=121");
	assert_int_equal(look(), 121);
	write_file("w", "n=1 of many");
	assert_int_equal(look(), 122); /* a loop that began anew: 121 and one more */
}

static void goes_on_counting_where_the_program_begins_anew(void **state)
{
	(void)state;
	begin("n=([0-9]+)");
	write_file("w", "n=100\n");
	assert_int_equal(look(), 100);
	write_file("w", "n=3\n");
	assert_int_equal(look(), 103);
	write_file("w", "n=10\n");
	assert_int_equal(look(), 110);
}

static void write_noise(const char *mode, size_t bytes, char letter)
{
	FILE *file = fopen(path, mode);

	assert_non_null(file);
	while (bytes--)
		putc(letter, file);
	fclose(file);
}

/* Only the end of a huge file is read, and a line that is cut there says nothing. */
static void reads_only_the_end_of_a_large_file(void **state)
{
	(void)state;
	begin("n=([0-9]+)");
	write_file("w", "n=5\n");
	write_noise("a", 1 << 20, 'x');
	assert_int_equal(look(), -1);
	write_file("a", "\nn=77\n");
	assert_int_equal(look(), 77);
	write_noise("a", 60000, '\n');
	assert_int_equal(look(), 77);
	assert_int_equal(truncate(path, 4), 0);
	assert_int_equal(look(), 82);
}

static void is_not_led_astray_by_a_cut_number(void **state)
{
	char text[SEEP_WATCH_EVENTS_TAIL + 64];
	size_t n = SEEP_WATCH_EVENTS_TAIL - 6, i; /* the tail begins within the first number */

	(void)state;
	begin("([0-9]+) done");
	write_file("w", "x\n123456 done\n");
	assert_int_equal(look(), 123456);
	unlink(path);
	for (i = 0; i < sizeof(text); i++)
		text[i] = i % 100 ? 'x' : '\n';
	text[n] = 0;
	write_file("w", "123456 done");
	write_file("a", text);
	assert_int_equal(look(), 123456);
}

static void reads_lines_of_any_length_and_bytes(void **state)
{
	(void)state;
	begin("n=([0-9]+)");
	write_noise("w", 100000, '7');
	assert_int_equal(look(), -1);
	write_noise("a", 3, '\0');
	write_file("a", " n=12 ");
	assert_int_equal(look(), 12);
	write_file("a", "n=99999999999999999999 ");
	assert_int_equal(look(), 12);
	write_file("a", "n=\377\n\001\n");
	assert_int_equal(look(), 12);
}

static void begins_a_line_once(void **state)
{
	(void)state;
	begin("^([0-9]+),");
	write_file("w", "events,hits,kB\n17,5,300,\n");
	assert_int_equal(look(), 17);
}

static void prefers_the_group_event(void **state)
{
	(void)state;
	begin("run (\\d+), event (?<event>\\d+)");
	write_file("w", "run 5, event 17\n");
	assert_int_equal(look(), 17);
}

static void gives_up_what_takes_for_ever(void **state)
{
	(void)state;
	begin("^(a+)+(\\d)$");
	write_file("w", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n");
	assert_int_equal(look(), -1);
}

static void refuses_what_is_no_option(void **state)
{
	static const char *const wrong[] = {
		"", ":", "x", "x:", ":x", "no group:file", "(unclosed:file", "([0-9]+):/",
		"([0-9]+):/dev/null",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct seep_err err = { 0 };

		assert_true(seep_watch_events_init(&events, wrong[i], &err) < 0);
		assert_non_null(strstr(err.text, "--events-file"));
		seep_watch_events_release(&events);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(waits_for_the_file, finish),
		cmocka_unit_test_teardown(takes_the_last_match, finish),
		cmocka_unit_test_teardown(prefers_the_group_event, finish),
		cmocka_unit_test_teardown(gives_up_what_takes_for_ever, finish),
		cmocka_unit_test_teardown(follows_a_file_that_is_written_over, finish),
		cmocka_unit_test_teardown(does_not_believe_half_a_number, finish),
		cmocka_unit_test_teardown(goes_on_counting_where_the_program_begins_anew, finish),
		cmocka_unit_test_teardown(reads_only_the_end_of_a_large_file, finish),
		cmocka_unit_test_teardown(is_not_led_astray_by_a_cut_number, finish),
		cmocka_unit_test_teardown(reads_lines_of_any_length_and_bytes, finish),
		cmocka_unit_test_teardown(begins_a_line_once, finish),
		cmocka_unit_test(refuses_what_is_no_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
