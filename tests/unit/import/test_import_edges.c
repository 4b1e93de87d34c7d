/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The edges of the readers: addresses without names, objects that touch, frees that lie. */
#include "import_file.h"

#include "model/run.h"

static double bytes_at(size_t dump)
{
	double bytes = 0;

	for (size_t i = 0; i < run.n_sites; i++)
		for (size_t k = 0; k < run.sites[i].n_levels; k++)
			if (run.sites[i].levels[k].dump == dump)
				bytes += run.sites[i].levels[k].bytes;
	return bytes;
}

static bool names_frame(const char *function)
{
	for (size_t i = 0; i < run.n_known_frames; i++)
		if (!strcmp(run.known_frames[i].function, function))
			return true;
	return false;
}

#define MASSIF "desc: (none)\ncmd: ./a b\ntime_unit: ms\n"
#define SNAPSHOT(n, t, b, tree) "snapshot=" #n "\ntime=" #t "\nmem_heap_B=" #b \
	"\nmem_heap_extra_B=8\nmem_stacks_B=0\nheap_tree=" tree "\n"
#define ROOT(b) "n1: " #b " (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"

static void massif_functions_without_a_name_have_their_address(void **state)
{
	(void)state;
	read_text(MASSIF SNAPSHOT(0, 500, 50, "detailed")
		  "n2: 50 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"
		  " n0: 30 0x40: ??? (in /lib/x.so)\n n0: 20 0x80: ??? (in /lib/x.so)\n");
	assert_int_equal(run.n_sites, 2);
	assert_true(names_frame("0x40"));
	assert_true(names_frame("0x80"));
	assert_false(names_frame("???"));
}

/* The last snapshot of a slice holds, but a tree is not given up for one without. */
static void massif_trees_are_not_lost_to_a_snapshot_without(void **state)
{
	(void)state;
	read_text(MASSIF SNAPSHOT(0, 500000, 50, "detailed") ROOT(50) " n0: 50 0x40: f (a.c:3)\n"
		  SNAPSHOT(1, 500001, 60, "empty") SNAPSHOT(2, 1000000, 70, "detailed") ROOT(70)
		  " n0: 70 0x40: f (a.c:3)\n");
	assert_int_equal(run.n_dumps, 2);
	assert_true(bytes_at(0) == 50);
	assert_true(bytes_at(1) == 70);
}

static void massif_snapshots_may_have_the_same_time(void **state)
{
	(void)state;
	read_text(MASSIF SNAPSHOT(0, 500000, 50, "detailed") ROOT(50) " n0: 50 0x40: f (a.c:3)\n"
		  SNAPSHOT(1, 500000, 70, "detailed") ROOT(70) " n0: 70 0x40: f (a.c:3)\n");
	assert_int_equal(run.n_dumps, 1);
	assert_true(bytes_at(0) == 70);
}

static const char *module_of_first_site(void)
{
	const struct seep_stack *stack = &run.sites[0].stack;

	assert_true(stack->n_pcs >= 1);
	return run.modules[stack->modules[0]].path;
}

#define OBJECTS(one, two) "v 10400 3\nx 6 /bin/a\nX a\nI 1000 10\nm 1 -\n" one two \
	"t 401000 0\n+ 10 1 aa0\nc a\n"

static void heaptrack_objects_that_touch_share_no_address(void **state)
{
	static const char *const texts[] = {
		OBJECTS("m 6 /bin/a 400000 0 1000\n", "m 6 /bin/b 401000 0 1000\n"),
		OBJECTS("m 6 /bin/b 401000 0 1000\n", "m 6 /bin/a 400000 0 1000\n"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		read_text(texts[i]);
		assert_string_equal(module_of_first_site(), "/bin/b");
	}
}

/* A free of more than the site holds is one that we know nothing of. */
static void heaptrack_frees_of_more_than_there_is_are_left_out(void **state)
{
	(void)state;
	read_text("v 10400 3\nX ./a b\nI 1000 10\ns 1 f\ni 10 0 1\nt 1 0\na 64 1\na c8 1\n"
		  "+ 0\n- 1\nc a\n");
	assert_true(bytes_at(0) == 100);
}

/* Numbers that rise by ten as often as by one are counted one by one. */
static void half_of_the_rises_are_no_step(void **state)
{
	static const int numbers[] = { 0, 10, 20, 21, 22 };
	char text[4096];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "A%03d_head:%lld,1000,500\nA%03d_tail:%lld,1000,500\n",
				      numbers[i], 1700000000000000LL + 2000 * (long long)i,
				      numbers[i], 1700000000001000LL + 2000 * (long long)i);
	read_text(text);
	assert_false(has_note("increase by 10"));
	assert_int_equal(run.n_events, 23); /* those between count */
}

/* Of two parts of a program that number their events, the one with more stamps counts. */
static void the_instance_with_most_stamps_counts(void **state)
{
	char text[4096];
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 8; i++) {
		long long at = 1700000000000000LL + 2000LL * i;

		if (i < 3)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "A%03d_head:%lld,9,5\nA%03d_tail:%lld,9,5\n", i, at,
					      i, at + 200);
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "B%03d_head:%lld,9,5\nB%03d_tail:%lld,9,5\n", i, at + 400,
				      i, at + 600);
	}
	read_text(text);
	assert_int_equal(run.n_events, 8);
}

/* Sixty stamps in a period, one of which has another name in every other period. */
static void a_period_may_have_a_gap(void **state)
{
	enum { PERIOD = 60, TIMES = 8 };
	static char text[PERIOD * TIMES * 64];
	size_t n = 0;

	(void)state;
	for (int t = 0; t < TIMES; t++)
		for (int i = 0; i < PERIOD; i++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "name%c%c%s:%lld,9,5\n",
					      'a' + i / 26, 'a' + i % 26, i == 30 && t % 2 ?
					      "odd" : "", 1700000000000000LL +
					      1000LL * (t * PERIOD + i));
	read_text(text);
	assert_int_equal(run.n_events, TIMES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, import_file_begin, import_file_end)
		TEST(massif_functions_without_a_name_have_their_address),
		TEST(massif_trees_are_not_lost_to_a_snapshot_without),
		TEST(massif_snapshots_may_have_the_same_time),
		TEST(heaptrack_objects_that_touch_share_no_address),
		TEST(heaptrack_frees_of_more_than_there_is_are_left_out),
		TEST(half_of_the_rises_are_no_step),
		TEST(the_instance_with_most_stamps_counts),
		TEST(a_period_may_have_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
