/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which events of a long run are written. */
#include "trace/thinning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define WIDER_MAX 40

/* A run whose written events take so many bytes each. */
struct life {
	struct seep_thinning thin;
	uint64_t bytes;
	uint32_t n_wider, wider[WIDER_MAX]; /* where strides became longer */
	uint32_t whole, told;
};

static void pass(struct life *life, uint32_t events, uint32_t event_bytes)
{
	seep_thinning_init(&life->thin);
	for (uint32_t place = 0; place < events; place++) {
		if (seep_thinning_begin(&life->thin, place, life->bytes) &&
		    life->n_wider < WIDER_MAX)
			life->wider[life->n_wider++] = place;
		life->whole += !life->thin.partial;
		life->told += !life->thin.untold;
		life->bytes += life->thin.partial ? 0 : event_bytes;
	}
}

static void strides_double_after_so_many(void **state)
{
	struct life life = { .bytes = 0 };

	(void)state;
	pass(&life, 1 << 16, 100);
	assert_int_equal(life.n_wider, 4);
	assert_int_equal(life.wider[0], 4096);
	assert_int_equal(life.wider[1], 4096 + 2 * 4096);
	assert_int_equal(life.wider[2], 4096 + 2 * 4096 + 4 * 4096);
	assert_int_equal(life.thin.stride, 16);
}

/* 20 kB each: 4 MiB are full after 210 events, but there are 256 strides of each length. */
static void strides_of_large_events_double_sooner(void **state)
{
	struct life life = { .bytes = 0 };

	(void)state;
	pass(&life, 20000, 20000);
	assert_int_equal(life.wider[0], 4096); /* however large, this many are written whole */
	assert_int_equal(life.wider[1], 4096 + 2 * 256);
	assert_int_equal(life.wider[2], 4096 + 2 * 256 + 4 * 256);
	/* 10 kB each need 420 strides for 4 MiB; then the next multiple of 4 */
	life = (struct life){ .bytes = 0 };
	pass(&life, 20000, 10000);
	assert_int_equal(life.wider[0], 4096);
	assert_in_range(life.wider[1], 4096 + 2 * 419, 4096 + 2 * 423);
	assert_int_equal(life.wider[1] % 4, 0);
}

/* A stride begins at a multiple of its length, whatever made the ones before it full. */
static void longer_strides_begin_at_their_multiples(void **state)
{
	(void)state;
	for (uint32_t event_bytes = 9000; event_bytes < 10000; event_bytes += 50) {
		struct life life = { .bytes = 0 };

		pass(&life, 20000, event_bytes);
		assert_in_range(life.n_wider, 3, WIDER_MAX - 1);
		for (uint32_t i = 0; i < life.n_wider; i++)
			assert_int_equal(life.wider[i] % (2u << i), 0);
	}
}

static void each_stride_has_one_whole_event_anywhere_in_it(void **state)
{
	struct seep_thinning thin;
	uint32_t at[8] = { 0 }, whole = 0, anchors = 0;

	(void)state;
	seep_thinning_init(&thin);
	thin.stride = 8;
	for (uint32_t place = 0; place < 8000; place++) {
		seep_thinning_begin(&thin, place, 0);
		if (!thin.partial) {
			at[place % 8]++;
			whole++;
		}
		anchors += place % 8 == 0 && !thin.untold;
		assert_true(thin.partial || !thin.untold);
		if (place % 8 == 7)
			assert_int_equal(whole, place / 8 + 1);
	}
	assert_int_equal(anchors, 1000);
	for (int i = 0; i < 8; i++) /* 125 are expected */
		assert_in_range(at[i], 30, 220);
}

/* The BEGIN stamp of the next event closes a whole one. */
static void a_whole_event_is_closed(void **state)
{
	struct seep_thinning thin;
	bool before = false;

	(void)state;
	seep_thinning_init(&thin);
	thin.stride = 64;
	for (uint32_t place = 0; place < 6400; place++) {
		seep_thinning_begin(&thin, place, 0);
		if (before)
			assert_false(thin.untold);
		else if (thin.partial && place % 64)
			assert_true(thin.untold);
		before = !thin.partial;
	}
}

static void the_trace_grows_with_the_logarithm(void **state)
{
	struct life life = { .bytes = 0 }, longer = { .bytes = 0 };

	(void)state;
	pass(&life, 1 << 20, 100);
	pass(&longer, 1 << 22, 100);
	assert_in_range(longer.whole - life.whole, 4000, 8300); /* two more lengths */
	assert_in_range(longer.told, longer.whole, 3 * longer.whole);
}

static void slices_are_merged(void **state)
{
	(void)state;
	assert_int_equal(seep_thinning_slices(4095, 1), 1);
	assert_int_equal(seep_thinning_slices(4096, 1), 2);
	assert_int_equal(seep_thinning_slices(8191, 2), 2);
	assert_int_equal(seep_thinning_slices(8192, 2), 4);
	assert_int_equal(seep_thinning_slices(0, 4), 4);
	assert_int_equal(seep_thinning_slices((uint64_t)1 << 60, 1), SEEP_THINNING_STRIDE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strides_double_after_so_many),
		cmocka_unit_test(strides_of_large_events_double_sooner),
		cmocka_unit_test(longer_strides_begin_at_their_multiples),
		cmocka_unit_test(each_stride_has_one_whole_event_anywhere_in_it),
		cmocka_unit_test(a_whole_event_is_closed),
		cmocka_unit_test(the_trace_grows_with_the_logarithm),
		cmocka_unit_test(slices_are_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
