/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records to facts: modules, stacks, sites and their survivors. */
#include "load_trace.h"

static void loads_modules_and_stacks(void **state)
{
	const struct seep_stack *stack;

	(void)state;
	trace_make_sample(&trace);
	load();
	assert_int_equal(run.n_modules, 3);
	assert_string_equal(run.modules[0].path, "");
	assert_string_equal(run.modules[1].path, "/usr/bin/detector");
	assert_int_equal(run.modules[1].build_id_bytes, 8);
	assert_memory_equal(run.modules[1].build_id, "\x12\x34\x56\x78\x9a\xbc\xde\xf0", 8);
	assert_string_equal(run.modules[2].path, "/home/user/./libplugin.so");
	assert_int_equal(run.modules[2].bias, 0x7f0000000000);
	stack = &run.sites[0].stack;
	assert_int_equal(stack->n_pcs, 3);
	assert_int_equal(stack->pcs[0], 0x7f0000001234);
	assert_int_equal(stack->pcs[1], 0x401100);
	assert_int_equal(stack->pcs[2], 0x401000);
	assert_int_equal(stack->modules[0], 2);
	assert_int_equal(stack->modules[2], 1);
	assert_null(stack->frames);
	/* The second site is the caller of the first and shares its memory. */
	assert_int_equal(run.sites[1].stack.n_pcs, 2);
	assert_int_equal(run.sites[1].stack.pcs[0], 0x401100);
}

static void loads_sites_and_survivors(void **state)
{
	const struct seep_site *site;

	(void)state;
	trace_make_sample(&trace);
	load();
	assert_true(run.has_heap);
	assert_true(run.snapshot_final);
	assert_int_equal(run.snapshot_event, 2);
	assert_int_equal(run.snapshot_t_ns, 50002);
	assert_int_equal(run.live_blocks, 7);
	assert_int_equal(run.live_bytes, 700000);
	assert_int_equal(run.missed, 1);
	assert_int_equal(run.dropped, 2);
	assert_int_equal(run.tracker_bytes, 3);
	assert_int_equal(run.lost_walks, 4);
	assert_int_equal(run.n_sites, 2);
	site = &run.sites[0];
	assert_int_equal(site->id, 1);
	assert_int_equal(site->after_stamp, 1);
	assert_int_equal(site->born_bytes, 2001);
	assert_int_equal(site->died_blocks, 10);
	assert_int_equal(site->moved_blocks, 5);
	assert_int_equal(site->ages[1], 4);
	assert_int_equal(site->ages[2], 0);
	assert_int_equal(site->cohorts.first_event, 0);
	assert_int_equal(site->cohorts.events_per_bin, 1);
	assert_int_equal(site->cohorts.n_bins, 3);
	assert_int_equal(site->cohorts.live_blocks[2], 3);
	assert_int_equal(site->cohorts.live_bytes[2], 300);
	assert_int_equal(site->cohorts.live_bytes[1], 20);
	assert_int_equal(site->cohorts.early_blocks, 1);
	assert_int_equal(run.sites[1].cohorts.n_bins, 2);
	assert_int_equal(site->n_freed_by, 2);
	assert_int_equal(site->freed_by[0].blocks, 8);
	assert_int_equal(site->freed_by[0].ages[0], 8);
	assert_int_equal(site->freed_by[0].stack.n_pcs, 2);
	assert_int_equal(site->freed_by[1].stack.pcs[0], SEEP_PC_LOST);
	assert_int_equal(run.sites[1].n_freed_by, 0);
}

static void uses_the_last_whole_snapshot(void **state)
{
	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_ATTACHED);
	trace_make_whole_snapshot(&trace, SEEP_SNAPSHOT_PERIODIC, 1, 0);
	trace_make_whole_snapshot(&trace, SEEP_SNAPSHOT_PERIODIC, 2, 0);
	trace_make_snapshot(&trace, SEEP_SNAPSHOT_PERIODIC, 3, 0); /* one site was lost */
	trace_make_state(&trace, 3, 1, 0, NULL);
	trace_make_snapshot_end(&trace, 3, 2);
	trace_make_snapshot(&trace, SEEP_SNAPSHOT_FINAL, 4, 0); /* and this one has no end */
	trace_make_state(&trace, 4, 1, 0, NULL);
	load();
	assert_int_equal(run.snapshot_t_ns, 50002);
	assert_int_equal(run.n_sites, 2);
	assert_false(run.snapshot_final);
	assert_true(run.has_heap);
}

/* The last snapshot, after the program has freed what it held: of site 1 nothing is left. */
static void add_end_after_clean_up(void)
{
	struct seep_rec_snapshot head = { .ordinal = 9, .t_ns = 60000, .live_bytes = 5,
					  .event = 3, .first_event = 1, .events_per_bin = 1,
					  .tracker_bytes = 33 };

	TRACE_MAKE_ADD(&trace, SEEP_REC_SNAPSHOT, SEEP_SNAPSHOT_FINAL, head);
	trace_make_state(&trace, 9, 1, 0, NULL);
	trace_make_state(&trace, 9, 3, 0, NULL);
	trace_make_snapshot_end(&trace, 9, 2);
}

static void judges_the_snapshot_before_a_clean_up(void **state)
{
	static const uint64_t bins[] = { 1, 10, 2, 20, 3, 300 };
	uint32_t event;

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	for (event = 1; event <= 3; event++)
		trace_make_stamp(&trace, SEEP_STAMP_BEGIN | SEEP_STAMP_HEAP, event * 100, event, 0);
	trace_make_snapshot(&trace, SEEP_SNAPSHOT_PERIODIC, 8, 3);
	trace_make_state(&trace, 8, 1, 3, bins);
	trace_make_snapshot_end(&trace, 8, 1);
	add_end_after_clean_up();
	load();
	assert_false(run.snapshot_final);
	assert_int_equal(run.live_bytes, 700000);
	assert_int_equal(run.end_live_bytes, 5);
	assert_int_equal(run.tracker_bytes, 33);
	assert_int_equal(run.n_sites, 2); /* the last one knows more sites */
	assert_int_equal(run.sites[0].cohorts.n_bins, 3);
	assert_int_equal(run.sites[0].cohorts.live_bytes[2], 300);
	assert_int_equal(run.sites[1].cohorts.n_bins, 0);
}

/* The heap stays as it was, but what was mapped in the events is unmapped at the end. */
static void judges_the_snapshot_before_mappings_went(void **state)
{
	static const struct seep_rec_site sites[] = { { .kind = SEEP_MEMORY_HEAP },
						      { .kind = SEEP_MEMORY_MMAP } };
	static const uint64_t bins[] = { 1, 10, 2, 20, 3, 300 };
	uint32_t event, ordinal;

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	for (event = 1; event <= 3; event++)
		trace_make_stamp(&trace, SEEP_STAMP_BEGIN | SEEP_STAMP_HEAP, event * 100, event, 0);
	trace_make_sites(&trace, 1, 2, sites);
	for (ordinal = 1; ordinal <= 2; ordinal++) {
		trace_make_snapshot(&trace, ordinal == 1 ? SEEP_SNAPSHOT_PERIODIC
							 : SEEP_SNAPSHOT_FINAL, ordinal, 3);
		trace_make_state(&trace, ordinal, 1, ordinal, bins);
		trace_make_state(&trace, ordinal, 2, ordinal == 1 ? 3 : 1, bins);
		trace_make_snapshot_end(&trace, ordinal, 2);
	}
	load();
	assert_false(run.snapshot_final);
	assert_int_equal(run.sites[1].kind, SEEP_MEMORY_MMAP);
	assert_int_equal(run.sites[1].cohorts.n_bins, 3);
	assert_int_equal(run.sites[1].cohorts.live_bytes[2], 300);
}

/*
 * Three events, and four snapshots: in the last event, when the work is over, when garbage was
 * collected, and at the end.  left: how many bins of 1000 bytes the first site has in each; held:
 * how many of 10 bytes the second.  said: SEEP_SNAPSHOT_SAID or 0.
 */
static void make_snapshots(const size_t *left, const size_t *held, const int64_t *live,
			   unsigned int said)
{
	static const uint64_t bins[] = { 1, 1000, 1, 1000, 1, 1000 }, small[] = { 1, 10 };
	static const struct seep_rec_site sites[2] = { { .kind = SEEP_MEMORY_HEAP },
						       { .kind = SEEP_MEMORY_HEAP } };
	const unsigned int flags[] = { SEEP_SNAPSHOT_PERIODIC,
				       SEEP_SNAPSHOT_PERIODIC | SEEP_SNAPSHOT_OVER | said,
				       SEEP_SNAPSHOT_OVER, SEEP_SNAPSHOT_FINAL };
	uint32_t i;

	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	for (i = 1; i <= 3; i++) {
		struct seep_rec_stamp stamp = { .t_ns = i * 100, .event = i,
						.live_bytes = 50000 + 1000 * i };

		TRACE_MAKE_ADD(&trace, SEEP_REC_STAMP, SEEP_STAMP_BEGIN | SEEP_STAMP_HEAP, stamp);
	}
	trace_make_sites(&trace, 1, 2, sites);
	for (i = 0; i < 4; i++) {
		struct seep_rec_snapshot head = {
			.t_ns = 400 + i, .ordinal = i + 1, .event = 3, .first_event = 1,
			.live_bytes = live[i], .events_per_bin = 1, .collected = i > 1 ? 3 : 0,
		};

		TRACE_MAKE_ADD(&trace, SEEP_REC_SNAPSHOT, flags[i], head);
		trace_make_state(&trace, i + 1, 1, left[i], bins);
		trace_make_state(&trace, i + 1, 2, held[i], small);
		trace_make_snapshot_end(&trace, i + 1, 2);
	}
}

static void make_work_over(size_t before, size_t after, unsigned int said)
{
	const size_t left[] = { 3, before, after, 0 }, held[] = { 0, 0, 0, 0 };
	int64_t live[4];

	for (size_t i = 0; i < 4; i++)
		live[i] = 50000 + 1000 * (int64_t)left[i];
	make_snapshots(left, held, live, said);
}

/* 10 bytes are freed before the work is over, and 5 are collected. */
static void make_last_event_held(void)
{
	static const size_t left[] = { 3, 3, 3, 0 }, held[] = { 1, 0, 0, 0 };
	static const int64_t live[] = { 53010, 53000, 52995, 50000 };

	make_snapshots(left, held, live, 0);
}

static void judges_what_was_left_when_the_work_was_over(void **state)
{
	(void)state;
	make_work_over(3, 2, 0);
	load();
	assert_true(run.collected_sites);
	assert_int_equal(run.collected_event, 2);
	assert_int_equal(run.collected_bytes, 1000);
	assert_int_equal(run.live_bytes, 52000);
	assert_int_equal(run.sites[0].cohorts.n_bins, 2);
	assert_false(run.snapshot_final);

	/* much was given back before: a function or a handler of the exit freed it */
	trace_make_end(&trace);
	make_work_over(1, 1, 0);
	load();
	assert_false(run.collected_sites);
	assert_true(run.collected_last);
	assert_int_equal(run.collected_bytes, 0);
	assert_int_equal(run.sites[0].cohorts.n_bins, 3);

	/* next to nothing was, and next to nothing was collected: what the last event held */
	trace_make_end(&trace);
	make_last_event_held();
	load();
	assert_true(run.collected_sites);
	assert_int_equal(run.sites[0].cohorts.live_bytes[2], 1000);

	/* the same as the second, but the program said that its work ended there */
	trace_make_end(&trace);
	make_work_over(1, 1, SEEP_SNAPSHOT_SAID);
	load();
	assert_true(run.collected_sites);
	assert_int_equal(run.sites[0].cohorts.n_bins, 1);
}

static void uses_a_damaged_snapshot_if_there_is_no_other(void **state)
{
	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_snapshot(&trace, SEEP_SNAPSHOT_FINAL, 3, 0);
	trace_make_state(&trace, 2, 7, 0, NULL); /* of another one */
	trace_make_state(&trace, 3, 1, 0, NULL);
	trace_make_state(&trace, 3, 1, 0, NULL);  /* the same site again */
	trace_make_frees(&trace, 3, 9, 1, 1);     /* of no site */
	trace_make_snapshot_end(&trace, 3, 5);
	load();
	assert_int_equal(run.n_sites, 1);
	assert_int_equal(run.sites[0].stack.n_pcs, 0);
	assert_int_equal(run.sites[0].n_freed_by, 0);
}

/* After exec another program tells its own story; the command is that of seep run. */
static void forgets_what_was_before_exec(void **state)
{
	struct seep_rec_restart restart = { .t_ns = 70000 };
	struct seep_rec_node node = { .pc = 0x5000, .module = 2 };
	struct seep_rec_site site = { .node = 1 };

	(void)state;
	trace_make_sample(&trace);
	TRACE_MAKE_ADD(&trace, SEEP_REC_RESTART, 0, restart);
	trace_make_name(&trace, 1, "other");
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 80000, 1, 0);
	trace_make_nodes(&trace, 1, 1, &node);
	trace_make_sites(&trace, 1, 1, &site);
	trace_make_snapshot(&trace, SEEP_SNAPSHOT_FINAL, 1, 1);
	trace_make_state(&trace, 1, 1, 0, NULL);
	trace_make_snapshot_end(&trace, 1, 1);
	load();
	assert_string_equal(run.exe, "/usr/bin/detector");
	assert_int_equal(run.n_limits, 2);
	assert_int_equal(run.n_names, 2);
	assert_string_equal(run.names[1], "other");
	assert_int_equal(run.n_events, 1);
	assert_int_equal(run.n_counters, 0);
	assert_int_equal(run.n_modules, 1);
	assert_int_equal(run.n_notes, 0);
	assert_int_equal(run.n_sites, 1);
	assert_int_equal(run.sites[0].stack.n_pcs, 1);
	assert_int_equal(run.sites[0].stack.modules[0], 0);
	assert_false(run.has_exit);
	assert_int_equal(run.wall_ns, 80000);
}

/* A run of two events and a snapshot of one site that has three bins. */
static const struct seep_cohorts *load_bins(uint32_t first_event, uint32_t events_per_bin)
{
	static const uint64_t bins[] = { 1, 10, 2, 20, 4, 40 };

	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 1, 1, 0);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 2, 2, 0);
	trace_make_snapshot_bins(&trace, SEEP_SNAPSHOT_FINAL, 1, 9, first_event, events_per_bin);
	trace_make_state(&trace, 1, 1, 3, bins);
	trace_make_snapshot_end(&trace, 1, 1);
	load();
	trace_make_end(&trace);
	assert_int_equal(run.snapshot_event, 1);
	return &run.sites[0].cohorts;
}

static void keeps_bins_within_the_events(void **state)
{
	const struct seep_cohorts *cohorts;

	(void)state;
	cohorts = load_bins(1, 1);
	assert_int_equal(cohorts->n_bins, 2);
	assert_int_equal(cohorts->live_blocks[1], 6);
	cohorts = load_bins(0xffffffff, 0xffffffff);
	assert_int_equal(cohorts->first_event, 1);
	assert_int_equal(cohorts->n_bins, 1);
	assert_int_equal(cohorts->live_bytes[0], 70);
	cohorts = load_bins(0, 0);
	assert_int_equal(cohorts->first_event, 0);
	assert_int_equal(cohorts->early_blocks, 2);
	assert_int_equal(cohorts->n_bins, 2);
}

/* A batch that says more than it holds gives what it holds. */
static void keeps_what_is_whole_in_a_broken_batch(void **state)
{
	static const uint64_t bins[] = { 1, 10 };
	struct trace_make_pack pack = { .n = 0 };

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_snapshot(&trace, SEEP_SNAPSHOT_FINAL, 1, 0);
	trace_make_put_state(&pack, 1, 1, bins);
	trace_make_put_state(&pack, 2, 1, bins);
	pack.n--;
	trace_make_packed(&trace, SEEP_REC_SITE_STATES, 1, &pack);
	pack = (struct trace_make_pack){ .count = 0xffffffff };
	trace_make_packed(&trace, SEEP_REC_SITE_STATES, 1, &pack);
	trace_make_packed(&trace, SEEP_REC_FREE_SITES, 1, &pack);
	trace_make_state(&trace, 1, 3, 0, NULL);
	trace_make_snapshot_end(&trace, 1, 3);
	load();
	assert_int_equal(run.n_sites, 2);
	assert_int_equal(run.sites[0].id, 1);
	assert_int_equal(run.sites[1].id, 3);
	assert_int_equal(run.damaged, 3);
}

static void breaks_cycles_of_nodes(void **state)
{
	struct seep_rec_node nodes[] = {
		{ .pc = 0x10, .parent = 2 },
		{ .pc = 0x20, .parent = 2 },
		{ .pc = 0x30, .parent = 2 },
	};
	struct seep_rec_site sites[] = { { .node = 3 }, { .node = 4 } };

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_nodes(&trace, 1, 3, nodes);
	trace_make_sites(&trace, 1, 2, sites);
	trace_make_whole_snapshot(&trace, SEEP_SNAPSHOT_FINAL, 1, 0);
	load();
	assert_int_equal(run.damaged, 2);
	assert_int_equal(run.sites[0].stack.n_pcs, 2);
	assert_int_equal(run.sites[0].stack.pcs[1], 0x20);
	assert_int_equal(run.sites[1].stack.n_pcs, 0);
}

/* A chain of nodes first .. last whose callers are one less each. */
static void make_chain(uint32_t first, uint32_t last)
{
	static struct seep_rec_node nodes[4000];

	while (first <= last) {
		uint32_t n = last - first + 1 < 4000 ? last - first + 1 : 4000, i;

		for (i = 0; i < n; i++)
			nodes[i] = (struct seep_rec_node){ .pc = 0x1000 + first + i,
							   .parent = first + i - 1 };
		trace_make_nodes(&trace, first, n, nodes);
		first += n;
	}
}

static void caps_the_depth_of_stacks(void **state)
{
	struct seep_rec_site site = { .node = 100000 };

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	make_chain(1, 100000);
	trace_make_sites(&trace, 1, 1, &site);
	trace_make_whole_snapshot(&trace, SEEP_SNAPSHOT_FINAL, 1, 0);
	load();
	assert_int_equal(run.sites[0].stack.n_pcs, 65536);
	assert_int_equal(run.sites[0].stack.pcs[0], 0x1000 + 100000);
	assert_int_equal(run.sites[0].stack.pcs[65535], SEEP_PC_CUT);
}

/* Leaves of a chain of 60000: 2000 stacks of 720 KB each, were it not for the budget. */
static void bounds_the_memory_for_stacks(void **state)
{
	uint32_t i;

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	make_chain(1, 60000);
	for (i = 0; i < 2000; i++) {
		struct seep_rec_node node = { .pc = i + 7, .parent = 60000 };
		struct seep_rec_site site = { .node = 60001 + i };

		trace_make_nodes(&trace, 60001 + i, 1, &node);
		trace_make_sites(&trace, 1 + i, 1, &site);
	}
	trace_make_snapshot(&trace, SEEP_SNAPSHOT_FINAL, 1, 0);
	for (i = 0; i < 2000; i++)
		trace_make_state(&trace, 1, 1 + i, 0, NULL);
	trace_make_snapshot_end(&trace, 1, 2000);
	load();
	assert_int_equal(run.n_sites, 2000);
	/* The one that holds most is whole. */
	assert_int_equal(run.sites[1999].stack.n_pcs, 60001);
	assert_int_equal(run.sites[0].stack.n_pcs, 16);
	assert_int_equal(run.sites[0].stack.pcs[0], 7);
	assert_int_equal(run.sites[0].stack.pcs[15], SEEP_PC_CUT);
	assert_non_null(strstr(run.notes[0], "stacks were shortened"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOAD_TEST(loads_modules_and_stacks),
		LOAD_TEST(loads_sites_and_survivors),
		LOAD_TEST(uses_the_last_whole_snapshot),
		LOAD_TEST(judges_the_snapshot_before_a_clean_up),
		LOAD_TEST(judges_the_snapshot_before_mappings_went),
		LOAD_TEST(judges_what_was_left_when_the_work_was_over),
		LOAD_TEST(uses_a_damaged_snapshot_if_there_is_no_other),
		LOAD_TEST(forgets_what_was_before_exec),
		LOAD_TEST(keeps_bins_within_the_events),
		LOAD_TEST(keeps_what_is_whole_in_a_broken_batch),
		LOAD_TEST(breaks_cycles_of_nodes),
		LOAD_TEST(caps_the_depth_of_stacks),
		LOAD_TEST(bounds_the_memory_for_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
