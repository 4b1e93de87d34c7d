/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log file that grows, is cut, and is replaced. */
#include "cli/lines/lines_tail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct seep_lines_regex regex;
static struct seep_lines_sink sink;
static struct seep_lines_tail tail;
static struct seep_told told;
static char folder[] = "/tmp/seep-tail-XXXXXX", path[64], old[64];

static void write_file(const char *mode, const char *text)
{
	FILE *file = fopen(path, mode);

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Events so far, and the index of the last. */
static uint64_t look(int64_t index)
{
	struct seep_told_event found = { .index = -1 };

	seep_lines_tail_look(&tail);
	if (told.events)
		seep_told_look(&told, told.events, &found);
	assert_int_equal(found.index, index);
	return told.events;
}

static void begin(void)
{
	struct seep_err err = { 0 };
	struct seep_lines_pattern pattern = { "--event", "event (?<event>\\d+)", 19 };

	memset(&told, 0, sizeof(told));
	assert_int_equal(seep_lines_regex_init(&regex, pattern, &err), 0);
	seep_lines_sink_init(&sink, &regex, &told, seep_lines_status_create());
	assert_int_equal(seep_lines_tail_init(&tail, path, &err), 0);
	tail.reader.sink = &sink;
}

static int finish(void **state)
{
	(void)state;
	seep_lines_tail_release(&tail);
	seep_lines_regex_release(&regex);
	unlink(path);
	unlink(old);
	return 0;
}

static void follows_what_is_added(void **state)
{
	(void)state;
	write_file("w", "event 1\nevent 2\n");
	begin();
	assert_int_equal(look(-1), 0); /* these are of an earlier run */
	write_file("a", "event 3\neve");
	assert_int_equal(look(3), 1);
	write_file("a", "nt 4\n");
	assert_int_equal(look(4), 2);
	assert_int_equal(look(4), 2);
}

static void waits_for_the_file(void **state)
{
	(void)state;
	begin();
	assert_int_equal(look(-1), 0);
	write_file("w", "event 7\n");
	assert_int_equal(look(7), 1);
}

static void a_file_that_is_cut_begins_again(void **state)
{
	(void)state;
	write_file("w", "event 1\nevent 2\n");
	begin();
	write_file("w", "event 0\n");
	assert_int_equal(look(0), 1);
	write_file("w", "event 9"); /* shorter, and without its end */
	assert_int_equal(look(0), 1);
	write_file("a", "\n");
	assert_int_equal(look(9), 2);
}

static void the_rest_of_a_file_that_is_replaced_is_read_first(void **state)
{
	(void)state;
	begin();
	write_file("w", "event 1\n");
	assert_int_equal(look(1), 1);
	write_file("a", "event 2\n");
	assert_int_equal(rename(path, old), 0);
	assert_int_equal(look(2), 2); /* nothing has taken its place yet */
	write_file("w", "event 3\n");
	assert_int_equal(look(3), 3);
	write_file("a", "event 4\n");
	assert_int_equal(look(4), 4);
}

static void splits_at_the_last_colon(void **state)
{
	(void)state;
	assert_int_equal(seep_lines_tail_split("a: (?<n>b):job.log"), 10);
	assert_int_equal(seep_lines_tail_split("job.log"), 0);
	assert_int_equal(seep_lines_tail_split(":job.log"), 0);
	assert_int_equal(seep_lines_tail_split("a:"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(follows_what_is_added, finish),
		cmocka_unit_test_teardown(waits_for_the_file, finish),
		cmocka_unit_test_teardown(a_file_that_is_cut_begins_again, finish),
		cmocka_unit_test_teardown(the_rest_of_a_file_that_is_replaced_is_read_first,
					  finish),
		cmocka_unit_test(splits_at_the_last_colon),
	};
	int rc;

	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/log", folder);
	snprintf(old, sizeof(old), "%s/log.1", folder);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(folder);
	return rc;
}
