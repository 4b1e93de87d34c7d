/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays that grow: when a reservation is advised, what it saves, and when they are the growth. */
#include "analyse/site/realloc_growth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fake_test.h"
#include "noise.h"

static struct seep_site site;
static struct seep_moves moves;
static struct seep_realloc_growth_advice advice;

static void begin(uint64_t unit)
{
	site = (struct seep_site){ .moves = &moves };
	moves = (struct seep_moves){ .unit_bytes = unit };
}

static struct seep_moves_bin *bin_of(uint64_t bytes)
{
	size_t b = 0;

	while (bytes >> b)
		b++;
	return &moves.bins[b];
}

static void add_growth(uint64_t from, uint64_t to, bool copied)
{
	struct seep_moves_bin *bin = bin_of(to);

	moves.growths++;
	bin->growths++;
	moves.moves += copied;
	bin->moves += copied;
	moves.copied_bytes += copied ? from : 0;
	bin->copied_bytes += copied ? from : 0;
	moves.grown_bytes += to - from;
	if (to > bin->largest_bytes)
		bin->largest_bytes = to;
	if (to > moves.largest_bytes)
		moves.largest_bytes = to;
}

/* An array that doubles from the first size to the last, if it can be where it is. */
static void add_chain(uint64_t first, uint64_t last, bool copied, uint64_t n)
{
	for (; n; n--) {
		uint64_t bytes = first;

		moves.chains++;
		moves.first_bytes += first;
		bin_of(first)->firsts++;
		for (; bytes < last; bytes *= 2) {
			add_growth(bytes, 2 * bytes, copied);
			site.born_bytes += 2 * bytes;
		}
		bin_of(bytes)->finals++;
		bin_of(bytes)->final_bytes += bytes;
		site.died_bytes = site.born_bytes;
	}
}

/* The array doubled with the events, from the first of the last bin on. */
static void add_peaks(uint64_t last, int64_t events)
{
	int64_t i;

	moves.events_per_peak = events / 25;
	moves.n_peaks = 25;
	for (i = 0; i < 25; i++)
		moves.peaks[i] = i & (i - 1) ? 0 : last / 16 * (uint64_t)(i ? i : 1);
	moves.last_event = events * 16 / 25;
}

static void advise(int64_t events)
{
	struct seep_realloc_growth_scale scale = { .events = events, .born_bytes = 1e9 };

	seep_realloc_growth_advise(&advice, &site, scale);
}

/* The first note: an array of 3000 to 4096 items, one per event. */
static void tells_what_the_first_note_needed(void **state)
{
	(void)state;
	begin(96);
	add_chain(96, 4096 * 96, true, 100);
	advise(100);
	assert_true(advice.worth);
	near(advice.reserve_bytes, 4096 * 96, 0);
	near(advice.item_bytes, 96, 0);
	near(advice.covered, 1, 0);
	near(advice.chains_per_event, 1, 0);
	near(advice.moves, 12, 1e-9);
	near(advice.copied_bytes, 4095 * 96, 1e-6);
	near(advice.peak_bytes, 2048 * 96, 1e-6);
}

/* Nine of ten need little: the one that needs more goes on by itself. */
static void reserves_for_most_of_them(void **state)
{
	(void)state;
	begin(64);
	add_chain(64, 65536, true, 90);
	add_chain(64, 1 << 20, true, 10);
	advise(10);
	assert_true(advice.worth);
	near(advice.reserve_bytes, 65536, 0);
	near(advice.covered, .9, 1e-9);
	near(advice.moves, 10, 1e-9);
	near(advice.typical_bytes, 65536, 0);
}

/* Where sizes differ a lot, the same room for all would cost more than it saves. */
static void wastes_no_memory(void **state)
{
	(void)state;
	begin(64);
	add_chain(64, 1024, true, 80);
	add_chain(64, 1 << 20, true, 20);
	advise(1);
	assert_true(advice.worth);
	near(advice.reserve_bytes, 1024, 0);
	begin(64);
	add_chain(64, 128, true, 45);
	add_chain(64, 1 << 20, true, 55);
	advise(1);
	assert_false(advice.worth);
}

static void does_not_speak_of_trifles(void **state)
{
	(void)state;
	begin(8);
	advise(100);
	assert_false(advice.worth); /* nothing grew */
	add_chain(8, 64, true, 100);
	advise(100);
	assert_false(advice.worth); /* 56 bytes per event */
	begin(1000);
	add_chain(100000, 400000, true, 100);
	advise(100);
	assert_false(advice.worth); /* two moves */
	begin(100);
	add_chain(100, 1638400, false, 100);
	advise(100);
	assert_false(advice.worth); /* each one grew where it was */
}

/* A program without events: each time is what counts, if there is much of it. */
static void needs_no_events(void **state)
{
	(void)state;
	begin(96);
	add_chain(96, 4096 * 96, true, 100);
	advise(0);
	assert_true(advice.worth);
	near(advice.chains_per_event, 0, 0);
	near(advice.moves, 12, 1e-9);
	begin(96);
	add_chain(96, 4096 * 96, true, 2);
	advise(0);
	assert_false(advice.worth);
}

static void items_are_told_where_all_begin_with_one(void **state)
{
	(void)state;
	begin(24);
	add_chain(24, 24 << 12, true, 50);
	add_chain(48, 24 << 12, true, 50);
	advise(10);
	assert_true(advice.worth);
	near(advice.item_bytes, 0, 0);
	near(advice.reserve_bytes, 24 << 12, 0);
	begin(32); /* or four items of eight */
	add_chain(32, 32 << 12, true, 50);
	advise(10);
	assert_true(advice.worth);
	near(advice.item_bytes, 0, 0);
}

/* An array that grows for ever has no final size to reserve: it is the growth itself. */
static void an_array_that_grows_for_ever_is_growth(void **state)
{
	(void)state;
	begin(16);
	add_chain(16, 16 << 20, true, 1);
	moves.live_chains = 1;
	moves.live_bytes = 16 << 20;
	add_peaks(16 << 20, 100);
	site.died_bytes = site.born_bytes - moves.live_bytes;
	advise(100);
	assert_true(seep_realloc_growth_is_growth(&site, 100));
	assert_false(advice.worth);
	moves.last_event = 3; /* it was filled at the beginning */
	assert_false(seep_realloc_growth_is_growth(&site, 100));
}

/* One per event, filled and kept: there are more of them, and none is larger. */
static void arrays_that_are_kept_are_not(void **state)
{
	size_t i;

	(void)state;
	begin(16);
	add_chain(16, 1 << 20, true, 100);
	moves.live_chains = 100;
	moves.live_bytes = 100 << 20;
	add_peaks(1 << 20, 100);
	for (i = 0; i < moves.n_peaks; i++)
		moves.peaks[i] = 1 << 20;
	site.died_bytes = site.born_bytes - moves.live_bytes;
	assert_false(seep_realloc_growth_is_growth(&site, 100));
	/* By chance, some are larger than any before. */
	moves.live_bytes = 20 << 20;
	add_peaks(1 << 20, 100);
	site.died_bytes = site.born_bytes - moves.live_bytes;
	assert_false(seep_realloc_growth_is_growth(&site, 100));
}

static void blocks_that_only_add_up_are_not(void **state)
{
	uint64_t born[] = { 4 << 20, 4 << 20 };

	(void)state;
	begin(16);
	add_chain(16, 16 << 20, true, 1);
	moves.live_chains = 1;
	moves.live_bytes = 16 << 20;
	add_peaks(16 << 20, 100);
	site.died_bytes = site.born_bytes - moves.live_bytes - (8 << 20);
	/* A third of what is kept is in blocks that never grew. */
	site.cohorts.n_bins = 2;
	site.cohorts.live_bytes = born;
	assert_false(seep_realloc_growth_is_growth(&site, 100));
	/* ... but where these were there before the events, they are no growth. */
	site.cohorts.early_bytes = 8 << 20;
	born[0] = born[1] = 0;
	assert_true(seep_realloc_growth_is_growth(&site, 100));
	/* Arrays that grow and go are none either. */
	moves.live_chains = moves.live_bytes = 0;
	assert_false(seep_realloc_growth_is_growth(&site, 100));
	site.moves = NULL;
	assert_false(seep_realloc_growth_is_growth(&site, 100));
}

/* How much is in an array after so many events. */
typedef double (*filler)(double bytes, size_t event, size_t n, struct noise *noise);

static double fill_evenly(double bytes, size_t event, size_t n, struct noise *noise)
{
	(void)event;
	(void)n;
	return bytes - 1000 * log(noise_uniform(noise));
}

static double fill_at_first(double bytes, size_t event, size_t n, struct noise *noise)
{
	return 5 * event < 2 * n ? fill_evenly(bytes, event, n, noise) : bytes;
}

/* A buffer for the largest so far. */
static double keep_largest(double bytes, size_t event, size_t n, struct noise *noise)
{
	(void)event;
	(void)n;
	return fmax(bytes, 4000 * exp(noise_normal(noise)));
}

/* A table of keys that are met at random; it has nearly all of them at the end. */
static double meet_keys(double bytes, size_t event, size_t n, struct noise *noise)
{
	static double all;

	if (!event)
		all = 1000 * (.4 + .3 * noise_uniform(noise)) * (double)n;
	return fmax(bytes, all * (1 - exp(-1000 * (double)event / all)));
}

/* An array that doubles when it is full. */
static enum seep_realloc_growth_climb climb(filler fill, size_t n, uint64_t seed,
					    struct seep_estimate *rate)
{
	struct noise noise = noise_seed(seed);
	double bytes = 0, room = 1024;

	begin(8);
	moves.chains = moves.live_chains = 1;
	moves.first_bytes = 1024;
	moves.n_peaks = SEEP_TRACE_PEAK_BINS;
	moves.events_per_peak = 1;
	while ((size_t)moves.events_per_peak * SEEP_TRACE_PEAK_BINS < n)
		moves.events_per_peak *= 2;
	for (size_t event = 0; event < n; event++) {
		bytes = fill(bytes, event, n, &noise);
		if (bytes <= room)
			continue;
		while (room < bytes)
			room *= 2;
		moves.last_event = (int64_t)event;
		moves.peaks[event / (size_t)moves.events_per_peak] = (uint64_t)room;
	}
	moves.live_bytes = moves.largest_bytes = site.born_bytes = (uint64_t)room;
	return seep_realloc_growth_climb(&site, (int64_t)n, (double)n, rate);
}

/* Of 300 runs: how many say so. */
static size_t count_climbs(filler fill, size_t n, enum seep_realloc_growth_climb what)
{
	struct seep_estimate rate;
	size_t sum = 0;

	for (uint64_t seed = 1; seed <= 300; seed++)
		sum += climb(fill, n, seed, &rate) == what;
	return sum;
}

/* Expected: of 300, 230 to 260 that go on, and none of what has stopped or never rose. */
static void tells_arrays_that_fill_from_those_that_do_not(void **state)
{
	static const size_t events[] = { 100, 300, 1000, 5000 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		size_t n = events[i];

		if (n >= 300)
			assert_true(count_climbs(fill_evenly, n, SEEP_CLIMB_GOES_ON) >= 200);
		assert_true(count_climbs(fill_evenly, n, SEEP_CLIMB_STOPS) <= 3);
		assert_true(count_climbs(fill_at_first, n, SEEP_CLIMB_GOES_ON) <= 3);
		assert_true(count_climbs(keep_largest, n, SEEP_CLIMB_GOES_ON) <= 6);
		assert_true(count_climbs(meet_keys, n, SEEP_CLIMB_GOES_ON) <= 15);
	}
}

static void knows_how_fast_an_array_fills(void **state)
{
	struct seep_estimate rate;
	size_t held = 0, n = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		if (climb(fill_evenly, 1000, seed, &rate) < SEEP_CLIMB_MAY_GO_ON)
			continue;
		n++;
		held += rate.low <= 1000 && 1000 <= rate.high;
		assert_true(rate.high < 3 * rate.low);
	}
	assert_true(n >= 280);
	assert_true((double)held >= .9 * (double)n);
}

/* A damaged trace may hold any number. */
static void survives_any_number(void **state)
{
	struct seep_estimate rate;

	(void)state;
	begin(UINT64_MAX);
	memset(&moves, 0xff, sizeof(moves));
	moves.n_peaks = SEEP_TRACE_PEAK_BINS;
	moves.live_chains = 0;
	advise(1);
	advise(0);
	moves.live_chains = UINT64_MAX;
	assert_false(isnan(advice.moves));
	seep_realloc_growth_is_growth(&site, INT64_MAX);
	seep_realloc_growth_climb(&site, INT64_MAX, INFINITY, &rate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_what_the_first_note_needed),
		cmocka_unit_test(reserves_for_most_of_them),
		cmocka_unit_test(wastes_no_memory),
		cmocka_unit_test(does_not_speak_of_trifles),
		cmocka_unit_test(needs_no_events),
		cmocka_unit_test(items_are_told_where_all_begin_with_one),
		cmocka_unit_test(an_array_that_grows_for_ever_is_growth),
		cmocka_unit_test(arrays_that_are_kept_are_not),
		cmocka_unit_test(blocks_that_only_add_up_are_not),
		cmocka_unit_test(tells_arrays_that_fill_from_those_that_do_not),
		cmocka_unit_test(knows_how_fast_an_array_fills),
		cmocka_unit_test(survives_any_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
