/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names from anywhere inside XML, GitHub's commands and URIs. */
#include "render/gate/github.h"
#include "render/gate/junit.h"
#include "render/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct seep_arena arena;

static int set_up(void **state)
{
	(void)state;
	seep_arena_init(&arena);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	seep_arena_release(&arena);
	return 0;
}

enum how { XML, MESSAGE, PROPERTY };

static void expect(enum how how, const char *text, const char *expected)
{
	char *written = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&written, &bytes);

	assert_non_null(out);
	if (how == XML)
		seep_junit_escape(out, text, &arena);
	else
		seep_github_escape(out, text, how == PROPERTY, &arena);
	fclose(out);
	assert_string_equal(written, expected);
	free(written);
}

static void test_xml(void **state)
{
	(void)state;
	expect(XML, "Tran<double>::Invert", "Tran&lt;double&gt;::Invert");
	expect(XML, "a & \"b\"", "a &amp; &quot;b&quot;");
	expect(XML, "]]>", "]]&gt;");
	expect(XML, "\x1b[2J\n\t\x01", "\\x1b[2J\\x0a\\x09\\x01");
	expect(XML, "\xff\xc3", "\\xff\\xc3");
	expect(XML, "gr\xc3\xbc\xc3\x9f\x65 \xf0\x9f\x92\xa7",
	       "gr\xc3\xbc\xc3\x9f\x65 \xf0\x9f\x92\xa7");
	expect(XML, "\xef\xbf\xbe\xef\xbf\xbf", "\\ufffe\\uffff");
	expect(XML, "\xed\xa0\x80", "\\xed\\xa0\\x80");
}

static void test_github(void **state)
{
	(void)state;
	expect(MESSAGE, "50 % of a::b, c", "50 %25 of a::b, c");
	expect(PROPERTY, "50 % of a::b, c", "50 %25 of a%3A%3Ab%2C c");
	expect(MESSAGE, "x\n::error::y\r", "x\\x0a::error::y\\x0d");
	expect(PROPERTY, "x%0Ay", "x%250Ay");
	expect(MESSAGE, "\xff", "\\xff");
}

static void expect_path(const char *file, const char *directory, const char *root,
			const char *expected)
{
	struct seep_frame frame = { .file = file, .directory = directory };

	assert_string_equal(seep_place_path(&arena, &frame, root), expected);
}

static void test_paths(void **state)
{
	struct seep_frame none = { 0 };

	(void)state;
	assert_null(seep_place_path(&arena, &none, "/repo"));
	expect_path("/repo/src/a.c", NULL, "/repo", "src/a.c");
	expect_path("/repo/src/a.c", NULL, "/repo/", "src/a.c");
	expect_path("/repo2/src/a.c", NULL, "/repo", "/repo2/src/a.c");
	expect_path("/repo/src/a.c", NULL, NULL, "/repo/src/a.c");
	expect_path("/repo/src/a.c", NULL, "/", "repo/src/a.c");
	expect_path("a.c", "/repo/src", "/repo", "src/a.c");
	expect_path("../lib/./a.c", "/repo/build", "/repo", "lib/a.c");
	expect_path("src/a.c", NULL, "/repo", "src/a.c");
	expect_path("../a.c", NULL, "/repo", "../a.c");
	expect_path("../../../a.c", "/repo", "/repo", "/a.c");
	expect_path("/repo//x/../src///a.c", NULL, "/repo", "src/a.c");
}

static void test_uris(void **state)
{
	(void)state;
	assert_string_equal(seep_place_uri(&arena, "src/a.c"), "src/a.c");
	assert_string_equal(seep_place_uri(&arena, "/usr/include/c++/12/new"),
			    "file:///usr/include/c++/12/new");
	assert_string_equal(seep_place_uri(&arena, "a b/c:d#e?f%g\"\xc3\xbc\xff\n"),
			    "a%20b/c%3Ad%23e%3Ff%25g%22%C3%BC%FF%0A");
}

/* A review looks at the program's own files, not at the headers of its libraries. */
static void test_frame_to_point_at(void **state)
{
	struct seep_frame frames[] = {
		{ .function = "malloc" },
		{ .function = "no_file" },
		{ .function = "header", .file = "/usr/include/x.h", .line = 3 },
		{ .function = "mine", .file = "/repo/src/a.c", .line = 7 },
		{ .function = "start", .file = "csu/libc-start.c", .directory = "./csu" },
	};
	struct seep_stack stack = { .frames = frames, .n_frames = 5, .own_frame = 1 };

	(void)state;
	assert_ptr_equal(seep_place_frame(&arena, &stack, "/repo"), &frames[3]);
	assert_ptr_equal(seep_place_frame(&arena, &stack, "/other"), &frames[2]);
	stack.n_frames = 2;
	assert_null(seep_place_frame(&arena, &stack, "/repo"));
}

#define FORMAT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORMAT_TEST(test_xml),
		FORMAT_TEST(test_github),
		FORMAT_TEST(test_paths),
		FORMAT_TEST(test_uris),
		FORMAT_TEST(test_frame_to_point_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
