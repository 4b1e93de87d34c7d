/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records to facts: what damaged and hostile traces become. */
#include "load_trace.h"

#define FLIPS 20000

static void tells_damage_in_words(void **state)
{
	(void)state;
	trace_make_sample(&trace);
	trace.data[SEEP_TRACE_HEADER_BYTES + 20] ^= 1;
	trace_make_grow(&trace, 16);
	memset(trace.data + trace.bytes - 8, 1, 8);
	load();
	assert_false(run.complete);
	assert_int_equal(run.damaged, 1);
	assert_int_equal(run.n_notes, 3);
	assert_string_equal(run.notes[1],
			    "the trace is damaged in 1 places, the first at byte 4096");
	assert_string_equal(run.notes[2], "the trace ends inside a record");
}

/* Numbers that no file of this size can hold are left out, and take no memory. */
static void leaves_out_numbers_that_cannot_be(void **state)
{
	struct seep_rec_node node = { .pc = 0x1000, .parent = 0 };
	struct seep_rec_site site = { .node = 0xfffffff0, .phase = 0xfffffff0 };

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_name(&trace, 0xfffffff0, "x");
	trace_make_module(&trace, 0xfffffff0, 0, "", 0, "/x");
	trace_make_nodes(&trace, 0xffffffff, 1, &node);
	trace_make_sites(&trace, 0xffffffff, 1, &site);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 1, 1, 0);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 2, 0xffffffff, 0);
	trace_make_stamp(&trace, 0, 3, 1, 0xffffffff);
	trace_make_count(&trace, 1, 0xffffffff, 1);
	trace_make_snapshot(&trace, SEEP_SNAPSHOT_FINAL, 1, 0xffffffff);
	trace_make_state(&trace, 1, 0xfffffff0, 0, NULL);
	trace_make_snapshot_end(&trace, 1, 1);
	load();
	assert_int_equal(run.damaged, 8);
	assert_int_equal(run.n_names, 1);
	assert_int_equal(run.n_modules, 1);
	assert_int_equal(run.n_stamps, 2);
	assert_int_equal(run.n_events, 2);
	assert_int_equal(run.n_counters, 0);
	assert_int_equal(run.n_sites, 0);
	assert_int_equal(run.snapshot_event, 1);
}

/* 4000 counters by 20000 events would take 640 MB. */
static void bounds_the_memory_for_counters(void **state)
{
	uint32_t i;

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	for (i = 1; i <= 20000; i++)
		trace_make_stamp(&trace, SEEP_STAMP_BEGIN, i, i, 0);
	for (i = 1; i <= 4000; i++)
		trace_make_count(&trace, i, i, 1);
	load();
	assert_true(run.n_counters > 400 && run.n_counters < 1000);
	assert_non_null(strstr(run.notes[0], "counters were left out"));
}

static void touch(const char *text)
{
	assert_true(strlen(text) < 1u << 20);
}

static void touch_stack(const struct seep_stack *stack)
{
	static volatile uint64_t last_pc;
	size_t i;

	for (i = 0; i < stack->n_pcs; i++) {
		last_pc = stack->pcs[i];
		(void)last_pc;
		assert_true(stack->modules[i] == 0 || stack->modules[i] < run.n_modules);
	}
}

/* What everyone may rely on, whatever the file held. */
static void assert_sound(void)
{
	size_t i, k;

	for (i = 0; i < run.n_names; i++)
		touch(run.names[i]);
	for (i = 0; i < run.n_notes; i++)
		touch(run.notes[i]);
	for (i = 0; i < run.n_stamps; i++) {
		assert_true(run.stamps[i].name < run.n_names);
		assert_true(run.stamps[i].event >= -1);
		assert_true(run.stamps[i].event < (int64_t)run.n_events);
		assert_true(i == 0 || run.stamps[i - 1].t_ns <= run.stamps[i].t_ns ||
			    (run.overlapping && run.stamps[i].flags & SEEP_STAMP_BEGIN));
	}
	for (i = 0; i < run.n_events; i++) {
		assert_true(run.events[i].n_stamps > 0);
		assert_true(run.stamps[run.events[i].first_stamp].flags & SEEP_STAMP_BEGIN);
		assert_int_equal(run.stamps[run.events[i].first_stamp].event, i);
		assert_true(i == 0 || run.stamps[run.events[i - 1].first_stamp].t_ns <=
					      run.stamps[run.events[i].first_stamp].t_ns);
	}
	for (i = 0; i < run.n_sites; i++) {
		assert_true(run.sites[i].after_stamp < run.n_names);
		touch_stack(&run.sites[i].stack);
		for (k = 0; k < run.sites[i].n_freed_by; k++)
			touch_stack(&run.sites[i].freed_by[k].stack);
		if (run.sites[i].moves) {
			assert_true(run.sites[i].moves->n_peaks <= SEEP_TRACE_PEAK_BINS);
			assert_true(run.sites[i].moves->last_event < seep_run_marked(&run));
		}
	}
}

/* A cut between two records cannot be seen, so only those inside of one are told. */
static void loads_every_cut(void **state)
{
	size_t whole;

	(void)state;
	trace_make_sample(&trace);
	whole = trace.bytes;
	for (trace.bytes = 0; trace.bytes <= whole; trace.bytes++) {
		if (try_load()) {
			assert_sound();
			assert_true(trace.bytes < whole || run.complete);
			assert_true(trace.bytes % 8 == 0 || !run.complete);
		}
		seep_arena_release(&arena);
	}
	trace.bytes = whole;
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void seal_records(void)
{
	size_t at = SEEP_TRACE_HEADER_BYTES;

	while (at + 16 <= trace.bytes) {
		uint32_t size, check;

		memcpy(&size, trace.data + at, 4);
		if (size < 16 || size > trace.bytes - at)
			return;
		check = seep_trace_check(trace.data + at + 8, size - 8);
		memcpy(trace.data + at + 4, &check, 4);
		at += size;
	}
}

/* Flipped bits, once as damage and once with the checksums made good again. */
static void loads_flipped_bits(void **state)
{
	uint64_t seed = 7;
	struct trace_make good;
	size_t i, k;

	(void)state;
	trace_make_sample(&good);
	trace = good;
	trace.data = malloc(good.bytes);
	for (i = 0; i < FLIPS; i++) {
		memcpy(trace.data, good.data, good.bytes);
		for (k = 0; k <= next_random(&seed) % 4; k++)
			trace.data[next_random(&seed) % trace.bytes] ^=
				(unsigned char)(1u << next_random(&seed) % 8);
		if (i % 2)
			seal_records();
		if (try_load())
			assert_sound();
		seep_arena_release(&arena);
	}
	trace_make_end(&good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOAD_TEST(tells_damage_in_words),
		LOAD_TEST(leaves_out_numbers_that_cannot_be),
		LOAD_TEST(bounds_the_memory_for_counters),
		LOAD_TEST(loads_every_cut),
		LOAD_TEST(loads_flipped_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
