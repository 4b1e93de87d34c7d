/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which sites of two runs are the same, what is said of them, and names that mean harm. */
#include "analyse/compare/calls.h"
#include "analyse/compare/compare.h"
#include "render/text/diff.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SITES 8
#define FRAMES 8
#define EVENTS 10

/* A run of made-up sites. */
struct made {
	struct seep_run run;
	struct seep_verdict verdict;
	struct seep_site sites[SITES];
	struct seep_site_result results[SITES];
	struct seep_frame frames[SITES][FRAMES];
	uint64_t pcs[SITES];
	uint64_t alive[SITES];
	struct seep_event events[EVENTS];
	struct seep_stamp stamps[EVENTS];
	struct seep_counter counter;
	double values[EVENTS];
	struct seep_driver driver;
	struct seep_module modules[2];
};

static struct made before, after;
static struct seep_compare compare;
static struct seep_arena arena;

static void make(struct made *made, enum seep_kind kind, double rate, double error)
{
	memset(made, 0, sizeof(*made));
	made->run = (struct seep_run){
		.path = "x.seep", .exe = "/bin/x", .event_source = SEEP_EVENTS_API,
		.has_heap = true,
		.events = made->events, .n_events = EVENTS, .stamps = made->stamps,
		.n_stamps = EVENTS, .sites = made->sites, .modules = made->modules,
		.n_modules = 2,
	};
	made->modules[1] = (struct seep_module){ .path = "/bin/x" };
	for (size_t e = 0; e < EVENTS; e++) {
		made->events[e] = (struct seep_event){ .number = (int64_t)e, .first_stamp = e };
		made->stamps[e].t_ns = (int64_t)e * 100000000;
	}
	made->verdict = (struct seep_verdict){
		.kind = kind, .from_heap = true, .sites = made->results,
		.bytes_per_event = { true, rate, rate - error, rate + error },
		.bytes_per_s = rate * 10,
	};
}

/* Functions innermost first, "f:12 g:7"; the site keeps rate bytes per event. */
static void put(struct made *made, const char *functions, double rate, double error)
{
	size_t n = made->run.n_sites++;
	struct seep_site *site = &made->sites[n];

	made->verdict.n_sites = made->run.n_sites;
	while (*functions) {
		size_t name = strcspn(functions, ":");
		char *end;

		made->frames[n][site->stack.n_frames++] = (struct seep_frame){
			.function = seep_arena_copy(&arena, functions, name), .module = "x",
			.file = "x.c", .language = "c",
			.line = (int)strtol(functions + name + 1, &end, 10),
		};
		functions = *end ? end + 1 : end;
	}
	made->pcs[n] = 0x1000 + n;
	made->alive[n] = (uint64_t)(rate * EVENTS);
	site->kind = SEEP_MEMORY_HEAP;
	site->stack.frames = made->frames[n];
	site->stack.pcs = &made->pcs[n];
	site->stack.n_pcs = 1;
	site->cohorts = (struct seep_cohorts){ .events_per_bin = 1, .n_bins = 1,
					       .live_blocks = &made->alive[n],
					       .live_bytes = &made->alive[n] };
	made->results[n] = (struct seep_site_result){
		.site = site, .verdict = rate > 0 ? SEEP_SITE_LEAK : SEEP_SITE_NONE,
		.bytes_per_event = { true, rate, rate - error, rate + error },
		.live_blocks = made->alive[n], .live_bytes = made->alive[n],
	};
}

/* What the live heap and RSS add per event. */
static void make_levels(struct made *made, int64_t heap, int64_t rss)
{
	for (size_t e = 0; e < EVENTS; e++) {
		struct seep_stamp *stamp = &made->stamps[e];

		stamp->flags = SEEP_STAMP_HEAP | SEEP_STAMP_RSS;
		stamp->event = (int64_t)e;
		stamp->live_bytes = 1000 + (int64_t)e * heap;
		stamp->rss_bytes = 409600 + (int64_t)e * rss;
	}
	made->run.wall_ns = EVENTS * (int64_t)100000000;
}

static void drive(struct made *made, double units, double bytes)
{
	for (size_t e = 0; e < EVENTS; e++)
		made->values[e] = units;
	made->counter = (struct seep_counter){ .name = "hits", .values = made->values,
					       .given = EVENTS };
	made->run.counters = &made->counter;
	made->run.n_counters = 1;
	made->driver = (struct seep_driver){ .bytes_per_unit = { true, bytes, bytes, bytes },
					     .r2 = 1, .proportional = true };
	made->verdict.drivers = &made->driver;
	made->verdict.n_drivers = 1;
}

static void run(bool live)
{
	struct seep_compare_side sides[] = { { &before.run, &before.verdict, false },
					     { &after.run, &after.verdict, false } };

	seep_compare_runs(&compare, &sides[0], &sides[1], live, &arena);
}

/* "FUNCTION CHANGE N-BEFORE N-AFTER" of each site, largest difference first. */
static void expect_sites(const char *expected)
{
	const char *found = "";

	for (size_t i = 0; i < compare.n_sites; i++) {
		const struct seep_compare_site *site = &compare.sites[i];

		found = seep_arena_printf(&arena, "%s%s%s %s %zu %zu", found, i ? "; " : "",
					  site->stack->frames[0].function,
					  seep_compare_change_name(site->change), site->n_before,
					  site->n_after);
	}
	assert_string_equal(found, expected);
}

static int set_up(void **state)
{
	(void)state;
	seep_arena_init(&arena);
	make(&before, SEEP_KIND_LEAK, 1000, 10);
	make(&after, SEEP_KIND_LEAK, 1000, 10);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	seep_arena_release(&arena);
	return 0;
}

static void lines_do_not_matter(void **state)
{
	(void)state;
	put(&before, "f:10 main:20", 500, 5);
	put(&before, "g:10 main:20", 500, 5);
	put(&after, "g.constprop.0:44 main:90", 500, 5);
	put(&after, "f:43 main:91", 500, 5);
	run(false);
	expect_sites("g.constprop.0 same 1 1; f same 1 1");
}

static void new_gone_more_and_less(void **state)
{
	(void)state;
	put(&before, "f:10 main:20", 500, 5);
	put(&before, "g:10 main:20", 300, 5);
	put(&before, "h:10 main:20", 200, 5);
	put(&before, "k:10 main:20", 0, 5);
	put(&after, "f:10 main:20", 600, 5);
	put(&after, "h:10 main:20", 150, 5);
	put(&after, "k:10 main:20", 400, 5);
	run(false);
	expect_sites("k new 0 1; g gone 1 0; f more 1 1; h less 1 1");
}

/* Of many sites one differs by chance: what one alone would show, four do not. */
static void all_sites_hold_together(void **state)
{
	(void)state;
	put(&before, "f:10 main:20", 500, 5);
	put(&after, "f:10 main:20", 508, 5);
	run(false);
	expect_sites("f more 1 1");
	put(&before, "g:10 main:20", 500, 5);
	put(&after, "g:10 main:20", 500, 5);
	put(&before, "h:10 main:20", 500, 5);
	put(&after, "h:10 main:20", 500, 5);
	run(false);
	expect_sites("f same 1 1; g same 1 1; h same 1 1");
}

/* The same functions twice: in the order of lines where that works, else added up. */
static void twins(void **state)
{
	(void)state;
	put(&before, "f:10 main:20", 500, 1);
	put(&before, "f:11 main:20", 300, 1);
	put(&after, "f:31 main:40", 300, 1);
	put(&after, "f:30 main:40", 500, 1);
	run(false);
	expect_sites("f same 1 1; f same 1 1");
	put(&after, "f:32 main:40", 200, 1);
	run(false);
	expect_sites("f more 2 3");
	assert_true(compare.sites[0].bytes.difference.value > 199 &&
		    compare.sites[0].bytes.difference.value < 201);
}

static void recursion_has_no_depth(void **state)
{
	(void)state;
	put(&before, "f:10 walk:20 main:1", 100, 1);
	put(&before, "f:10 walk:20 walk:21 main:1", 100, 1);
	put(&after, "f:10 walk:20 walk:21 walk:21 main:1", 100, 1);
	put(&after, "f:10 walk:20 walk:21 main:1", 100, 1);
	run(false);
	expect_sites("f same 2 2");
}

/* Names are data: no name may look like two, nor like what stands between them. */
static void names_keep_apart(void **state)
{
	(void)state;
	put(&before, "f\ng:10 main:20", 500, 5);
	put(&after, "f:10 g:11 main:20", 500, 5);
	run(false);
	assert_int_equal(compare.n_sites, 2);
	before.sites[0].kind = SEEP_MEMORY_MMAP;
	before.frames[0][0].function = "f";
	after.sites[0].stack.n_frames = 1;
	run(false);
	assert_int_equal(compare.n_sites, 2);
}

/* A file without call sites does not make those of the other new. */
static void no_sites(void **state)
{
	(void)state;
	before.run.has_heap = false;
	put(&after, "f:10 main:20", 500, 5);
	run(false);
	assert_int_equal(compare.n_sites, 0);
	assert_int_equal(compare.n_notes, 1);
}

/* An object without names: by address if it is the same build, and as a whole if not. */
static void no_names(void **state)
{
	(void)state;
	put(&before, "x+0x10:0 main:20", 500, 5);
	put(&before, "x+0x20:0 main:20", 300, 5);
	put(&after, "x+0x20:0 main:20", 300, 5);
	run(false);
	expect_sites("x+0x10 gone 1 0; x+0x20 same 1 1");
	after.modules[1].build_id = (const unsigned char *)"ab";
	after.modules[1].build_id_bytes = 2;
	run(false);
	expect_sites("x+0x20 less 2 1");
}

static void expect_words(const char *words, enum seep_compare_outcome outcome)
{
	run(false);
	if (!strstr(compare.summary, words))
		fail_msg("'%s' is not in '%s'", words, compare.summary);
	assert_int_equal(compare.outcome, outcome);
}

static void words(void **state)
{
	(void)state;
	make(&before, SEEP_KIND_LEAK, 2000, 14);
	put(&after, "f:1 main:1", 880, 10);
	put(&before, "f:1 main:1", 1000, 10);
	put(&before, "g:1 main:1", 1000, 10);
	after.verdict.bytes_per_event = (struct seep_estimate){ true, 880, 866, 894 };
	expect_words("leaks 1120 +- 20 B less per event; one site left", SEEP_COMPARE_LESS);
	after.verdict.kind = SEEP_KIND_FLAT;
	after.verdict.bytes_per_event = (struct seep_estimate){ true, 0, -3, 3 };
	expect_words("the leak is gone: 2000 B per event before, flat (no growth above 3 B per "
		     "event) after", SEEP_COMPARE_GONE);
	after.verdict.kind = SEEP_KIND_SATURATING;
	expect_words("saturating", SEEP_COMPARE_GONE);
	before.verdict.kind = SEEP_KIND_CACHE;
	expect_words("neither run has a leak: cache", SEEP_COMPARE_NONE);
	after.verdict.kind = SEEP_KIND_LEAK;
	expect_words("the leak is new: cache", SEEP_COMPARE_NEW);
	before.verdict.kind = SEEP_KIND_LEAK;
	after.verdict.bytes_per_event = (struct seep_estimate){ true, 2010, 1900, 2120 };
	expect_words("no difference was detected: 2000 B per event before, 2010 B after; a "
		     "change of more than 121 B per event is ruled out", SEEP_COMPARE_SAME);
	after.verdict.bytes_per_event.known = false;
	before.run.has_heap = false;
	expect_words("cannot be compared: the second run was too short", SEEP_COMPARE_OPEN);
}

/* Twice the hits are twice the growth, and no other leak. */
static void the_driver_explains_it(void **state)
{
	(void)state;
	make(&after, SEEP_KIND_LEAK, 2000, 10);
	drive(&before, 10, 100);
	drive(&after, 20, 100);
	put(&before, "f:1 main:1", 1000, 10);
	put(&after, "f:1 main:1", 2000, 10);
	expect_words("leaks 1000 +- 14 B more per event, but the same per hits: 100 B; 10 of them "
		     "per event before, 20 after; no site is new", SEEP_COMPARE_MORE);
	expect_sites("f same 1 1");
	drive(&after, 20, 103);
	expect_words("more per event, 3 B more per hits", SEEP_COMPARE_MORE);
	make(&after, SEEP_KIND_LEAK, 1000, 10);
	drive(&after, 5, 200);
	expect_words("but 100 B more per hits", SEEP_COMPARE_SAME);
}

/* A slice is as long as seep likes, so seconds are what two runs share. */
static void slices_are_seconds(void **state)
{
	(void)state;
	after.run.event_source = SEEP_EVENTS_TIME;
	after.verdict.bytes_per_s = 50000;
	expect_words("more per second", SEEP_COMPARE_MORE);
	assert_string_equal(compare.per, "s");
	assert_int_equal((int)compare.bytes.difference.value, 40000);
}

/* A counter drives both; how often it counts is told per second as well. */
static void slices_count_per_second(void **state)
{
	(void)state;
	before.run.event_source = after.run.event_source = SEEP_EVENTS_TIME;
	drive(&before, 10, 100);
	drive(&after, 20, 50);
	run(false);
	assert_true(compare.unit.known);
	assert_int_equal((int)(compare.unit.before_units + .5), 100);
	assert_int_equal((int)(compare.unit.after_units + .5), 200);
	assert_null(strstr(compare.summary, "event"));
	assert_string_equal(compare.footprint.per, "s");
}

static void expect_series(bool heap, double rate_before, double rate_after)
{
	run(false);
	assert_true(compare.mixed);
	assert_int_equal(compare.heap, heap);
	if (fabs(compare.bytes.before.value - rate_before) > 1 ||
	    fabs(compare.bytes.after.value - rate_after) > 1)
		fail_msg("%g and %g are compared, not %g and %g", compare.bytes.before.value,
			 compare.bytes.after.value, rate_before, rate_after);
	assert_int_equal(compare.n_notes, 1);
	assert_non_null(strstr(compare.notes[0], heap ? "those of the live heap in both"
						      : "those of RSS in both"));
}

/* RSS grows by 8192 bytes per event before, and is not compared with a live heap. */
static void like_with_like(void **state)
{
	(void)state;
	make(&before, SEEP_KIND_RETENTION, 8192, 10);
	before.verdict.from_heap = false;
	make_levels(&before, 300, 8192);
	make_levels(&after, 1000, 4096);
	expect_series(true, 300, 1000);
	before.verdict.kind = SEEP_KIND_UNDECIDED;
	expect_series(true, 300, 1000);
	after.verdict.kind = SEEP_KIND_FLAT;
	before.verdict.kind = SEEP_KIND_NON_HEAP;
	expect_series(false, 8192, 4096);
	assert_int_equal(compare.outcome, SEEP_COMPARE_GONE);
}

static void one_run_without_a_heap(void **state)
{
	(void)state;
	make(&before, SEEP_KIND_GROWTH, 8192, 10);
	before.verdict.from_heap = before.run.has_heap = false;
	make_levels(&before, 0, 8192);
	make_levels(&after, 1000, 4096);
	run(false);
	assert_false(compare.heap);
	assert_true(fabs(compare.bytes.after.value - 4096) < 1);
	for (size_t e = 0; e < EVENTS; e++)
		after.stamps[e].flags = SEEP_STAMP_HEAP;
	expect_words("and the second run has no rate for RSS", SEEP_COMPARE_OPEN);
}

/* The most there was, the end, and the copies of blocks that grew. */
static void the_footprint(void **state)
{
	struct seep_moves moves = { .moves = 40, .copied_bytes = 5000 };

	(void)state;
	make_levels(&before, 100, 4096);
	make_levels(&after, 100, 4096);
	before.stamps[4].live_bytes = 7777777;
	before.stamps[5].rss_bytes = 9000000;
	before.stamps[5].tracker_bytes = 1000000;
	put(&after, "f:1 main:1", 10, 1);
	after.sites[0].moves = &moves;
	run(false);
	assert_int_equal((int)compare.footprint.peak_heap.before, 7777777);
	assert_int_equal((int)compare.footprint.peak_heap.after, 1000 + 9 * 100);
	assert_int_equal((int)compare.footprint.peak_rss.before, 8000000);
	assert_int_equal((int)compare.footprint.end_rss.before, 409600 + 9 * 4096);
	assert_int_equal((int)compare.footprint.moves.before, 0);
	assert_int_equal((int)compare.footprint.moves.after, 4);
	assert_int_equal((int)compare.footprint.copied_bytes.after, 500);
}

/* Inlined in one of the builds, whose stacks have no debug information. */
static void a_site_that_moved(void **state)
{
	(void)state;
	put(&before, "leaf:1 middle:1 main:1", 500, 5);
	put(&after, "middle:1 main:1", 500, 5);
	run(false);
	expect_sites("leaf perhaps 1 0; middle perhaps 0 1");
	tear_down(NULL);
	set_up(NULL);
	put(&before, "leaf:1 middle:1 main:1", 500, 5);
	put(&after, "middle:1 main:1", 700, 5);
	run(false);
	expect_sites("middle new 0 1; leaf gone 1 0");
	tear_down(NULL);
	set_up(NULL);
	put(&before, "leaf:1 middle:1 main:1", 500, 5);
	put(&after, "other:1 middle:1 main:1", 500, 5);
	run(false);
	assert_int_equal(compare.sites[0].change + compare.sites[1].change,
			 SEEP_CHANGE_NEW + SEEP_CHANGE_GONE);
}

/* flat and cum of a function that calls itself, and names that end quotes. */
static void graph_of_hostile_names(void **state)
{
	struct seep_compare_side sides[] = { { &before.run, &before.verdict, false },
					     { &after.run, &after.verdict, false } };
	struct seep_view views[2] = { { .run = &before.run, .verdict = &before.verdict },
				      { .run = &after.run, .verdict = &after.verdict } };
	struct seep_calls calls;
	struct seep_diff diff = { &views[0], &views[1], &compare, &calls, true };
	char *text = NULL;
	size_t bytes;

	(void)state;
	put(&after, "malloc:1 \"];}\n\\:3 walk:3 walk:3 main:1", 100, 1);
	put(&after, "\x1b[31m:3 walk:3 main:1", 50, 1);
	run(true);
	seep_calls_compare(&calls, &sides[0], &sides[1], &arena);
	assert_int_equal(calls.n_functions, 4);
	assert_string_equal(calls.functions[0].name, "\"];}\n\\");
	assert_true(seep_calls_difference(&calls.functions[0].flat) > 999);
	for (size_t i = 0; i < calls.n_functions; i++)
		if (!strcmp(calls.functions[i].name, "walk"))
			assert_int_equal((int)calls.functions[i].cum.side[1].bytes, 1500);
	views[0].arena = views[1].arena = &arena;
	views[1].self = "seep";
	views[1].style.width = 100;
	views[1].out = open_memstream(&text, &bytes);
	assert_non_null(views[1].out);
	seep_diff_dot(&diff);
	seep_diff_text(&diff);
	fclose(views[1].out);
	assert_non_null(strstr(text, "label=\"\\\"];}\\\\x0a\\\\\\n+1000 B"));
	assert_null(strchr(text, '\x1b'));
	free(text);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lines_do_not_matter), TEST(new_gone_more_and_less),
		TEST(all_sites_hold_together), TEST(twins), TEST(recursion_has_no_depth),
		TEST(names_keep_apart), TEST(no_names), TEST(no_sites), TEST(words),
		TEST(the_driver_explains_it), TEST(slices_are_seconds),
		TEST(slices_count_per_second), TEST(like_with_like), TEST(one_run_without_a_heap),
		TEST(the_footprint), TEST(a_site_that_moved), TEST(graph_of_hostile_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
