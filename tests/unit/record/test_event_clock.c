/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event clock of the recorder: ages of blocks, in runs of weeks as well. */
#include "record/event_clock.h"
#include "trace/thinning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define DAY ((uint32_t)24 * 3600 * 100) /* in slices of 10 ms */

struct seep_event_clock seep_event_clock;
struct seep_event_now seep_event_common;
__thread const struct seep_event_now *seep_event_here = &seep_event_common;

/* A block keeps 24 bits, and other things above them. */
static uint32_t kept(void)
{
	return (seep_event_clock_birth() & SEEP_EVENT_CLOCK_BIRTH_MASK) | (uint32_t)1 << 31;
}

static uint32_t slice_at(uint32_t tick, uint32_t *stride)
{
	*stride = seep_thinning_slices(tick - 1, *stride);
	return 1 + ((tick - 1) & ~(*stride - 1));
}

static void ages_of_slices_are_right_for_weeks(void **state)
{
	static const uint32_t days[] = { 0, 1, 2, 7, 40, 100 };
	uint32_t births[6], ticks[6], stride = 1, i, j;

	(void)state;
	seep_event_clock = (struct seep_event_clock){ 0 };
	for (i = 0; i < 6; i++) {
		ticks[i] = slice_at(1 + days[i] * DAY, &stride);
		seep_event_clock_set(ticks[i]);
		births[i] = kept();
		for (j = 0; j <= i; j++) {
			uint32_t age = seep_event_clock_age(births[j], seep_event_clock_event());

			assert_in_range(age + 255, ticks[i] - ticks[j], ticks[i] - ticks[j] + 510);
		}
		assert_int_equal(seep_event_clock_age(births[i], seep_event_clock_event()), 0);
	}
}

/* The two ends of the range of fine numbers. */
static void numbers_become_coarse_without_a_gap(void **state)
{
	uint32_t birth;

	(void)state;
	seep_event_clock = (struct seep_event_clock){ 0 };
	seep_event_clock_set(SEEP_EVENT_CLOCK_FINE - 1);
	birth = kept();
	assert_false(seep_event_clock.coarse);
	seep_event_clock_set(SEEP_EVENT_CLOCK_FINE);
	assert_true(seep_event_clock.coarse);
	assert_int_equal(seep_event_clock_age(birth, seep_event_clock_event()), 1);
	assert_int_equal(seep_event_clock_age(kept(), seep_event_clock_event()), 0);
}

/* They go on from one to the next, and only their last 24 bits count. */
static void ages_of_events_are_modulo_what_a_block_keeps(void **state)
{
	uint32_t birth;

	(void)state;
	seep_event_clock = (struct seep_event_clock){ .own_events = 1 };
	seep_event_clock_set(((uint32_t)1 << 24) - 2);
	birth = kept();
	assert_false(seep_event_clock.coarse);
	seep_event_clock_set(((uint32_t)1 << 24) + 3);
	assert_int_equal(seep_event_clock_age(birth, seep_event_clock_event()), 5);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ages_of_slices_are_right_for_weeks),
		cmocka_unit_test(numbers_become_coarse_without_a_gap),
		cmocka_unit_test(ages_of_events_are_modulo_what_a_block_keeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
