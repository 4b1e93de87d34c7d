/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A heap profile of pprof, made by hand: right, cut at every byte, and with wrong numbers. */
#include "import_file.h"

#include "model/run.h"

/* Strings: 1 inuse_space, 2 bytes, 3 inuse_objects, 4 count, 5 grow. */
static const char strings[] = "\x32\0"
	"\x32\x0binuse_space"
	"\x32\x05" "bytes"
	"\x32\x0dinuse_objects"
	"\x32\x05" "count"
	"\x32\x04grow";
static const char types[] = "\x0a\x04\x08\x03\x10\x04" "\x0a\x04\x08\x01\x10\x02";
static const char sample[] = "\x12\x08" "\x0a\x01\x01" "\x12\x03\x02\x80\x02"; /* 2, 256 */
static const char location[] = "\x22\x08" "\x08\x01" "\x22\x04\x08\x01\x10\x07"; /* line 7 */
static const char function[] = "\x2a\x04" "\x08\x01" "\x10\x05";

static char file[256];
static size_t n_file;

static void add(const char *part, size_t bytes)
{
	assert_true(n_file + bytes <= sizeof(file));
	memcpy(file + n_file, part, bytes);
	n_file += bytes;
}

#define ADD(part) add(part, sizeof(part) - 1)

static void make_file(void)
{
	n_file = 0;
	ADD(types);
	ADD(sample);
	ADD(location);
	ADD(function);
	ADD(strings);
}

static int try_file(void)
{
	memset(&err, 0, sizeof(err));
	memset(&run, 0, sizeof(run));
	return try_bytes(file, n_file);
}

static void expect_refusal(const char *words)
{
	assert_int_not_equal(try_file(), 0);
	if (!strstr(err.text, words))
		fail_msg("'%s' has no '%s'", err.text, words);
}

static void test_what_is_alive_is_at_its_stack(void **state)
{
	(void)state;
	make_file();
	if (try_file())
		fail_msg("%s", err.text);
	assert_int_equal(run.n_sites, 1);
	assert_int_equal(run.sites[0].n_levels, 1);
	assert_true(run.sites[0].levels[0].bytes == 256);
	assert_true(run.sites[0].levels[0].blocks == 2);
	assert_int_equal(run.sites[0].stack.n_pcs, 1);
}

/* At the end of a field it is a profile as well, of less. */
static void test_cut_file_is_refused_or_holds_no_more(void **state)
{
	size_t refused = 0;

	(void)state;
	make_file();
	while (n_file-- > 0) {
		char *exact = malloc(n_file + 1); /* so that a sanitizer sees what is read behind */

		assert_non_null(exact);
		memcpy(exact, file, n_file);
		memset(&err, 0, sizeof(err));
		memset(&run, 0, sizeof(run));
		if (try_bytes(exact, n_file)) {
			refused++;
			assert_true(strlen(err.text) > 0);
		} else {
			assert_true(run.n_sites <= 1);
		}
		free(exact);
	}
	assert_in_range(refused, sizeof(types), sizeof(file));
}

static void test_string_that_is_not_there_is_refused(void **state)
{
	(void)state;
	make_file();
	file[sizeof(types) - 1 + sizeof(sample) - 1 + sizeof(location) - 1 + 5] = 0x7f;
	expect_refusal("string");
	make_file();
	file[9] = 0x7f; /* the name of a type */
	expect_refusal("string");
}

static void test_location_that_is_not_there_is_refused(void **state)
{
	(void)state;
	make_file();
	file[sizeof(types) - 1 + 4] = 9;
	expect_refusal("location");
}

static void test_huge_length_is_refused(void **state)
{
	(void)state;
	make_file();
	ADD("\x32\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" "abc");
	expect_refusal("byte");
	make_file();
	file[sizeof(types) - 1 + 6] = 0x7f; /* the values, beyond their sample */
	expect_refusal("sample");
}

static void test_negative_value_is_refused(void **state)
{
	(void)state;
	make_file();
	ADD("\x12\x10" "\x0a\x01\x01" "\x12\x0b\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	expect_refusal("negative");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_alive_is_at_its_stack),
		cmocka_unit_test(test_cut_file_is_refused_or_holds_no_more),
		cmocka_unit_test(test_string_that_is_not_there_is_refused),
		cmocka_unit_test(test_location_that_is_not_there_is_refused),
		cmocka_unit_test(test_huge_length_is_refused),
		cmocka_unit_test(test_negative_value_is_refused),
	};

	return cmocka_run_group_tests(tests, import_file_begin, import_file_end);
}
