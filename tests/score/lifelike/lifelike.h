/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lifelike set: runs like those of real programs, with what the other sets lack.  There are
 * up to 100,000 sites, time slices with idle time, clean-ups at the end, long start-ups, and
 * interpreters.
 *
 * A scenario says when the blocks of a site are born and when they die.  The live heap, the
 * survivors and RSS follow from that.  A site has arrays of its own only if one of its blocks
 * survives, so a crowd of sites costs little.
 */
#ifndef SEEP_TESTS_SCORE_LIFELIKE_H
#define SEEP_TESTS_SCORE_LIFELIKE_H

#include "score.h"

#define LIFE_NEVER SIZE_MAX      /* the event in which a leaked block is freed */

enum life_program {
	LIFE_SERVER,             /* marks its events */
	LIFE_SLICES,             /* the events are slices of time */
	LIFE_PYTHON,             /* marks its events, and is run by CPython */
	LIFE_PYTHON_SLICES,
};

struct life {
	struct score_case *c;
	struct noise *noise;
	size_t n;                /* events */
	size_t end;              /* the first one of the clean-up; n if there is none */
	double left;             /* part of the heap that the clean-up leaves */
	bool slices, python;
	int64_t per_bin;
	size_t bins;
	double *bytes, *blocks;  /* what each event adds to the live heap */
	double *load;            /* work done in each event, 1 by default; 0: idle */
	double early_bytes, early_blocks;
	double period_s;
	size_t site_room, planted; /* a place in the sites; SIZE_MAX: none */
	uint64_t *none;          /* the bins of all sites without survivors */
	struct seep_stack stacks[4]; /* of CPython */
};

/* lifelike_world.c */
void life_start(struct life *l, struct score_case *c, size_t n, struct noise *noise,
		enum life_program program);
/* The last events are a clean-up.  To be called before the first block. */
void life_clean_up(struct life *l);
size_t life_site(struct life *l);
/* Blocks born in event e, freed in event d. */
void life_blocks(struct life *l, size_t site, double count, double size, size_t e, size_t d);
/* ... born before the first event. */
void life_early(struct life *l, size_t site, double count, double size, size_t d);

void life_is(struct life *l, unsigned int kinds);
void life_leaks(struct life *l, double bytes_per_event, size_t site);

/* lifelike_run.c: fills the case. */
void life_finish(struct life *l);

/* lifelike_crowd.c */
void life_crowd(struct life *l, double low, double high); /* so many sites of no interest */
void life_lingering(struct life *l, double sd); /* blocks that live for some events */
/* One that has many blocks, of which a few live for longer than the run. */
size_t life_long_lived(struct life *l, double survivors, double size);
/* Load that rises and falls, with idle time between. */
void life_draw_load(struct life *l, double idle);

/* lifelike_slices.c: a leak that goes with the load. */
size_t life_leak_requests(struct life *l, double total);

/* lifelike_python.c */
void life_python(struct life *l);
void life_stack(struct life *l, size_t site, size_t which); /* LIFE_BY_* */

enum { LIFE_BY_INTERPRETER, LIFE_BY_EXTENSION, LIFE_BY_COMPILER };

static inline double life_between(struct life *l, double low, double high)
{
	return low + (high - low) * noise_uniform(l->noise);
}

static inline double life_log(struct life *l, double low, double high)
{
	return low * pow(high / low, noise_uniform(l->noise));
}

static inline size_t life_pick(struct life *l, size_t n)
{
	return (size_t)(noise_uniform(l->noise) * (double)n);
}

/* Events or blocks at random, so many in the mean. */
static inline double life_count(struct life *l, double mean)
{
	double k = 0, sum;

	if (mean > 50)
		return fmax(round(mean + sqrt(mean) * noise_normal(l->noise)), 0);
	for (sum = -log(noise_uniform(l->noise)); sum < mean; k++)
		sum -= log(noise_uniform(l->noise));
	return k;
}

/* An age in events, exponential. */
static inline size_t life_age(struct life *l, double mean)
{
	return 1 + (size_t)(-mean * log(noise_uniform(l->noise)));
}

#define IS_LEAK SCORE_KIND(SEEP_KIND_LEAK)
#define IS_FLAT SCORE_KIND(SEEP_KIND_FLAT)
#define IS_STEP SCORE_KIND(SEEP_KIND_STEP)
#define IS_CACHE SCORE_KIND(SEEP_KIND_CACHE)
#define IS_SAWTOOTH SCORE_KIND(SEEP_KIND_SAWTOOTH)
#define IS_SATURATING SCORE_KIND(SEEP_KIND_SATURATING)
#define IS_UNDECIDED SCORE_KIND(SEEP_KIND_UNDECIDED)
#define NOT_LEAK (~IS_LEAK & (SCORE_KIND(SEEP_KIND_UNDECIDED + 1) - 1))

#define LIFE(name) void lifelike_##name(struct score_case *c, size_t n, struct noise *noise)

LIFE(flat_crowd);
LIFE(flat_large_crowd);
LIFE(long_lived);
LIFE(long_lived_many);
LIFE(log_table);
LIFE(log_table_slow);
LIFE(specialised);
LIFE(specialised_on);
LIFE(specialised_traffic);
LIFE(start_up);
LIFE(start_up_slices);
LIFE(clean_up);
LIFE(clean_up_slices);
LIFE(window_level);
LIFE(window_fills);
LIFE(windows_overlap);
LIFE(cache_slows_down);
LIFE(cache_of_words);
LIFE(slices_idle);
LIFE(slices_load_ends);
LIFE(slices_pool);
LIFE(python_flat);
LIFE(python_cycles);
LIFE(python_caches);
LIFE(leak_in_crowd);
LIFE(leak_in_large_crowd);
LIFE(leak_graph);
LIFE(leak_now_and_then);
LIFE(leak_long_lived);
LIFE(leak_slices);
LIFE(leak_slices_idle);
LIFE(leak_slices_small);
LIFE(leak_load_ended);
LIFE(leak_hidden);
LIFE(leak_hidden_large);
LIFE(leak_last_tenth);
LIFE(leak_clean_up);
LIFE(leak_start_up);
LIFE(leak_window);
LIFE(leak_specialised);
LIFE(leak_python);
LIFE(leak_python_slices);

#endif
