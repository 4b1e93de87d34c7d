/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small heap profiles of each kind, right and wrong: what a site holds, and the place that a
 * message names.
 */
#include "import/import.h"
#include "import/profile/dump_series.h"
#include "model/load/load.h"
#include "model/run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct loaded {
	struct seep_run run;
	struct seep_arena arena;
	struct seep_reader reader;
};

static void read_text(struct loaded *loaded, const char *text, size_t bytes)
{
	struct seep_err err = { 0 };

	memset(loaded, 0, sizeof(*loaded));
	seep_arena_init(&loaded->arena);
	if (seep_import_open_bytes(&loaded->reader, NULL, text, bytes, &err))
		fail_msg("%s", err.text);
	seep_load_records(&loaded->run, &loaded->reader, &loaded->arena);
}

static void release(struct loaded *loaded)
{
	seep_reader_close(&loaded->reader);
	seep_arena_release(&loaded->arena);
}

static void expect_refusal(const char *text, const char *place, const char *words)
{
	struct seep_err err = { 0 };
	struct seep_reader reader;

	if (!seep_import_open_bytes(&reader, NULL, text, strlen(text), &err)) {
		seep_reader_close(&reader);
		fail_msg("was read: %s", text);
	}
	if (!strstr(err.text, place) || !strstr(err.text, words))
		fail_msg("'%s' names neither '%s' nor '%s'", err.text, place, words);
}

static double sum_bytes(const struct loaded *loaded, size_t dump)
{
	double bytes = 0;

	for (size_t i = 0; i < loaded->run.n_sites; i++)
		for (size_t k = 0; k < loaded->run.sites[i].n_levels; k++)
			if (loaded->run.sites[i].levels[k].dump == dump)
				bytes += loaded->run.sites[i].levels[k].bytes;
	return bytes;
}

#define MAPS "\nMAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 08:01 12 /bin/a\n"

static void test_threads_are_not_added_to_their_sum(void **state)
{
	static const char text[] = "heap_v2/1\n  t*: 5: 500 [0: 0]\n  t0: 3: 300 [0: 0] main\n"
		"  t1: 2: 200 [0: 0]\n@ 0x400100 0x400200\n  t*: 3: 300 [0: 0]\n"
		"  t0: 1: 100 [0: 0]\n  t1: 2: 200 [0: 0]\n@ 0x400300 0x400200\n"
		"  t*: 2: 200 [0: 0]\n  t0: 2: 200 [0: 0]\n" MAPS;
	struct loaded loaded;

	(void)state;
	read_text(&loaded, text, strlen(text));
	assert_int_equal(loaded.run.n_sites, 2);
	assert_int_equal(loaded.run.n_dumps, 1);
	assert_true(sum_bytes(&loaded, 0) == 500);
	release(&loaded);
}

static void test_samples_are_scaled_as_jeprof_does(void **state)
{
	static const char text[] = "heap profile: 3: 3000 [9: 9000] @ heap_v2/8192\n"
		"3: 3000 [9: 9000] @ 0x400100 0x400200\n" MAPS;
	double scaled = 3000 / (1 - exp(-1000. / 8192));
	struct loaded loaded;

	(void)state;
	read_text(&loaded, text, strlen(text));
	assert_true(fabs(sum_bytes(&loaded, 0) - scaled) < 1);
	assert_true(loaded.run.sites[0].levels[0].error_bytes > 0);
	release(&loaded);
}

static void test_equal_stacks_are_one_site(void **state)
{
	static const char text[] = "heap profile: 3: 30 [3: 30] @ heapprofile\n"
		"1: 10 [1: 10] @ 0x400100 0x400200\n2: 20 [2: 20] @ 0x400100 0x400200\n"
		"0: 0 [7: 70] @ 0x700100\n" MAPS;
	struct loaded loaded;

	(void)state;
	read_text(&loaded, text, strlen(text));
	assert_true(sum_bytes(&loaded, 0) == 30);
	for (size_t i = 0; i < loaded.run.n_sites; i++)
		assert_true(loaded.run.sites[i].n_levels <= 1);
	release(&loaded);
}

static void test_damaged_text_names_its_line(void **state)
{
	(void)state;
	expect_refusal("heap_v2/x\n", ":1:", "first line");
	expect_refusal("heap_v2/99999999999999999999999\n", ":1:", "first line");
	expect_refusal("heap profile: 1: 1 [1: 1] @ cpu\n", ":1:", "cpu");
	expect_refusal("heap_v2/1\n@ 0x1\n  t*: 1: 18446744073709551616 [0: 0]\n" MAPS, ":3:",
		       "counts");
	expect_refusal("heap_v2/1\n@ 0x1\n  t*: 1: 18446744073709551615 [0: 0]\n" MAPS, ":3:",
		       "more than a program can hold");
	expect_refusal("heap_v2/1\n@ 0x1\n  t*: 0: 77 [0: 0]\n" MAPS, ":3:", "no block");
	expect_refusal("heap_v2/1\n@ 0x1 zzz\n" MAPS, ":2:", "address");
	expect_refusal("heap_v2/1\n@ 0x1\n  t*: 1: 1 [0: 0]\n  t*: 1: 1 [0: 0]\n" MAPS, ":4:",
		       "counts");
	expect_refusal("heap profile: 1: 1 [1: 1] @ heapprofile\n1: 1 [1: @ 0x1\n", ":2:",
		       "its counts");
}

#define HEAD "v 10400 3\nX ./a b\nI 1000 10\ns 1 f\ns 4 main\ni 10 0 1\ni 20 0 2\n" \
	"t 2 0\nt 1 1\na 64 2\n"

static void test_heaptrack_counts_what_is_alive(void **state)
{
	static const char text[] = HEAD "+ 0\n+ 0\n- 0\nc a\n+ 0\nR 2\nc 14\n+ 0\nc 1e\n";
	struct loaded loaded;

	(void)state;
	read_text(&loaded, text, strlen(text));
	assert_int_equal(loaded.run.n_sites, 1);
	assert_int_equal(loaded.run.n_dumps, 3);
	assert_true(sum_bytes(&loaded, 0) == 100);
	assert_true(sum_bytes(&loaded, 2) == 300);
	release(&loaded);
}

static void test_heaptrack_raw_knows_blocks_by_address(void **state)
{
	static const char text[] = "v 10400 3\nx 6 /bin/a\nX a\nI 1000 10\nm 1 -\n"
		"m 1 x 400000 0 1000\nt 400010 0\n+ 10 1 aa0\n+ 20 1 bb0\n- aa0\n- cc0\n"
		"+ 30 1 aa0\nc a\n- bb0\nc 14\n";
	struct loaded loaded;

	(void)state;
	read_text(&loaded, text, strlen(text));
	assert_true(sum_bytes(&loaded, 0) == 0x50);
	assert_true(sum_bytes(&loaded, 1) == 0x30);
	release(&loaded);
}

/* Old files: strings without lengths, blocks by address with places of their own. */
static void test_heaptrack_before_formats_were_numbered(void **state)
{
	static const char text[] = "v 10000\nX a\ns f with blanks\ni 10 0 1\nt 1 0\n"
		"+ 10 1 aa0\n+ 10 1 bb0\n- aa0\nc a\n";
	struct loaded loaded;

	(void)state;
	read_text(&loaded, text, strlen(text));
	assert_true(sum_bytes(&loaded, 0) == 0x10);
	assert_string_equal(loaded.run.known_frames[0].function, "f with blanks");
	release(&loaded);
}

static void test_heaptrack_of_a_long_run_has_few_dumps(void **state)
{
	static char text[1 << 20];
	size_t n = (size_t)snprintf(text, sizeof(text), HEAD);
	struct loaded loaded;

	(void)state;
	for (unsigned int i = 1; i <= 20000; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "+ 0\nc %x\n", i * 10);
	read_text(&loaded, text, n);
	assert_in_range(loaded.run.n_dumps, 16, 65);
	assert_in_range(loaded.run.n_events, 128, 513);
	assert_true(sum_bytes(&loaded, loaded.run.n_dumps - 1) == 2000000);
	for (size_t i = 0; i < loaded.run.n_dumps; i++) /* 100 bytes in 10 ms, at each of them */
		assert_true(fabs(sum_bytes(&loaded, i) -
				 (double)loaded.run.dumps[i].t_ns / 1e5) <= 100);
	release(&loaded);
}

static void test_damaged_heaptrack_names_its_line(void **state)
{
	(void)state;
	expect_refusal("v 10400 4\nX a\n", ":1:", "newer");
	expect_refusal(HEAD "+ 1\n", ":11:", "undefined");
	expect_refusal(HEAD "+ fffffffffffffffff\n", ":11:", "number");
	expect_refusal(HEAD "t 3 0\n", ":11:", "undefined");
	expect_refusal(HEAD "t 1 9\n", ":11:", "undefined");
	expect_refusal(HEAD "a ffffffffffff 1\n", ":11:", "impossible size");
	expect_refusal(HEAD "c 5\nc 4\n", ":12:", "backwards");
	expect_refusal(HEAD "c ffffffffffffffff\n", ":11:", "time");
	expect_refusal(HEAD "R ffffffffffffffff\n", ":11:", "pages");
	expect_refusal(HEAD "s ff x\n", ":11:", "string");
	expect_refusal(HEAD "q 1\n", ":11:", "heaptrack");
	expect_refusal("v 10400 3\nX a\nc 1\n", ":3", "no block");
}

#define MASSIF "desc: (none)\ncmd: ./a b\ntime_unit: ms\n"
#define SNAPSHOT(n, t, b, tree) "snapshot=" #n "\ntime=" #t "\nmem_heap_B=" #b \
	"\nmem_heap_extra_B=8\nmem_stacks_B=0\nheap_tree=" tree "\n"

static void test_massif_leaves_hold_what_their_callers_ask_for(void **state)
{
	static const char text[] = MASSIF SNAPSHOT(0, 0, 0, "empty")
		SNAPSHOT(1, 500, 100, "detailed")
		"n3: 100 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"
		" n2: 70 0x10: f (a.c:3)\n  n0: 30 0x20: main (a.c:9)\n  n0: 30 0x30: g (a.c:5)\n"
		" n0: 20 0x40: ??? (in /lib/x.so)\n"
		" n0: 10 in 3 places, all below massif's threshold (1.00%)\n";
	struct loaded loaded;

	(void)state;
	read_text(&loaded, text, strlen(text));
	assert_int_equal(loaded.run.n_dumps, 1);
	assert_int_equal(loaded.run.n_sites, 5); /* f by main, f by g, f by nobody, x.so, places */
	assert_true(sum_bytes(&loaded, 0) == 100);
	release(&loaded);
}

static void test_damaged_massif_names_its_line(void **state)
{
	static const char root[] = MASSIF SNAPSHOT(0, 0, 50, "peak") "n1: 50 (heap) x\n";
	char text[1024];

	(void)state;
	expect_refusal(root, ":10:", "was it truncated?");
	snprintf(text, sizeof(text), "%s n0: 60 0x1: f (a.c:1)\n", root);
	expect_refusal(text, ":11:", "more than");
	snprintf(text, sizeof(text), "%s n0: 99999999999999999999 0x1: f\n", root);
	expect_refusal(text, ":11:", "tree");
	snprintf(text, sizeof(text), "%s n0: 50 0x1: f (a.c:1)\n n0: 0 0x1: f\n", root);
	expect_refusal(text, ":12:", "second tree");
	snprintf(text, sizeof(text), "%ssnapshot=1\n", root);
	expect_refusal(text, ":11:", "incomplete");
	expect_refusal(MASSIF SNAPSHOT(0, 7, 0, "empty") SNAPSHOT(1, 6, 0, "empty"), "snapshot 1",
		       "backwards");
	expect_refusal(MASSIF SNAPSHOT(0, x, 0, "empty"), ":5:", "number");
	expect_refusal(MASSIF, ":3:", "no snapshot");
}

/* Each line is small, and the file could go on so for gigabytes. */
static void test_text_of_any_length_stays_within_memory(void **state)
{
	static const char head[] = "heap_v2/1\n  t*: 1: 8 [0: 0]\n";
	enum { RECORDS = (1 << 20) + 9, STACKS = 9, FRAMES = 250000 };
	size_t room = sizeof(head) + (size_t)STACKS * (FRAMES * 4 + 40);
	char *text = malloc(room), *at = text;

	(void)state;
	assert_non_null(text);
	at = stpcpy(at, head);
	for (int i = 0; i < RECORDS; i++)
		at = stpcpy(at, "@\n");
	expect_refusal(text, ":1048579:", "too many stacks");
	at = stpcpy(text, head);
	for (int i = 0; i < STACKS; i++) {
		at = stpcpy(at, "@");
		for (int j = 0; j < FRAMES; j++)
			at = stpcpy(at, " 0x1");
		at += sprintf(at, " 0x%d\n  t*: 1: 8 [0: 0]\n", i + 2);
	}
	expect_refusal(text, ":", "to fit in memory");
	free(text);
}

static void test_numbers_in_names_are_ordered_both_ways(void **state)
{
	static const char *const names[] = { "h.1.heap", "h.9.heap", "h.10.heap", "h1z", "hb" };

	(void)state;
	for (size_t i = 0; i < 5; i++)
		for (size_t j = 0; j < 5; j++)
			assert_int_equal(seep_dump_series_compare(names[i], names[j]),
					 i == j ? 0 : i < j ? -1 : 1);
}

/* Each place in the code holds 8 bytes, and the last one more: that is still told apart. */
static void test_heaptrack_of_very_many_stacks_is_bounded(void **state)
{
	const unsigned int many = 70000;
	const size_t room = (size_t)many * 64;
	char *text = malloc(room);
	struct loaded loaded;
	double most = 0;
	size_t n;

	(void)state;
	assert_non_null(text);
	n = (size_t)snprintf(text, room, "v 10400 3\nX a\ns 1 f\ns 3 f.c\n");
	for (unsigned int i = 1; i <= many; i++)
		n += (size_t)snprintf(text + n, room - n, "i %x 0 1 2 %x\nt %x 0\na %x %x\n+ %x\n",
				      i, i, i, i < many ? 8 : 2048, i, i - 1);
	n += (size_t)snprintf(text + n, room - n, "c 20\n");
	read_text(&loaded, text, n);
	free(text);
	assert_in_range(loaded.run.n_sites, 1000, 65537);
	assert_true(sum_bytes(&loaded, loaded.run.n_dumps - 1) == 8.0 * (many - 1) + 2048);
	for (size_t i = 0; i < loaded.run.n_sites; i++)
		if (loaded.run.sites[i].stack.n_pcs)
			most = fmax(most, loaded.run.sites[i].levels[0].bytes);
	assert_true(most == 2048);
	assert_int_equal(loaded.run.n_notes, 1);
	release(&loaded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_are_not_added_to_their_sum),
		cmocka_unit_test(test_samples_are_scaled_as_jeprof_does),
		cmocka_unit_test(test_equal_stacks_are_one_site),
		cmocka_unit_test(test_damaged_text_names_its_line),
		cmocka_unit_test(test_heaptrack_counts_what_is_alive),
		cmocka_unit_test(test_heaptrack_raw_knows_blocks_by_address),
		cmocka_unit_test(test_heaptrack_before_formats_were_numbered),
		cmocka_unit_test(test_heaptrack_of_a_long_run_has_few_dumps),
		cmocka_unit_test(test_damaged_heaptrack_names_its_line),
		cmocka_unit_test(test_heaptrack_of_very_many_stacks_is_bounded),
		cmocka_unit_test(test_massif_leaves_hold_what_their_callers_ask_for),
		cmocka_unit_test(test_damaged_massif_names_its_line),
		cmocka_unit_test(test_text_of_any_length_stays_within_memory),
		cmocka_unit_test(test_numbers_in_names_are_ordered_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
