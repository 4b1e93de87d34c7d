/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the allocator gave back, and who pins pages, from the trace. */
#include "load_trace.h"

#include <math.h>

static void loads_the_probe_and_the_pins(void **state)
{
	(void)state;
	trace_make_sample(&trace);
	load();
	assert_true(run.complete);
	assert_true(run.probe.done && run.probe.asked && run.probe.at_end);
	assert_int_equal(run.probe.event, 2);
	assert_string_equal(run.probe.allocator, "glibc");
	assert_int_equal(run.probe.rss_before_bytes, 110000000);
	assert_int_equal(run.probe.rss_after_bytes, 50000000);
	assert_int_equal(run.probe.heap_resident_bytes, 100000000);
	assert_int_equal(run.probe.live_bytes, 20000000);
	assert_true(fabs(seep_probe_gain(&run.probe) - .75) < 1e-12);
	assert_int_equal(run.n_sites, 2);
	assert_int_equal(run.sites[0].pinned_bytes, 5000);
	assert_int_equal(run.sites[0].pinning_blocks, 2);
	assert_int_equal(run.sites[1].pinned_bytes, 300);
	assert_int_equal(run.sites[1].pinning_blocks, 1);
}

static void a_run_need_not_have_one(void **state)
{
	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 1, 1, 0);
	load();
	assert_false(run.probe.done);
	assert_int_equal(run.probe.event, SEEP_EVENT_NONE);
	assert_true(isnan(seep_probe_gain(&run.probe)));
}

static void an_allocator_that_was_not_asked_has_no_gain(void **state)
{
	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 1, 1, 0);
	trace_make_probe(&trace, 0, 1, 0);
	load();
	assert_true(run.probe.done);
	assert_false(run.probe.asked || run.probe.at_end);
	assert_int_equal(run.probe.event, 0);
	assert_true(isnan(seep_probe_gain(&run.probe)));
}

static void of_several_the_last_one_holds(void **state)
{
	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_probe(&trace, SEEP_PROBE_ASKED, 0, 80000000);
	trace_make_probe(&trace, SEEP_PROBE_ASKED, 0, 8000000);
	load();
	assert_int_equal(run.probe.event, SEEP_EVENT_NONE);
	assert_true(fabs(seep_probe_gain(&run.probe) - .1) < 1e-12);
}

/* Behind the last event that began there is none. */
static void an_event_that_never_was_is_the_last_one(void **state)
{
	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 1, 1, 0);
	trace_make_stamp(&trace, SEEP_STAMP_BEGIN, 2, 2, 0);
	trace_make_probe(&trace, SEEP_PROBE_ASKED, 0xffffffff, 0);
	load();
	assert_int_equal(run.probe.event, 1);
}

/* A sample trace whose probe has one number changed. */
static void load_with(size_t offset, const void *number, size_t bytes)
{
	struct seep_rec_probe probe = { .rss_before_bytes = 5, .rss_after_bytes = 4,
					.heap_resident_bytes = 3, .live_bytes = 2, .event = 1,
					.allocator = SEEP_ALLOCATOR_TCMALLOC };

	memcpy((char *)&probe + offset, number, bytes);
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	TRACE_MAKE_ADD(&trace, SEEP_REC_PROBE, SEEP_PROBE_ASKED, probe);
	load();
	trace_make_end(&trace);
}

static void absurd_numbers_are_left_out(void **state)
{
	const int64_t absurd[] = { -1, INT64_MIN, INT64_MAX };
	const uint32_t allocators[] = { 0, 4, 0xffffffff };
	const uint32_t good = SEEP_ALLOCATOR_JEMALLOC;
	size_t offset, i;

	(void)state;
	for (offset = offsetof(struct seep_rec_probe, rss_before_bytes);
	     offset <= offsetof(struct seep_rec_probe, live_bytes); offset += 8)
		for (i = 0; i < 3; i++) {
			load_with(offset, &absurd[i], 8);
			assert_false(run.probe.done);
			assert_int_equal(run.damaged, 1);
		}
	for (i = 0; i < 3; i++) {
		load_with(offsetof(struct seep_rec_probe, allocator), &allocators[i], 4);
		assert_false(run.probe.done);
		assert_int_equal(run.damaged, 1);
	}
	load_with(offsetof(struct seep_rec_probe, allocator), &good, 4);
	assert_true(run.probe.done && run.complete);
	assert_string_equal(run.probe.allocator, "jemalloc");
}

/* The sites of the sample, then pins as given. */
static void load_pins(const struct trace_make_pack *pack)
{
	trace_make_sample(&trace);
	trace_make_packed(&trace, SEEP_REC_PINS, 0, pack);
	load();
	assert_true(run.probe.done);
}

static void unknown_sites_are_passed_over(void **state)
{
	struct trace_make_pack pack = { .n = 0 };

	(void)state;
	trace_make_put_pin(&pack, 0, 77, 1);
	trace_make_put_pin(&pack, 3, 77, 1);
	trace_make_put_pin(&pack, UINT64_MAX, 77, 1);
	trace_make_put_pin(&pack, 2, 1234, 5);
	load_pins(&pack);
	assert_int_equal(run.damaged, 0);
	assert_int_equal(run.sites[0].pinned_bytes, 5000);
	assert_int_equal(run.sites[1].pinned_bytes, 1234);
	assert_int_equal(run.sites[1].pinning_blocks, 5);
}

static void pins_that_cannot_be_end_their_record(void **state)
{
	struct trace_make_pack pack = { .n = 0 };

	(void)state;
	trace_make_put_pin(&pack, 1, 6000, 3);
	trace_make_put_pin(&pack, 2, UINT64_MAX, 1);
	trace_make_put_pin(&pack, 1, 1, 1);
	load_pins(&pack);
	assert_int_equal(run.damaged, 1);
	assert_int_equal(run.sites[0].pinned_bytes, 6000);
	assert_int_equal(run.sites[1].pinned_bytes, 300);
}

static void more_pins_than_numbers(void **state)
{
	struct trace_make_pack pack = { .n = 0 };

	(void)state;
	trace_make_put_pin(&pack, 1, 6000, 3);
	trace_make_put(&pack, 2);
	trace_make_put(&pack, 50);
	pack.count = 0xffffffff;
	load_pins(&pack);
	assert_int_equal(run.damaged, 1);
	assert_int_equal(run.sites[0].pinned_bytes, 6000);
	assert_int_equal(run.sites[1].pinned_bytes, 300);
}

/* A payload that ends before its kind does is damage for the reader. */
static void cut_payloads(void **state)
{
	struct seep_rec_probe probe = { .allocator = SEEP_ALLOCATOR_GLIBC };
	struct seep_rec_pins pins = { .count = 1, .bytes = 1000 };

	(void)state;
	trace_make_begin(&trace, SEEP_TRACE_FINISHED);
	trace_make_add(&trace, SEEP_REC_PROBE, 0, &probe, sizeof(probe) - 8, NULL, 0);
	trace_make_add(&trace, SEEP_REC_PINS, 0, &pins, sizeof(pins), "\1\1\1", 3);
	trace_make_add(&trace, SEEP_REC_PINS, 0, &pins, 8, NULL, 0);
	load();
	assert_false(run.probe.done);
	assert_int_equal(run.damaged, 3);
}

/* What a program had before it replaced itself by exec is void. */
static void a_restart_makes_it_void(void **state)
{
	struct seep_rec_restart restart = { .t_ns = 9 };

	(void)state;
	trace_make_sample(&trace);
	TRACE_MAKE_ADD(&trace, SEEP_REC_RESTART, 0, restart);
	load();
	assert_false(run.probe.done);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOAD_TEST(loads_the_probe_and_the_pins),
		LOAD_TEST(a_run_need_not_have_one),
		LOAD_TEST(an_allocator_that_was_not_asked_has_no_gain),
		LOAD_TEST(of_several_the_last_one_holds),
		LOAD_TEST(an_event_that_never_was_is_the_last_one),
		LOAD_TEST(absurd_numbers_are_left_out),
		LOAD_TEST(unknown_sites_are_passed_over),
		LOAD_TEST(pins_that_cannot_be_end_their_record),
		LOAD_TEST(more_pins_than_numbers),
		LOAD_TEST(cut_payloads),
		LOAD_TEST(a_restart_makes_it_void),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
