/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which interpreters are known, and what the others are refused for. */
#include "record/heap/python/python_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* The start of _PyRuntime in 3.13.0, as far as it is used. */
static uint64_t runtime[64];

static void make_runtime(uint64_t version, uint64_t free_threaded)
{
	memset(runtime, 0, sizeof(runtime));
	memcpy(runtime, "xdebugpy", 8);
	runtime[8 / 8] = version;
	runtime[16 / 8] = free_threaded;
	runtime[32 / 8] = 608;   /* finalizing */
	runtime[184 / 8] = 72;   /* current frame */
	runtime[192 / 8] = 152;  /* thread id */
	runtime[232 / 8] = 8;    /* previous */
	runtime[248 / 8] = 56;   /* instruction */
	runtime[264 / 8] = 70;   /* owner */
	runtime[280 / 8] = 112;  /* file */
	runtime[296 / 8] = 128;  /* qualified name */
	runtime[312 / 8] = 68;   /* first line */
	runtime[344 / 8] = 200;  /* instructions */
}

static const char *find(struct seep_python_layout *layout, uint32_t hex)
{
	memset(layout, 0, sizeof(*layout));
	return seep_python_layout_find(layout, hex, (const unsigned char *)runtime);
}

static void knows_versions_by_their_offsets(void **state)
{
	struct seep_python_layout layout;

	(void)state;
	assert_null(find(&layout, 0x030912f0));
	assert_int_equal(layout.lasti_bytes, 1);
	assert_null(find(&layout, 0x030a0df0));
	assert_int_equal(layout.lasti_bytes, 2);
	assert_null(find(&layout, 0x030b02f0));
	assert_int_equal(layout.is_entry, 68);
	assert_null(find(&layout, 0x030c01f0));
	assert_int_equal(layout.key, 1544);
	assert_int_equal(layout.is_entry, SEEP_PYTHON_NONE);
}

static void reads_what_the_interpreter_says(void **state)
{
	struct seep_python_layout layout;

	(void)state;
	make_runtime(0x030d00f0, 0);
	assert_null(find(&layout, 0x030d00f0));
	assert_int_equal(layout.finalizing, 608);
	assert_int_equal(layout.current, 72);
	assert_int_equal(layout.thread_id, 152);
	assert_int_equal(layout.previous, 8);
	assert_int_equal(layout.spot, 56);
	assert_int_equal(layout.owner, 70);
	assert_int_equal(layout.file, 112);
	assert_int_equal(layout.function, 128);
	assert_int_equal(layout.first_line, 68);
	assert_int_equal(layout.instructions, 200);
	runtime[280 / 8] = 120;
	assert_null(find(&layout, 0x030d05f0));
	assert_int_equal(layout.file, 120);
}

static void refuses_others_by_name(void **state)
{
	struct seep_python_layout layout;

	(void)state;
	make_runtime(0x030d00f0, 1);
	assert_string_equal(find(&layout, 0x030d00f0), "it is free-threaded");
	make_runtime(0x030c00f0, 0);
	assert_non_null(find(&layout, 0x030d00f0));
	memset(runtime, 0, sizeof(runtime));
	assert_non_null(find(&layout, 0x030d00f0));
	assert_string_equal(find(&layout, 0x030e00f0), "this version is not known");
	assert_string_equal(find(&layout, 0x030812f0), "this version is not known");
	assert_string_equal(find(&layout, 0), "this version is not known");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_versions_by_their_offsets),
		cmocka_unit_test(reads_what_the_interpreter_says),
		cmocka_unit_test(refuses_others_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
