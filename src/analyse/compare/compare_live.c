/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/compare/compare_live.h"

#include "analyse/series/rate.h"
#include "analyse/threshold/thresholds.h"
#include "base/table.h"
#include "base/words.h"

#include <math.h>

/* The site's level in the last dump of another profiler. */
static void read_level(struct seep_compare_live *live, const struct seep_run *run,
		       const struct seep_site *site)
{
	const struct seep_level *last = site->n_levels ? &site->levels[site->n_levels - 1] : NULL;

	if (!last || last->dump + 1 != run->n_dumps)
		return;
	live->bytes = last->bytes;
	live->blocks = last->blocks;
	live->variance = last->error_bytes * last->error_bytes;
}

static void read_cohorts(struct seep_compare_live *live, const struct seep_site *site)
{
	const struct seep_cohorts *cohorts = &site->cohorts;

	live->bytes = (double)cohorts->early_bytes;
	live->blocks = (double)cohorts->early_blocks;
	for (size_t i = 0; i < cohorts->n_bins; i++) {
		live->bytes += (double)cohorts->live_bytes[i];
		live->blocks += (double)cohorts->live_blocks[i];
		if (cohorts->variance)
			live->variance += cohorts->variance[i];
	}
}

struct seep_compare_live *seep_compare_live_read(const struct seep_run *run,
						 struct seep_arena *arena)
{
	struct seep_compare_live *lives = seep_arena_array(arena, run->n_sites, sizeof(*lives));

	for (size_t i = 0; i < run->n_sites; i++) {
		if (run->sites[i].kind != SEEP_MEMORY_HEAP)
			continue;
		if (run->n_dumps)
			read_level(&lives[i], run, &run->sites[i]);
		else
			read_cohorts(&lives[i], &run->sites[i]);
	}
	return lives;
}

static uint32_t number_of(struct seep_words *words, const struct seep_stack *stack)
{
	bool is_new;

	return seep_words_put(words, stack->n_pcs ? (const void *)stack->pcs : "",
			      stack->n_pcs * sizeof(*stack->pcs), &is_new);
}

static void settle(struct seep_compare_live *live)
{
	live->settled_bytes = live->bytes;
	live->settled_variance = live->variance;
}

void seep_compare_live_settle(const struct seep_run *const *runs,
			      struct seep_compare_live *const *lives,
			      struct seep_arena *arena)
{
	struct seep_table places = SEEP_TABLE(arena, size_t);
	struct seep_words words;

	seep_words_init(&words, arena);
	for (size_t i = 0; i < runs[0]->n_sites; i++)
		*(size_t *)seep_table_at(&places, number_of(&words, &runs[0]->sites[i].stack)) =
			i + 1;
	for (size_t i = 0; i < runs[1]->n_sites; i++) {
		size_t place = *(size_t *)seep_table_at(&places,
							number_of(&words,
								  &runs[1]->sites[i].stack));
		struct seep_compare_live *before = place ? &lives[0][place - 1] : NULL;
		struct seep_compare_live *after = &lives[1][i];

		if (!before || !(fabs(before->bytes - after->bytes) < .5) ||
		    !(fabs(before->blocks - after->blocks) < .5))
			continue;
		settle(before);
		settle(after);
	}
}

void seep_compare_live_add(struct seep_compare_live *sum, const struct seep_compare_live *more)
{
	sum->bytes += more->bytes;
	sum->blocks += more->blocks;
	sum->variance += more->variance;
	sum->settled_bytes += more->settled_bytes;
	sum->settled_variance += more->settled_variance;
}

static struct seep_estimate bound(double bytes, double variance, double unseen)
{
	struct seep_estimate e = { true, bytes, bytes, bytes };

	if (variance > 0 && bytes > 0)
		seep_rate_bound_count(bytes, bytes * bytes / variance, &e.low, &e.high);
	else if (!(bytes > 0))
		e.high = unseen;
	return e;
}

/* The estimate for the part that is not settled; if all of it is settled, there is no error. */
static struct seep_estimate bound_moving(const struct seep_compare_live *live, double mean)
{
	return bound(fmax(live->bytes - live->settled_bytes, 0),
		     fmax(live->variance - live->settled_variance, 0),
		     live->settled_bytes > 0 ? 0 : COMPARE_UNSEEN * mean);
}

struct seep_compare_pair seep_compare_live_compare(const struct seep_compare_live_pair *live,
						   const double *means)
{
	struct seep_estimate before = bound_moving(&live->side[0], means[0]);
	struct seep_estimate after = bound_moving(&live->side[1], means[1]);
	struct seep_compare_pair pair = seep_compare_pair(&before, &after);

	pair.before = bound(live->side[0].bytes, live->side[0].variance, COMPARE_UNSEEN * means[0]);
	pair.after = bound(live->side[1].bytes, live->side[1].variance, COMPARE_UNSEEN * means[1]);
	return pair;
}

static double moving_variance(const struct seep_compare_live *live)
{
	return fmax(live->variance - live->settled_variance, 0);
}

bool seep_compare_live_may_differ(const struct seep_compare_live_pair *live, double stretch)
{
	double difference = live->side[1].bytes - live->side[0].bytes;
	double variance = fabs(moving_variance(&live->side[1]) - moving_variance(&live->side[0]));

	return fabs(difference) > INTERVAL_SIGMAS * stretch * sqrt(variance) &&
	       fabs(difference) >= .5;
}
