/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each kind of verdict from a run that is one, block by block. */
#include "analyse/judge.h"

#include "fake_run.h"
#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expect.h"
#include "fake_blocks.h"
#include "fake_test.h"

#define MB 1e6
#define ABOVE (20 * MB)

static struct seep_verdict verdict;
static struct blocks blocks;
static double unit;

static void start(size_t n)
{
	fake_release(&fake);
	fake_init(&fake, true);
	blocks_start(&blocks, n, 50 * MB, unit);
}

static void reach(enum seep_kind kind)
{
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
	expect_kind(&verdict, kind);
}

/* One of 20 intervals may miss the truth, but not by more than 1 % here. */
static void expect_rate(double bytes)
{
	const struct seep_estimate *e = &verdict.bytes_per_event;

	near(e->value / unit, bytes, .05 * bytes);
	assert_true(e->known && e->low <= 1.01 * bytes * unit && e->high >= .99 * bytes * unit);
}

/* What any program does besides: blocks that die in their event or a few later. */
static void add_churn(struct noise *noise)
{
	size_t e, k;

	for (e = 0; e < blocks.n; e++)
		for (k = 0; k < 20; k++)
			blocks_add(&blocks, 1, e, e + (size_t)(-2 * log(noise_uniform(noise))));
	blocks_close(&blocks, &fake, 1000);
}

/* In every unit: a test is told 1 and 1024, and each of five seeds. */
static void in_each_unit(void (*test)(struct noise *))
{
	uint64_t seed;

	for (seed = 1; seed <= 5; seed++)
		for (unit = 1; unit <= 1024; unit *= 1024) {
			struct noise noise = noise_seed(seed);

			test(&noise);
		}
}

/* A table of keys: new ones come ever more seldom, and none goes. */
static void fill_up(struct noise *noise)
{
	size_t e;

	start(150);
	add_churn(noise);
	for (e = 0; e < blocks.n; e++)
		blocks_add(&blocks, round(300 * exp(-(double)e / 15)), e, FAKE_NEVER);
	blocks_close(&blocks, &fake, 10000);
	blocks_run(&blocks, &fake, ABOVE);
	reach(SEEP_KIND_SATURATING);
	near(verdict.rise_bytes / unit, 45 * MB, 10 * MB);
	assert_true(verdict.from_heap);
}

static void a_table_that_fills_up_is_saturating(void **state)
{
	(void)state;
	in_each_unit(fill_up);
}

/* 100 entries come with each event; when 5000 are there, one by chance goes for each. */
static void evict(struct noise *noise)
{
	static size_t birth[5000];
	size_t e, k, used = 0;

	start(300);
	add_churn(noise);
	for (e = 0; e < blocks.n; e++)
		for (k = 0; k < 100; k++) {
			size_t slot = used < 5000 ? used++
						  : (size_t)(5000 * noise_uniform(noise));

			if (used == 5000 && birth[slot] < e && e > 50)
				blocks_add(&blocks, 1, birth[slot], e);
			birth[slot] = e;
		}
	for (k = 0; k < used; k++)
		blocks_add(&blocks, 1, birth[k], FAKE_NEVER);
	blocks_close(&blocks, &fake, 10000);
	blocks_run(&blocks, &fake, ABOVE);
	reach(SEEP_KIND_CACHE);
	near(verdict.rise_bytes / unit, 50 * MB, 12 * MB);
}

static void what_fills_up_and_evicts_is_a_cache(void **state)
{
	(void)state;
	in_each_unit(evict);
}

static void load_once(struct noise *noise)
{
	size_t at = 40 + (size_t)(60 * noise_uniform(noise));

	start(150);
	add_churn(noise);
	blocks_add(&blocks, 500, at, FAKE_NEVER);
	blocks_close(&blocks, &fake, 100000);
	blocks_run(&blocks, &fake, ABOVE);
	reach(SEEP_KIND_STEP);
	near(verdict.rise_bytes / unit, 50 * MB, 2 * MB);
}

static void what_is_loaded_once_is_a_step(void **state)
{
	(void)state;
	in_each_unit(load_once);
}

/* What 8 to 12 events leave is collected at once. */
static void collect(struct noise *noise)
{
	size_t e, first = 0, next = 10;

	start(150);
	add_churn(noise);
	for (e = 0; e < blocks.n; e++)
		if (e == next) {
			for (; first < e; first++)
				blocks_add(&blocks, 100, first, e);
			next += 8 + (size_t)(5 * noise_uniform(noise));
		}
	for (; first < blocks.n; first++)
		blocks_add(&blocks, 100, first, FAKE_NEVER);
	blocks_close(&blocks, &fake, 10000);
}

static void collect_all(struct noise *noise)
{
	collect(noise);
	blocks_run(&blocks, &fake, ABOVE);
	reach(SEEP_KIND_SAWTOOTH);
}

static void collect_but_for_a_leak(struct noise *noise)
{
	size_t e;

	collect(noise);
	for (e = 0; e < blocks.n; e++)
		blocks_add(&blocks, 3, e, FAKE_NEVER);
	blocks_close(&blocks, &fake, 10000);
	blocks_run(&blocks, &fake, ABOVE);
	reach(SEEP_KIND_LEAK);
	expect_rate(30000);
}

static void a_collector_makes_a_sawtooth(void **state)
{
	(void)state;
	in_each_unit(collect_all);
	in_each_unit(collect_but_for_a_leak);
}

/* The allocator has 300 kB more with every event, of which the program holds nothing. */
static void keep_slack(struct noise *noise)
{
	size_t e;

	start(120);
	for (e = 0; e < blocks.n; e++)
		blocks_add(&blocks, ceil(100 * noise_uniform(noise)), e, e);
	blocks_close(&blocks, &fake, 1000);
	for (e = 0; e < blocks.n; e++) {
		int64_t live = (int64_t)blocks.level[e];
		int64_t slack = (int64_t)(unit * (5 * MB + .3 * MB * (double)e));
		struct seep_anchor anchor = {
			.rss_bytes = live + slack + (int64_t)(unit * ABOVE), .live_bytes = live,
			.allocator_bytes = live + slack,
			.flags = SEEP_ANCHOR_ALLOCATOR | SEEP_ANCHOR_RESIDENT,
		};

		fake_begin(&fake, live, anchor.rss_bytes);
		fake_anchor(&fake, &anchor);
		fake_end(&fake, live, 0);
	}
	fake_snapshot(&fake);
}

/* It has 40 MB free in memory; so many of them come back. */
static void ask(double given)
{
	fake.run.probe = (struct seep_probe){
		.done = true, .asked = true, .event = (int64_t)blocks.n - 1,
		.rss_before_bytes = (int64_t)(200 * MB * unit),
		.rss_after_bytes = (int64_t)((200 * MB - given) * unit),
		.heap_resident_bytes = (int64_t)(90 * MB * unit),
		.live_bytes = (int64_t)(50 * MB * unit),
	};
}

static void ask_the_allocator(struct noise *noise)
{
	keep_slack(noise);
	reach(SEEP_KIND_UNDECIDED); /* nobody asked it */
	ask(38 * MB);
	reach(SEEP_KIND_RETENTION);
	assert_false(verdict.from_heap);
	near(verdict.rise_bytes / unit, 35 * MB, 3 * MB);
	ask(2 * MB);
	reach(SEEP_KIND_FRAGMENTATION);
	near(verdict.rise_bytes / unit, 35 * MB, 3 * MB);
	ask(-2 * MB);
	reach(SEEP_KIND_FRAGMENTATION);
}

static void slack_is_retention_or_fragmentation(void **state)
{
	(void)state;
	in_each_unit(ask_the_allocator);
}

/* One array, made larger by each event; what it was before is freed. */
static void grow_an_array(struct noise *noise)
{
	struct seep_site *site;
	size_t e;

	start(120);
	add_churn(noise);
	for (e = 0; e < blocks.n; e++)
		blocks.level[e] += unit * 50000 * (double)e;
	blocks_add(&blocks, 1, blocks.n - 1, FAKE_NEVER);
	site = blocks_close(&blocks, &fake, 50000 * (double)blocks.n);
	site->moved_blocks = blocks.n - 1;
	blocks_run(&blocks, &fake, ABOVE);
	reach(SEEP_KIND_LEAK);
	assert_int_equal(verdict.sites[0].verdict, SEEP_SITE_REALLOC_GROWTH);
	expect_rate(50000);
}

/* A queue: 100 jobs come with each event and the 90 that waited longest are done. */
static void fall_behind(struct noise *noise)
{
	size_t e, k, done = 0, waits = 0;
	static size_t birth[100 * FAKE_EVENTS];

	start(120);
	add_churn(noise);
	for (e = 0; e < blocks.n; e++) {
		for (k = 0; k < 100; k++)
			birth[waits++] = e;
		for (k = 0; k < 90; k++, done++)
			blocks_add(&blocks, 1, birth[done], e);
	}
	for (; done < waits; done++)
		blocks_add(&blocks, 1, birth[done], FAKE_NEVER);
	blocks_close(&blocks, &fake, 5000);
	blocks_run(&blocks, &fake, ABOVE);
	reach(SEEP_KIND_LEAK);
	assert_int_equal(verdict.sites[0].verdict, SEEP_SITE_BACKLOG);
	expect_rate(50000);
}

static void few_blocks_and_queues_grow(void **state)
{
	(void)state;
	in_each_unit(grow_an_array);
	in_each_unit(fall_behind);
}

/* The level wanders by 3 MB an event, of blocks that all die: its sites know that. */
static void wander(struct noise *noise)
{
	double walk[FAKE_EVENTS];
	size_t e;

	start(120);
	add_churn(noise);
	noise_fill(noise, WALK, walk, blocks.n);
	for (e = 0; e < blocks.n; e++)
		blocks.level[e] += unit * 3 * MB * (walk[e] + 20);
	blocks_run(&blocks, &fake, ABOVE);
	reach(SEEP_KIND_FLAT);
	/* nor is the bound below what the level happened to rise by */
	assert_true(verdict.bytes_per_event.high / unit <
		    fmax(10000, 3 * MB * (walk[blocks.n - 1] - walk[1]) / 50));
}

/* The same with a block of 40 kB that stays: it is not lost in the noise. */
static void wander_and_leak(struct noise *noise)
{
	size_t e;

	wander(noise);
	for (e = 0; e < blocks.n; e++)
		blocks_add(&blocks, 1, e, FAKE_NEVER);
	blocks_close(&blocks, &fake, 40000);
	reach(SEEP_KIND_LEAK);
	expect_rate(40000);
}

static void sites_know_what_the_level_hides(void **state)
{
	(void)state;
	in_each_unit(wander);
	in_each_unit(wander_and_leak);
}

/* Four times 40 events, which keep 2 blocks of 10 kB each until the program begins anew. */
static void begin_anew(struct noise *noise)
{
	size_t e;

	start(160);
	add_churn(noise);
	for (e = 0; e < blocks.n; e++)
		blocks_add(&blocks, 2, e, e < 120 ? e / 40 * 40 + 39 : FAKE_NEVER);
	blocks_close(&blocks, &fake, 10000);
	blocks_run(&blocks, &fake, ABOVE);
	for (e = 0; e < blocks.n; e++)
		fake.run.events[e].index = (int64_t)(e % 40);
	reach(SEEP_KIND_LEAK);
	expect_rate(20000);
}

static void restarts_do_not_hide_a_leak(void **state)
{
	(void)state;
	in_each_unit(begin_anew);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_table_that_fills_up_is_saturating, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_fills_up_and_evicts_is_a_cache, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_loaded_once_is_a_step, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_collector_makes_a_sawtooth, set_up, tear_down),
		cmocka_unit_test_setup_teardown(slack_is_retention_or_fragmentation, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(few_blocks_and_queues_grow, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sites_know_what_the_level_hides, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(restarts_do_not_hide_a_leak, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
