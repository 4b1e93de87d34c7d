/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/emitter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct page {
	struct seep_emitter emitter;
	FILE *out;
	char *text;
	size_t bytes;
};

static void open_page(struct page *page)
{
	page->out = open_memstream(&page->text, &page->bytes);
	assert_non_null(page->out);
	seep_emitter_init(&page->emitter, page->out);
}

static void expect_page(struct page *page, const char *text)
{
	fclose(page->out);
	assert_string_equal(page->text, text);
	free(page->text);
}

static void expect_json_of(const char *text, const char *json)
{
	struct page page;

	open_page(&page);
	seep_emitter_string(&page.emitter, NULL, text);
	expect_page(&page, json);
}

static void expect_json_number(double value, const char *json)
{
	struct page page;

	open_page(&page);
	seep_emitter_number(&page.emitter, NULL, value);
	expect_page(&page, json);
}

static void test_strings(void **state)
{
	(void)state;
	expect_json_of(NULL, "null");
	expect_json_of("", "\"\"");
	expect_json_of("Tran<double>::Invert", "\"Tran<double>::Invert\"");
	expect_json_of("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
	expect_json_of("line\nnext\ttab", "\"line\\nnext\\ttab\"");
	expect_json_of("\x1b[2J\r\x7f", "\"\\u001b[2J\\u000d\\u007f\"");
	expect_json_of("gr\xc3\xbc\xc3\x9f\x65", "\"gr\xc3\xbc\xc3\x9f\x65\"");
	expect_json_of("\xf0\x9f\x92\xa7", "\"\xf0\x9f\x92\xa7\"");
	expect_json_of("\xc2\x9b", "\"\\u009b\"");
	expect_json_of("\xe2\x80\xa8", "\"\\u2028\"");
}

/* Overlong, truncated, surrogates, beyond Unicode, stray: one replacement per byte. */
static void test_broken_strings(void **state)
{
	(void)state;
	expect_json_of("a\xff" "b", "\"a\\ufffdb\"");
	expect_json_of("\x80", "\"\\ufffd\"");
	expect_json_of("\xc0\xaf", "\"\\ufffd\\ufffd\"");
	expect_json_of("\xe2\x80", "\"\\ufffd\\ufffd\"");
	expect_json_of("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
	expect_json_of("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

static void test_numbers(void **state)
{
	(void)state;
	expect_json_number(0, "0");
	expect_json_number(0.1, "0.1");
	expect_json_number(-2.5, "-2.5");
	expect_json_number(24788500480.0, "24788500480");
	expect_json_number(1.0 / 3, "0.3333333333333333");
	expect_json_number(2126852.9614004744, "2126852.9614004744");
	expect_json_number(1e300, "1e+300");
	expect_json_number(NAN, "null");
	expect_json_number(INFINITY, "null");
	expect_json_number(-INFINITY, "null");
}

static void test_numbers_read_back(void **state)
{
	uint64_t bits = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct page page;
		double value;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		memcpy(&value, &bits, sizeof(value));
		if (!isfinite(value))
			continue;
		open_page(&page);
		seep_emitter_number(&page.emitter, NULL, value);
		fclose(page.out);
		assert_true(strtod(page.text, NULL) == value);
		free(page.text);
	}
}

static void test_integers(void **state)
{
	struct page page;

	(void)state;
	open_page(&page);
	seep_emitter_open_short_array(&page.emitter, NULL);
	seep_emitter_integer(&page.emitter, NULL, INT64_MIN);
	seep_emitter_unsigned(&page.emitter, NULL, UINT64_MAX);
	seep_emitter_bool(&page.emitter, NULL, true);
	seep_emitter_null(&page.emitter, NULL);
	seep_emitter_close_array(&page.emitter);
	expect_page(&page, "[-9223372036854775808, 18446744073709551615, true, null]");
}

static void test_nesting(void **state)
{
	struct page page;

	(void)state;
	open_page(&page);
	seep_emitter_open_object(&page.emitter, NULL);
	seep_emitter_string(&page.emitter, "a", "b");
	seep_emitter_open_array(&page.emitter, "empty");
	seep_emitter_close_array(&page.emitter);
	seep_emitter_open_array(&page.emitter, "list");
	seep_emitter_open_short_object(&page.emitter, NULL);
	seep_emitter_integer(&page.emitter, "x", 1);
	seep_emitter_open_array(&page.emitter, "y");
	seep_emitter_integer(&page.emitter, NULL, 2);
	seep_emitter_close_array(&page.emitter);
	seep_emitter_close_object(&page.emitter);
	seep_emitter_null(&page.emitter, NULL);
	seep_emitter_close_array(&page.emitter);
	seep_emitter_close_object(&page.emitter);
	seep_emitter_finish(&page.emitter);
	expect_page(&page, "{\n  \"a\": \"b\",\n  \"empty\": [],\n  \"list\": [\n"
		    "    {\"x\": 1, \"y\": [2]},\n    null\n  ]\n}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_broken_strings),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_numbers_read_back),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_nesting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
