/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory outside the heap: the closing sum, and the verdict when RSS grows by it. */
#include "analyse/judge.h"

#include "fake_run.h"
#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expect.h"
#include "fake_test.h"

#define N 100
#define KNOWN (SEEP_ANCHOR_ALLOCATOR | SEEP_ANCHOR_RESIDENT)

static struct seep_verdict verdict;
static double kept[N];

/* Bytes per event of each term. */
struct terms {
	double rss, heap, allocator, resident, tracker;
};

static void reach(void)
{
	seep_judge(&verdict, &fake.run, NULL, &fake.arena);
	assert_non_null(verdict.sentence);
}

static void expect(enum seep_kind kind)
{
	expect_kind(&verdict, kind);
}

static void expect_words(const char *words)
{
	expect_in_sentence(&verdict, words);
}

static void expect_closed(void)
{
	const struct seep_closing_sum *sum = &verdict.sum;

	assert_true(sum->known);
	near(sum->rss, sum->heap_live + sum->allocator_slack + sum->non_heap + sum->tracker +
	     sum->residual, 1e-6);
}

/* Events in which each term grows evenly; flags: what the anchors know, if there are any. */
static void make_events(const struct terms *each, bool anchors, uint16_t flags)
{
	size_t e;

	for (e = 0; e < N; e++) {
		double n = (double)e;
		struct seep_anchor anchor = {
			.rss_bytes = (int64_t)(2e7 + each->rss * n),
			.live_bytes = (int64_t)(5e6 + each->heap * n),
			.allocator_bytes = (int64_t)(6e6 + each->allocator * n),
			.non_heap_resident_bytes = (int64_t)(1e6 + each->resident * n),
			.tracker_bytes = (int64_t)(1e5 + each->tracker * n),
			.flags = flags,
		};

		fake_begin(&fake, anchor.live_bytes, anchor.rss_bytes);
		if (anchors)
			fake_anchor(&fake, &anchor);
		fake_end(&fake, anchor.live_bytes, 0);
	}
	fake_snapshot(&fake);
}

/* A site that keeps so many bytes of every event, in one block. */
static struct seep_site *keep(uint32_t kind, double bytes)
{
	struct seep_site *site;
	size_t e;

	for (e = 0; e < N; e++)
		kept[e] = 1;
	site = fake_site(&fake, N, kept, bytes);
	site->kind = kind;
	return site;
}

static void the_sum_closes(void **state)
{
	const struct terms each = { .rss = 10000, .heap = 4000, .allocator = 4500,
				    .resident = 3000, .tracker = 500 };

	(void)state;
	make_events(&each, true, KNOWN);
	reach();
	near(verdict.sum.rss, 10000, 1);
	near(verdict.sum.heap_live, 4000, 1);
	near(verdict.sum.allocator_slack, 500, 1);
	near(verdict.sum.non_heap, 3000, 1);
	near(verdict.sum.tracker, 500, 1);
	near(verdict.sum.residual, 2000, 5);
	assert_true(verdict.sum.slack_known && verdict.sum.non_heap_known);
	expect_closed();
}

/* Terms that cancel tell nothing where RSS itself does not stand out of its noise. */
static void noise_is_not_summed_up(void **state)
{
	static double level[N];
	const struct terms each = { .rss = 100, .heap = 9759, .allocator = 4500, .tracker = -2729 };
	struct noise noise = noise_seed(3);
	size_t e;

	(void)state;
	noise_fill(&noise, WALK, level, N);
	make_events(&each, true, KNOWN);
	reach();
	assert_true(verdict.sum.known && verdict.sum.clear);
	for (e = 0; e < N; e++)
		fake.run.stamps[fake.run.events[e].first_stamp].rss_bytes +=
			(int64_t)(1e5 * level[e]);
	reach();
	assert_true(verdict.sum.known && !verdict.sum.clear);
	expect_closed();
}

/* One anchor without the allocator's figures, and the slack is not known. */
static void what_an_anchor_lacks_is_in_the_residual(void **state)
{
	const struct terms each = { .rss = 10000, .heap = 4000, .allocator = 4500,
				    .resident = 3000 };

	(void)state;
	make_events(&each, true, KNOWN);
	fake.run.anchors[50].flags &= (uint16_t)~SEEP_ANCHOR_ALLOCATOR;
	reach();
	assert_false(verdict.sum.slack_known);
	near(verdict.sum.allocator_slack, 0, 0);
	near(verdict.sum.residual, 3000, 5);
	expect_closed();
}

/* A trace without anchors: what the stamps tell. */
static void without_anchors_the_stamps_are_summed_up(void **state)
{
	const struct terms each = { .rss = 10000, .heap = 4000 };

	(void)state;
	make_events(&each, false, 0);
	reach();
	assert_false(verdict.sum.slack_known || verdict.sum.non_heap_known);
	near(verdict.sum.rss, 10000, 10);
	near(verdict.sum.heap_live, 4000, 1);
	expect_closed();
}

/* Levels of many GB must not eat the digits of a few bytes per event. */
static void small_slopes_on_high_levels(void **state)
{
	const struct terms each = { .rss = 3, .heap = 2, .allocator = 2 };
	size_t e;

	(void)state;
	make_events(&each, true, KNOWN);
	for (e = 0; e < N; e++)
		fake.run.anchors[e].rss_bytes += (int64_t)1 << 45;
	reach();
	near(verdict.sum.rss, 3, .01);
	near(verdict.sum.residual, 1, .01);
	expect_closed();
}

static void mappings_are_the_growth(void **state)
{
	const struct terms each = { .rss = 65600, .resident = 65536 };

	(void)state;
	make_events(&each, true, KNOWN);
	keep(SEEP_MEMORY_MMAP, 65536)->after_stamp = 0;
	fake_deaths(fake_site(&fake, 0, kept, 1), 0, 1000); /* a site of the heap, which frees */
	reach();
	expect(SEEP_KIND_NON_HEAP);
	assert_false(verdict.from_heap);
	near(verdict.bytes_per_event.value, 65536, 1e-6);
	assert_true(verdict.bytes_per_event.low <= 65536 && verdict.bytes_per_event.high >= 65536);
	assert_true(verdict.bytes_per_event.high - verdict.bytes_per_event.low < 100);
	assert_int_equal(verdict.sites[0].site->kind, SEEP_MEMORY_MMAP);
	near(verdict.sites[0].share, 1, 1e-9);
	expect_words("RSS grows by 65.6 kB per event");
	expect_words("1 site outside the heap (mmap) keeps 65.5 kB per event");
	expect_words("100 % of the growth");
	expect_words("this site never released any of it");
}

/* A sample is of the heap alone; and estimates of the same growth never make more than it. */
static void mappings_are_never_sampled(void **state)
{
	const struct terms each = { .rss = 65000, .resident = 65536 };

	(void)state;
	make_events(&each, true, KNOWN);
	keep(SEEP_MEMORY_MMAP, 65536);
	fake.run.sampling.mean_bytes = 512000;
	reach();
	expect(SEEP_KIND_NON_HEAP);
	assert_null(strstr(verdict.sentence, "sampled 1 per"));
	expect_words("live heap by about 0 B");
	expect_words("65.5 kB per event is in memory, 100 % of the growth");
}

/* The same without anchors, from what the sites keep alone. */
static void sites_alone_can_explain_it(void **state)
{
	const struct terms each = { .rss = 65600 };

	(void)state;
	make_events(&each, false, 0);
	keep(SEEP_MEMORY_MMAP, 65536);
	reach();
	expect(SEEP_KIND_NON_HEAP);
}

/* 8 MB are kept per thread and hardly touched: RSS says how fast memory fills. */
static void stacks_of_forgotten_threads(void **state)
{
	const struct terms each = { .rss = 9000, .heap = 288, .resident = 8192 };

	(void)state;
	make_events(&each, true, KNOWN);
	keep(SEEP_MEMORY_HEAP, 288);
	keep(SEEP_MEMORY_STACK, 8388608);
	reach();
	expect(SEEP_KIND_NON_HEAP);
	near(verdict.bytes_per_event.value, 9000, 200);
	assert_int_equal(verdict.sites[0].site->kind, SEEP_MEMORY_STACK);
	near(verdict.sites[0].share, 1, 1e-9);
	assert_int_equal(verdict.sites[1].site->kind, SEEP_MEMORY_HEAP);
	near(verdict.sites[1].share, 0, 0);
	expect_words("(thread stack)");
}

static void address_space_alone_is_flat(void **state)
{
	const struct terms each = { .rss = 0 };

	(void)state;
	make_events(&each, true, KNOWN);
	keep(SEEP_MEMORY_MMAP, 1 << 20);
	reach();
	expect(SEEP_KIND_FLAT);
	expect_words("keeps 1.05 MB per event of address space");
}

/* RSS grows by much more than is known of: then it is not said to be the mappings. */
static void mappings_explain_too_little(void **state)
{
	const struct terms each = { .rss = 1e6, .resident = 65536 };

	(void)state;
	make_events(&each, true, KNOWN);
	keep(SEEP_MEMORY_MMAP, 65536);
	reach();
	expect(SEEP_KIND_NON_HEAP);
	expect_words("in memory that the tracker cannot see");
}

/* Mapped as much as RSS grows by, but it is not that which is in memory. */
static void mappings_were_never_touched(void **state)
{
	const struct terms each = { .rss = 1e6, .resident = 0 };

	(void)state;
	make_events(&each, true, KNOWN);
	keep(SEEP_MEMORY_MMAP, 1e6);
	reach();
	expect(SEEP_KIND_NON_HEAP);
	expect_words("in memory that the tracker cannot see");
}

/* A leak in the heap stays one, and its sites are those of the heap. */
static void the_heap_comes_first(void **state)
{
	const struct terms each = { .rss = 1.2e6, .heap = 1e6, .allocator = 1e6,
				    .resident = 65536 };

	(void)state;
	make_events(&each, true, KNOWN);
	keep(SEEP_MEMORY_MMAP, 2e6);
	keep(SEEP_MEMORY_HEAP, 1e6);
	reach();
	expect(SEEP_KIND_LEAK);
	assert_true(verdict.from_heap);
	near(verdict.bytes_per_event.value, 1e6, 10);
	assert_int_equal(verdict.sites[0].site->kind, SEEP_MEMORY_HEAP);
	near(verdict.sites[0].share, 1, 1e-3);
	near(verdict.sites[1].share, 0, 0);
	expect_words("1 site accounts for 100 %");
	expect_words("in addition, 1 site outside the heap (mmap)");
}

/* The heap grows as much, and nobody knows why: that must not be hidden. */
static void a_heap_without_an_accused_site_is_not_hidden(void **state)
{
	const struct terms each = { .rss = 2e6, .heap = 1e6, .allocator = 1e6, .resident = 1e6 };

	(void)state;
	make_events(&each, true, KNOWN);
	keep(SEEP_MEMORY_MMAP, 1e6);
	reach();
	expect(SEEP_KIND_UNDECIDED);
	expect_words("live heap grows by 1.00 MB per event");
}

/* RSS wanders, and mappings that live for a few events come and go: never their fault. */
static void wandering_is_not_theirs(void **state)
{
	static double level[N];
	size_t seed, e, grows = 0;

	(void)state;
	for (seed = 1; seed <= 100; seed++) {
		struct noise noise = noise_seed(seed);

		fake_release(&fake);
		fake_init(&fake, true);
		noise_fill(&noise, WALK, level, N);
		for (e = 0; e < N; e++) {
			fake_begin(&fake, 5000000, (int64_t)(1e9 + 5e6 * level[e]));
			fake_end(&fake, 5000000, 0);
		}
		fake_snapshot(&fake);
		for (e = 0; e < N; e++)
			kept[e] = e >= N - 3;
		fake_site(&fake, N, kept, 1e6)->kind = SEEP_MEMORY_MMAP;
		fake_deaths(&fake.run.sites[0], 3, N - 3);
		reach();
		assert_null(strstr(verdict.sentence, "mmap"));
		grows += verdict.kind == SEEP_KIND_NON_HEAP;
	}
	assert_in_range(grows, 0, 2); /* RSS alone is doubted to 1 % */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_sum_closes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(noise_is_not_summed_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_an_anchor_lacks_is_in_the_residual, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(without_anchors_the_stamps_are_summed_up, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(small_slopes_on_high_levels, set_up, tear_down),
		cmocka_unit_test_setup_teardown(mappings_are_the_growth, set_up, tear_down),
		cmocka_unit_test_setup_teardown(mappings_are_never_sampled, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sites_alone_can_explain_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stacks_of_forgotten_threads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(address_space_alone_is_flat, set_up, tear_down),
		cmocka_unit_test_setup_teardown(mappings_explain_too_little, set_up, tear_down),
		cmocka_unit_test_setup_teardown(mappings_were_never_touched, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_heap_comes_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_heap_without_an_accused_site_is_not_hidden,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(wandering_is_not_theirs, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
