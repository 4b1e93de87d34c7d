/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/verdict/conclude.h"
#include "analyse/verdict/oom.h"
#include "analyse/verdict/verdict.h"

#include "fake_run.h"
#include "noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_test.h"

#define GB 1000000000ll

static struct seep_verdict verdict;
static struct seep_limit limits[8];

static struct seep_limit *add_limit(int64_t bytes, const char *source)
{
	struct seep_limit *limit = &limits[fake.run.n_limits++];

	fake.run.limits = limits;
	*limit = (struct seep_limit){ .bytes = bytes, .source = source };
	return limit;
}

/* Growth of 1 MB per event, an event per ms, from 100 MB on; VM as told. */
static void make_events(size_t n, double vm_start, double vm_step)
{
	size_t e;

	for (e = 0; e < n; e++) {
		fake_begin(&fake, 0, (int64_t)(1e8 + 1e6 * (double)e));
		fake.run.stamps[e].vm_bytes = (int64_t)(vm_start + vm_step * (double)e);
	}
}

static void reach(double rate, double low, double high)
{
	struct seep_evidence evidence;

	memset(&verdict, 0, sizeof(verdict));
	seep_evidence_gather(&evidence, &fake.run, 0, &fake.arena);
	seep_conclude_start(&verdict, &evidence);
	verdict.bytes_per_event = (struct seep_estimate){ true, rate, low, high };
	seep_oom_reach(&verdict, &evidence, &fake.arena);
}

static int start(void **state)
{
	(void)state;
	fake_init(&fake, false);
	return 0;
}

static void by_hand(void **state)
{
	(void)state;
	make_events(101, 1e9, 0);
	reach(1e6, 9e5, 1.1e6);
	assert_false(verdict.oom.known); /* there is no limit */
	add_limit(16 * GB, "RAM");
	add_limit(1200000000, "cgroup");
	reach(1e6, 8e5, 1.25e6);
	assert_string_equal(verdict.oom.limit_source, "cgroup");
	assert_int_equal(verdict.oom.limit_bytes, 1200000000);
	near(verdict.oom.room_bytes, 1e9, 1);
	near(verdict.oom.events, 1000, 1e-6);
	near(verdict.oom.events_low, 800, 1e-6);
	near(verdict.oom.events_high, 1250, 1e-6);
	near(verdict.oom.seconds, 1, 1e-6);
	near(verdict.oom.low, .8, 1e-4); /* every event takes 1 ms */
	near(verdict.oom.high, 1.25, 1e-4);
	reach(1e6, -1, 2e6);
	assert_true(isinf(verdict.oom.high) && isinf(verdict.oom.events_high));
	near(verdict.oom.low, .5, 1e-4);
	reach(-1e6, -2e6, 2e6);
	assert_false(verdict.oom.known);
	fake.run.limits[0].bytes = 1;
	reach(1e6, 9e5, 1.1e6);
	near(verdict.oom.seconds, 0, 0);
	near(verdict.oom.high, 0, 0);
}

/* The larger limit is met first if others have taken most of it. */
static void what_others_use(void **state)
{
	struct seep_limit *group;

	(void)state;
	make_events(101, 1e9, 0);
	add_limit(1 * GB, "--limit");
	group = add_limit(4 * GB, "cgroup /a memory.max");
	group->counts = SEEP_LIMIT_GROUP;
	reach(1e6, 9e5, 1.1e6);
	assert_string_equal(verdict.oom.limit_source, "--limit");
	group->others_bytes = 3500000000;
	reach(1e6, 9e5, 1.1e6);
	assert_string_equal(verdict.oom.limit_source, "cgroup /a memory.max");
	near(verdict.oom.events, 300, 1e-6);
	group->others_bytes = 5 * GB;
	reach(1e6, 9e5, 1.1e6);
	near(verdict.oom.seconds, 0, 0);
}

/* A limit of address space is held against that. */
static void address_space(void **state)
{
	(void)state;
	make_events(101, 1.8e9, 0); /* in pieces so large that none was needed yet */
	add_limit(1 * GB, "RAM");
	add_limit(2 * GB, "RLIMIT_AS")->counts = SEEP_LIMIT_VM;
	reach(1e6, 9e5, 1.1e6);
	assert_string_equal(verdict.oom.limit_source, "RLIMIT_AS");
	near(verdict.oom.events, 200, 1e-6);
	limits[1].bytes = 3 * GB;
	reach(1e6, 9e5, 1.1e6);
	assert_string_equal(verdict.oom.limit_source, "RAM");
	near(verdict.oom.events, 800, 1e-6);
}

/* Address space that grows faster than memory, since it is not touched, decides by its own rate. */
static void untouched_memory(void **state)
{
	(void)state;
	make_events(101, 5e8, 8e6);
	add_limit(1 * GB, "RAM");
	add_limit(2 * GB, "RLIMIT_AS")->counts = SEEP_LIMIT_VM;
	reach(1e6, 9e5, 1.1e6);
	assert_string_equal(verdict.oom.limit_source, "RLIMIT_AS");
	near(verdict.oom.events, 7e8 / 8e6, .1);
}

/* The same room is left below both: the smaller limit is named, in whatever order they come. */
static void limits_that_are_met_at_once(void **state)
{
	(void)state;
	make_events(101, 1e9, 0);
	add_limit(2000000000, "RAM")->others_bytes = 800000000;
	add_limit(1200000000, "cgroup");
	reach(1e6, 9e5, 1.1e6);
	assert_string_equal(verdict.oom.limit_source, "cgroup");
	limits[0] = limits[1];
	limits[1] = (struct seep_limit){ .bytes = 2000000000, .source = "RAM",
					 .others_bytes = 800000000 };
	reach(1e6, 9e5, 1.1e6);
	assert_string_equal(verdict.oom.limit_source, "cgroup");
}

static void slowed_down_before(void **state)
{
	struct seep_limit *high;

	(void)state;
	make_events(101, 1e9, 0);
	high = add_limit(700000000, "cgroup /a memory.high");
	high->slows = true;
	reach(1e6, 9e5, 1.1e6);
	assert_false(verdict.oom.known);
	assert_true(verdict.slowdown.known);
	add_limit(1200000000, "cgroup /a memory.max");
	reach(1e6, 9e5, 1.1e6);
	assert_string_equal(verdict.oom.limit_source, "cgroup /a memory.max");
	assert_string_equal(verdict.slowdown.limit_source, "cgroup /a memory.high");
	near(verdict.slowdown.events, 500, 1e-6);
	high->bytes = 1300000000; /* never reached */
	reach(1e6, 9e5, 1.1e6);
	assert_false(verdict.slowdown.known);
}

/* What is in swap is used as well. */
static void swapped_out(void **state)
{
	(void)state;
	make_events(101, 1e9, 0);
	add_limit(1 * GB, "RAM and swap");
	fake_anchor(&fake, &(struct seep_anchor){ .swap_bytes = 300000000 });
	reach(1e6, 9e5, 1.1e6);
	near(verdict.oom.events, 500, 1e-6);
}

/* Events that take 1 ms and something of lognormal length besides. */
static void make_uneven(size_t n, double spread, struct noise *noise)
{
	size_t e;

	for (e = 0; e < n; e++) {
		fake_begin(&fake, 0, (int64_t)(1e8 + 1e6 * (double)e));
		fake.now_ns += (int64_t)(1e6 * exp(spread * noise_normal(noise)));
	}
}

/* The spread of the time per event is in the interval, even if the rate is exact. */
static void time_per_event(void **state)
{
	struct noise noise = noise_seed(5);

	(void)state;
	make_uneven(60, 1, &noise);
	add_limit(10 * GB, "RAM");
	reach(1e6, 1e6, 1e6);
	assert_true(verdict.oom.low < .9 * verdict.oom.seconds);
	assert_true(verdict.oom.high > 1.1 * verdict.oom.seconds);
	near(verdict.oom.events_low, verdict.oom.events, 1e-6);
}

/*
 * The time that it will take lies in the interval in 95 % of the runs: in 380 of 400, and in less
 * than 356 by chance once in ten millions.
 */
static void interval_holds_the_time(void **state)
{
	size_t seed, held = 0, e;

	(void)state;
	for (seed = 1; seed <= 400; seed++) {
		struct noise noise = noise_seed(seed);
		double mean = 1e-3 + 1e-3 * exp(.5 * .6 * .6), seconds;

		fake_release(&fake);
		fake_init(&fake, false);
		make_uneven(seed % 2 ? 40 : 120, .6, &noise);
		e = fake.run.n_events;
		add_limit((int64_t)(1e8 + 1e6 * (double)(e - 1) + 1e13), "RAM");
		reach(1e6, 1e6, 1e6);
		seconds = 1e7 * mean; /* so many events that their mean is certain */
		held += verdict.oom.low <= seconds && verdict.oom.high >= seconds;
	}
	assert_in_range(held, 356, 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(by_hand, start, tear_down),
		cmocka_unit_test_setup_teardown(what_others_use, start, tear_down),
		cmocka_unit_test_setup_teardown(address_space, start, tear_down),
		cmocka_unit_test_setup_teardown(untouched_memory, start, tear_down),
		cmocka_unit_test_setup_teardown(limits_that_are_met_at_once, start, tear_down),
		cmocka_unit_test_setup_teardown(slowed_down_before, start, tear_down),
		cmocka_unit_test_setup_teardown(swapped_out, start, tear_down),
		cmocka_unit_test_setup_teardown(time_per_event, start, tear_down),
		cmocka_unit_test_setup_teardown(interval_holds_the_time, start, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
