/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When snapshots are taken, and that all of them together stay cheap. */
#include "record/heap/book/due.h"

#include "record/event_clock.h"
#include "record/heap/book/account.h"
#include "record/heap/book/snapshot.h"
#include "record/heap/thread.h"
#include "record/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MS 1000000

struct seep_event_clock seep_event_clock;

/* The run under test, and what it has spent. */
static struct {
	uint32_t generation;
	int64_t now_ns;
	int64_t each_ns, each_bytes; /* what one snapshot costs */
	int64_t live_bytes;
	uint32_t n;
	uint32_t events[100];    /* of the first snapshots */
	struct seep_snapshot_past past;
} life;

void seep_snapshot_write(uint16_t why)
{
	assert_int_equal(why, SEEP_SNAPSHOT_PERIODIC);
	if (life.n < 100)
		life.events[life.n] = seep_event_clock.event;
	life.n++;
	life.now_ns += life.each_ns;
	life.past.ordinal++;
	life.past.last_ns = life.now_ns;
	life.past.cost_ns += life.each_ns;
	life.past.bytes = life.each_bytes;
}

struct seep_snapshot_past seep_snapshot_past(void)
{
	return life.past;
}

uint32_t seep_recording_generation(void)
{
	return life.generation;
}

void seep_thread_totals(int64_t *live_bytes, int64_t *live_blocks)
{
	*live_bytes = life.live_bytes;
	*live_blocks = 1;
}

static void start(int64_t each_ns, int64_t each_bytes)
{
	uint32_t generation = life.generation + 1;

	memset(&life, 0, sizeof(life));
	life.generation = generation;
	life.now_ns = 1000 * (int64_t)MS;
	life.each_ns = each_ns;
	life.each_bytes = each_bytes;
	seep_event_clock = (struct seep_event_clock){ .own_events = 1 };
}

static void pass(uint32_t events, int64_t event_ns)
{
	while (events--) {
		seep_event_clock.event++;
		seep_due_consider(life.now_ns);
		life.now_ns += event_ns;
	}
}

static void the_run_is_covered_by_twentieths(void **state)
{
	(void)state;
	start(MS / 100, 1000);
	pass(100000, MS); /* the gap grows by a twentieth of the time: about 1.05^n * 2 ms */
	assert_in_range(life.n, 150, 250);
	assert_in_range(life.past.last_ns, life.now_ns - life.now_ns / 19, life.now_ns);
}

static void a_short_loop_has_its_milestones(void **state)
{
	(void)state;
	start(MS / 100, 1000);
	pass(300, 100);
	assert_int_equal(life.n, 4);
	assert_int_equal(life.events[0], 32);
	assert_int_equal(life.events[1], 64);
	assert_int_equal(life.events[2], 128);
	assert_int_equal(life.events[3], 256);
}

/* Slices of time that pass several at once still meet each doubling, and only once. */
static void milestones_are_met_in_strides(void **state)
{
	(void)state;
	start(MS / 100, 1000);
	for (int i = 0; i < 40; i++) {
		seep_event_clock.event += 6;
		seep_due_consider(life.now_ns);
	}
	assert_int_equal(life.n, 3);
	assert_int_equal(life.events[0], 36);
	assert_int_equal(life.events[1], 66);
	assert_int_equal(life.events[2], 132);
}

/* A fiftieth of the run and 10 ms; for milestones of marked events a tenth and 50 ms. */
static void all_together_cost_a_part_of_the_run(void **state)
{
	int64_t started;

	(void)state;
	for (uint32_t own = 0; own < 2; own++) {
		start(20 * MS, 1000);
		seep_event_clock.own_events = own;
		started = life.now_ns;
		pass(1, 10 * MS);
		while (life.now_ns < started + 10000 * (int64_t)MS) {
			int64_t elapsed = life.now_ns - started;

			assert_in_range(life.past.cost_ns, 0, own
				? 70 * MS + elapsed / 10 : 30 * MS + elapsed / 50);
			pass(1, 10 * MS);
		}
		assert_in_range(life.n, 5, 15);
	}
}

/* The milestones of marked events are affordable when other snapshots are not. */
static void milestones_of_marked_events_may_cost_more(void **state)
{
	(void)state;
	start(20 * MS, 1000);
	pass(300, MS / 1000);
	assert_int_equal(life.n, 3);
	start(20 * MS, 1000);
	seep_event_clock.own_events = 0;
	pass(300, MS / 1000);
	assert_int_equal(life.n, 1);
}

/* Large snapshots come at an eighth of the time, small ones at a twentieth. */
static void large_snapshots_are_fewer(void **state)
{
	uint32_t n;

	(void)state;
	start(MS / 1000, 1000);
	pass(4096, MS);
	n = life.n;
	start(MS / 1000, 1 << 20);
	pass(4096, MS);
	assert_in_range(life.n, n / 3, n * 2 / 3);
	assert_in_range(life.now_ns - life.past.last_ns, 0, 4096 * (int64_t)MS / 7);
}

/* The last snapshot before a heap is freed shows what was there. */
static void a_fall_of_the_heap_is_seen_soon(void **state)
{
	uint32_t n;

	(void)state;
	start(MS / 1000, 1000);
	life.live_bytes = 1 << 20;
	pass(5000, MS);
	life.past.last_ns = life.now_ns - 100 * (int64_t)MS; /* the usual gap is 250 ms */
	n = life.n;
	life.live_bytes -= (1 << 20) / 40;
	pass(1, MS);
	assert_int_equal(life.n, n);
	life.live_bytes = (1 << 20) / 2;
	pass(1, MS);
	assert_int_equal(life.n, n + 1);
	pass(3, MS); /* once per fall */
	assert_int_equal(life.n, n + 1);
}

static void a_fall_right_after_a_snapshot_is_not_another(void **state)
{
	uint32_t n;

	(void)state;
	start(MS / 1000, 1000);
	life.live_bytes = 1 << 20;
	pass(5000, MS);
	life.past.last_ns = life.now_ns - 10 * (int64_t)MS;
	n = life.n;
	life.live_bytes = 1 << 18;
	pass(1, MS);
	assert_int_equal(life.n, n);
}

/* What came before the first event of a new trace, or of the program, is not held against it. */
static void a_new_clock_forgets_the_cost(void **state)
{
	uint32_t n;

	(void)state;
	start(30 * MS, 1000);
	seep_event_clock.own_events = 0;
	pass(200, 10 * MS);
	n = life.n;
	seep_event_clock.own_events = 1;
	seep_event_clock.base = seep_event_clock.event;
	pass(32, MS / 1000);
	assert_int_equal(life.n, n + 1);
	life.generation++;
	seep_event_clock.base = seep_event_clock.event;
	pass(32, MS / 1000);
	assert_int_equal(life.n, n + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_run_is_covered_by_twentieths),
		cmocka_unit_test(a_short_loop_has_its_milestones),
		cmocka_unit_test(milestones_are_met_in_strides),
		cmocka_unit_test(all_together_cost_a_part_of_the_run),
		cmocka_unit_test(milestones_of_marked_events_may_cost_more),
		cmocka_unit_test(large_snapshots_are_fewer),
		cmocka_unit_test(a_fall_of_the_heap_is_seen_soon),
		cmocka_unit_test(a_fall_right_after_a_snapshot_is_not_another),
		cmocka_unit_test(a_new_clock_forgets_the_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
