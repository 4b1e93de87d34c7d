/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writer in a program that does what it likes with descriptors and files. */
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define KIND 1000
#define ENOUGH (1 << 20) /* bytes of records: the window moves */

static char path[64], moved[80];
static struct seep_writer writer;

static int make(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/seep-writer-%d", (int)getpid());
	snprintf(moved, sizeof(moved), "%s.moved", path);
	unlink(path);
	unlink(moved);
	return seep_writer_create(&writer, path, 0);
}

static int drop(void **state)
{
	(void)state;
	seep_writer_abandon(&writer);
	unlink(path);
	unlink(moved);
	return 0;
}

/* Returns what the last of many records returned. */
static int append_enough(void)
{
	char text[1000];
	int failure = 0;

	memset(text, 'x', sizeof(text));
	for (size_t n = 0; n < ENOUGH && !failure; n += sizeof(text))
		failure = seep_writer_append(&writer, KIND, 0, text, sizeof(text), NULL, 0);
	return failure;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_file(const char *name, const char *text)
{
	char read[100] = "";
	FILE *file = fopen(name, "r");
	size_t n;

	assert_non_null(file);
	n = fread(read, 1, sizeof(read) - 1, file);
	fclose(file);
	assert_int_equal(n, strlen(text));
	assert_string_equal(read, text);
}

static void a_closed_descriptor_is_opened_again(void **state)
{
	(void)state;
	close(writer.fd.fd);
	assert_int_equal(append_enough(), 0);
	assert_int_equal(writer.failure, 0);
}

static void a_descriptor_that_is_another_file_is_left_alone(void **state)
{
	int other;

	(void)state;
	write_file(moved, "not ours\n");
	other = open(moved, O_RDWR);
	assert_true(other >= 0);
	assert_int_equal(dup2(other, writer.fd.fd), writer.fd.fd);
	close(other);
	assert_int_equal(append_enough(), 0);
	assert_file(moved, "not ours\n");
}

static void another_file_of_that_name_is_not_the_trace(void **state)
{
	(void)state;
	close(writer.fd.fd);
	assert_int_equal(rename(path, moved), 0);
	write_file(path, "not ours\n");
	assert_int_equal(append_enough(), -ESTALE);
	assert_int_equal(writer.failure, -ESTALE);
	assert_file(path, "not ours\n");
}

static void after_a_failure_nothing_is_written(void **state)
{
	(void)state;
	close(writer.fd.fd);
	assert_int_equal(rename(path, moved), 0);
	assert_int_equal(append_enough(), -ENOENT);
	assert_int_equal(rename(moved, path), 0);
	assert_int_equal(append_enough(), -ENOENT);
}

static void errno_is_kept(void **state)
{
	(void)state;
	close(writer.fd.fd);
	errno = 12345;
	assert_int_equal(append_enough(), 0);
	assert_int_equal(errno, 12345);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_closed_descriptor_is_opened_again, make, drop),
		cmocka_unit_test_setup_teardown(a_descriptor_that_is_another_file_is_left_alone,
						make, drop),
		cmocka_unit_test_setup_teardown(another_file_of_that_name_is_not_the_trace, make,
						drop),
		cmocka_unit_test_setup_teardown(after_a_failure_nothing_is_written, make, drop),
		cmocka_unit_test_setup_teardown(errno_is_kept, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
