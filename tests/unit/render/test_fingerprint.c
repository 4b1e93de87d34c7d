/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/fingerprint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define FRAMES 6

struct site {
	struct seep_frame frames[FRAMES];
	struct seep_stack stack;
};

/* malloc, the function, two callers, main, and what is below. */
static void make(struct site *site, const char *function, int line)
{
	static const char *const names[FRAMES] = {
		"malloc", NULL, "QSim::simulate", "loop", "main", "__libc_start_call_main",
	};

	for (size_t i = 0; i < FRAMES; i++)
		site->frames[i] = (struct seep_frame){
			.function = names[i] ? names[i] : function, .module = "detector",
			.file = "/src/a.cc", .line = line + (int)i, .language = "c",
		};
	site->frames[0].module = "libseep-heap.so";
	site->frames[5].module = "libc.so.6";
	site->stack = (struct seep_stack){ .frames = site->frames, .n_frames = FRAMES,
					   .own_frame = 1 };
}

static struct seep_fingerprint print_of(const struct site *site, const char *kind,
					const char *phase)
{
	struct seep_fingerprint_of of = { &site->stack, kind, phase };
	struct seep_fingerprint print;

	seep_fingerprint_make(&print, &of, 1);
	return print;
}

static void expect_same(const struct site *a, const struct site *b)
{
	assert_string_equal(print_of(a, "heap", NULL).text, print_of(b, "heap", NULL).text);
}

static void expect_other(const struct site *a, const struct site *b)
{
	assert_string_not_equal(print_of(a, "heap", NULL).text, print_of(b, "heap", NULL).text);
}

/* A change here makes every alert of every user a new one. */
static void test_the_form_is_for_ever(void **state)
{
	struct site site;

	(void)state;
	make(&site, "sframe::prepare", 500);
	assert_string_equal(print_of(&site, "heap", "HEAD").text, "183ba2221e99ea5b:1");
}

static void test_lines_files_and_addresses_do_not_matter(void **state)
{
	static const uint64_t pcs[] = { 1, 2, 3 };
	struct site a, b;

	(void)state;
	make(&a, "sframe::prepare", 500);
	make(&b, "sframe::prepare", 1500);
	for (size_t i = 0; i < FRAMES; i++)
		b.frames[i].file = "/elsewhere/b.cc";
	b.stack.pcs = pcs;
	b.stack.n_pcs = 3;
	expect_same(&a, &b);
}

static void test_functions_phase_and_kind_matter(void **state)
{
	struct site a, b;

	(void)state;
	make(&a, "sframe::prepare", 500);
	make(&b, "sframe::preparE", 500);
	expect_other(&a, &b);
	make(&b, "sframe::prepare", 500);
	b.frames[3].function = "other_loop";
	expect_other(&a, &b);
	assert_string_not_equal(print_of(&a, "heap", "HEAD").text,
				print_of(&a, "heap", "TAIL").text);
	assert_string_not_equal(print_of(&a, "heap", NULL).text, print_of(&a, "mmap", NULL).text);
}

/* No two names run into each other. */
static void test_borders_matter(void **state)
{
	struct site a, b;

	(void)state;
	make(&a, "ab", 1);
	a.frames[2].function = "c";
	make(&b, "a", 1);
	b.frames[2].function = "bc";
	expect_other(&a, &b);
}

static void test_what_compilers_and_libraries_add(void **state)
{
	static const char *const clones[] = {
		"prepare.isra.0", "prepare.constprop.1", "prepare.part.0.constprop.0",
		"prepare.cold", "prepare [clone .isra.0]", "prepare.lto_priv.3",
	};
	struct site a, b;

	(void)state;
	make(&a, "prepare", 10);
	for (size_t i = 0; i < sizeof(clones) / sizeof(clones[0]); i++) {
		make(&b, clones[i], 10);
		expect_same(&a, &b);
	}
	make(&b, "prepare", 10);
	b.frames[5].function = "__libc_start_main_impl";
	b.frames[0].function = "operator new";
	expect_same(&a, &b);
	b.stack.n_frames = 5;
	expect_same(&a, &b);
	b.stack.n_frames = 6;
	b.frames[5] = (struct seep_frame){ .function = "_start", .module = "detector" };
	expect_same(&a, &b);
}

/* A thread has no main: it ends in the C library, in functions that come and go. */
static void test_threads(void **state)
{
	struct site a, b;

	(void)state;
	make(&a, "prepare", 10);
	a.frames[4] = (struct seep_frame){ .function = "start_thread", .module = "libc.so.6" };
	a.frames[5].function = "__clone3";
	b = a;
	b.stack.frames = b.frames;
	b.frames[4] = (struct seep_frame){ .function = "start_thread",
					   .module = "libpthread.so.0" };
	b.frames[5].function = "clone";
	expect_same(&a, &b);
}

static void test_depth_of_recursion(void **state)
{
	struct site a, b;

	(void)state;
	make(&a, "walk", 10);
	make(&b, "walk", 10);
	a.frames[2].function = a.frames[3].function = "walk";
	b.frames[2].function = "walk";
	b.frames[3].function = "main";
	b.stack.n_frames = 4;
	expect_same(&a, &b);
}

static void test_without_names_the_object_counts(void **state)
{
	struct site a, b;

	(void)state;
	make(&a, "detector+0x1234", 0);
	make(&b, "detector+0x5678", 0);
	expect_same(&a, &b);
	make(&b, "0x7f0011223344", 0);
	expect_same(&a, &b);
	b.frames[1].module = "libother.so";
	expect_other(&a, &b);
}

/* Two lines of one function are two sites, numbered by their lines, whatever their rank. */
static void test_twins(void **state)
{
	struct site a, b;
	struct seep_fingerprint_of of[2] = {
		{ &b.stack, "heap", NULL }, { &a.stack, "heap", NULL },
	};
	struct seep_fingerprint prints[2];

	(void)state;
	make(&a, "prepare", 229);
	make(&b, "prepare", 230);
	seep_fingerprint_make(prints, of, 2);
	assert_memory_equal(prints[0].text, prints[1].text, 16);
	assert_string_equal(prints[1].text + 16, ":1");
	assert_string_equal(prints[0].text + 16, ":2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_form_is_for_ever),
		cmocka_unit_test(test_lines_files_and_addresses_do_not_matter),
		cmocka_unit_test(test_functions_phase_and_kind_matter),
		cmocka_unit_test(test_borders_matter),
		cmocka_unit_test(test_what_compilers_and_libraries_add),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_depth_of_recursion),
		cmocka_unit_test(test_without_names_the_object_counts),
		cmocka_unit_test(test_twins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
