/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names that are in the trace: read back, preferred to guesses, and harmless when damaged. */
#include "load_trace.h"

#include "model/symbols/symbols.h"
#include "trace/unpack.h"

#define PC 0x401005u

static unsigned char packed[256];
static size_t used;

static void put(uint64_t number)
{
	used += seep_pack_number(packed + used, number);
}

static void put_frame(uint64_t function, uint64_t file, uint64_t directory, uint64_t line)
{
	put(function);
	put(file);
	put(directory);
	put(line);
}

static void make_texts(uint32_t first, uint32_t count, const char *texts, size_t bytes)
{
	struct seep_rec_texts head = { .first = first, .count = count, .bytes = (uint32_t)bytes };

	trace_make_add(&trace, SEEP_REC_TEXTS, 0, &head, sizeof(head), texts, bytes);
}

/* Writes what was put so far. */
static void make_addresses(uint32_t module, uint32_t count)
{
	struct seep_rec_addresses head = { .module = module, .count = count,
					   .bytes = (uint32_t)used };

	trace_make_add(&trace, SEEP_REC_ADDRESSES, 0, &head, sizeof(head), packed, used);
	used = 0;
}

/* A stack of one address in a module that is nowhere on this machine. */
static void make_stack(void)
{
	struct seep_rec_node node = { .pc = PC, .module = 1 };
	struct seep_rec_site site = { .node = 1 };

	used = 0;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_module(&trace, 1, 0x400000, "", 0, "/nowhere/job");
	trace_make_nodes(&trace, 1, 1, &node);
	trace_make_sites(&trace, 1, 1, &site);
	trace_make_snapshot(&trace, SEEP_SNAPSHOT_FINAL, 1, 0);
	trace_make_state(&trace, 1, 1, 0, NULL);
	trace_make_snapshot_end(&trace, 1, 1);
}

static const struct seep_stack *resolve(void)
{
	struct seep_symbols *symbols;
	size_t n;

	load();
	assert_int_equal(run.n_sites, 1);
	symbols = seep_symbols_open(&run, &arena);
	seep_symbols_resolve(symbols, &run.sites[0].stack);
	seep_symbols_note(symbols, &run);
	seep_symbols_found(symbols, &n);
	assert_int_equal(n, 0);
	seep_symbols_close(symbols);
	return &run.sites[0].stack;
}

static void names_without_the_file(void **state)
{
	static const char texts[] = "keep\0main\0job.c\0/src";
	const struct seep_stack *stack;

	(void)state;
	make_stack();
	put(PC);
	put(2);
	put_frame(1, 3, 4, 7);
	put_frame(2, 3, 4, 130);
	make_addresses(1, 1); /* before its texts */
	make_texts(1, 4, texts, sizeof(texts));
	stack = resolve();
	assert_int_equal(run.damaged, 0);
	assert_int_equal(run.n_notes, 0);
	assert_int_equal(stack->n_frames, 2);
	assert_string_equal(stack->frames[0].function, "keep");
	assert_string_equal(stack->frames[0].file, "job.c");
	assert_string_equal(stack->frames[0].directory, "/src");
	assert_string_equal(stack->frames[0].module, "job");
	assert_int_equal(stack->frames[0].line, 7);
	assert_true(stack->frames[0].inlined);
	assert_string_equal(stack->frames[1].function, "main");
	assert_int_equal(stack->frames[1].line, 130);
	assert_false(stack->frames[1].inlined);
}

/* It was looked up, and its module has no symbols: that is no reason for a note. */
static void knows_that_there_is_no_name(void **state)
{
	const struct seep_stack *stack;

	(void)state;
	make_stack();
	put(PC);
	put(1);
	put_frame(0, 0, 0, 0);
	make_addresses(1, 1);
	stack = resolve();
	assert_int_equal(run.n_notes, 0);
	assert_string_equal(stack->frames[0].function, "job+0x1005");
}

static void notes_what_was_not_stored(void **state)
{
	(void)state;
	make_stack();
	put(PC + 1);
	put(1);
	put_frame(0, 0, 0, 0);
	make_addresses(1, 1);
	assert_string_equal(resolve()->frames[0].function, "job+0x1005");
	assert_int_equal(run.n_notes, 1);
}

static void takes_the_last(void **state)
{
	static const char texts[] = "old\0new";

	(void)state;
	make_stack();
	make_texts(1, 2, texts, sizeof(texts));
	put(PC);
	put(1);
	put_frame(1, 0, 0, 0);
	make_addresses(1, 1);
	put(PC);
	put(1);
	put_frame(2, 0, 0, 0);
	make_addresses(1, 1);
	assert_string_equal(resolve()->frames[0].function, "new");
}

/* Numbers of texts that do not exist, texts without an end, counts and modules out of range. */
static void survives_damage(void **state)
{
	(void)state;
	make_stack();
	make_texts(1, 2, "one\0two", 7);
	make_texts(UINT32_MAX, 2, "a\0b", 4);
	make_texts(0, 1, "a", 2);
	put(PC);
	put(1);
	put_frame(2, 99, UINT64_MAX, UINT64_MAX);
	make_addresses(1, 1);
	put(PC);
	put(UINT64_MAX);
	make_addresses(1, 1);
	put(PC);
	put(0);
	make_addresses(1, 1);
	put(PC);
	put(1);
	put_frame(1, 0, 0, 0);
	make_addresses(1, UINT32_MAX);
	put(PC);
	put(1);
	put_frame(1, 0, 0, 0);
	make_addresses(77, 1);
	load();
	assert_int_equal(run.damaged, 6);
	assert_int_equal(run.n_stored, 2);
	assert_null(run.stored[0].frames[0].function);
	assert_null(run.stored[0].frames[0].file);
	assert_int_equal(run.stored[0].frames[0].line, 0);
	assert_string_equal(run.stored[1].frames[0].function, "one");
}

/* A name may hold anything but a zero; what prints it escapes it. */
static void keeps_bytes_as_they_are(void **state)
{
	static const char texts[] = "a\033[31m\nb";

	(void)state;
	make_stack();
	make_texts(1, 1, texts, sizeof(texts));
	put(PC);
	put(1);
	put_frame(1, 1, 1, 1);
	make_addresses(1, 1);
	assert_string_equal(resolve()->frames[0].function, texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOAD_TEST(names_without_the_file),
		LOAD_TEST(knows_that_there_is_no_name),
		LOAD_TEST(notes_what_was_not_stored),
		LOAD_TEST(takes_the_last),
		LOAD_TEST(survives_damage),
		LOAD_TEST(keeps_bytes_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
