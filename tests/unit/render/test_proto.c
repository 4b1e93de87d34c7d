/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/export/sites/proto.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void expect_bytes(const struct seep_proto *proto, const char *bytes, size_t n)
{
	assert_int_equal(proto->n, n);
	assert_memory_equal(proto->bytes, bytes, n);
}

/* Bytes as the description of the wire format gives them. */
static void test_wire(void **state)
{
	struct seep_arena arena;
	struct seep_proto outer = { .arena = &arena }, inner = { .arena = &arena };
	const uint64_t numbers[] = { 3, 270, 86942 };

	(void)state;
	seep_arena_init(&arena);
	seep_proto_number(&inner, 1, 150);
	expect_bytes(&inner, "\x08\x96\x01", 3);
	seep_proto_message(&outer, 3, &inner);
	expect_bytes(&outer, "\x1a\x03\x08\x96\x01", 5);
	seep_proto_clear(&outer);
	seep_proto_text(&outer, 2, "testing");
	expect_bytes(&outer, "\x12\x07testing", 9);
	seep_proto_clear(&outer);
	seep_proto_numbers(&outer, 6, numbers, 3);
	expect_bytes(&outer, "\x32\x06\x03\x8e\x02\x9e\xa7\x05", 8);
	seep_arena_release(&arena);
}

/* A zero alone is not written, in a list it is; an empty text is the first of every table. */
static void test_edges(void **state)
{
	struct seep_arena arena;
	struct seep_proto proto = { .arena = &arena };
	const uint64_t numbers[] = { 0, UINT64_MAX, 0 };

	(void)state;
	seep_arena_init(&arena);
	seep_proto_number(&proto, 1, 0);
	assert_int_equal(proto.n, 0);
	seep_proto_text(&proto, 6, "");
	expect_bytes(&proto, "\x32\x00", 2);
	seep_proto_clear(&proto);
	seep_proto_numbers(&proto, 2, numbers, 3);
	expect_bytes(&proto, "\x12\x0c\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", 14);
	seep_proto_clear(&proto);
	seep_proto_number(&proto, 16, 127);
	expect_bytes(&proto, "\x80\x01\x7f", 3);
	seep_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wire),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
