/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the sites of two runs, by rates and by live memory. */
#include "analyse/compare/compare_sides.h"

#include "analyse/gate/budget.h"
#include "analyse/threshold/thresholds.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

double seep_compare_stretch(size_t n)
{
	return n > 1 ? gsl_cdf_ugaussian_Qinv(INTERVAL_TAIL / (double)n) / INTERVAL_SIGMAS : 1;
}

enum seep_compare_change seep_compare_tell(const struct seep_estimate *difference, double stretch)
{
	double value = difference->value;

	if (!difference->known)
		return SEEP_CHANGE_PERHAPS;
	if (value > 0 && value - stretch * (value - difference->low) > 0)
		return SEEP_CHANGE_MORE;
	if (value < 0 && value + stretch * (difference->high - value) < 0)
		return SEEP_CHANGE_LESS;
	return SEEP_CHANGE_SAME;
}

static int compare_sizes(const void *a, const void *b)
{
	const struct seep_compare_site *x = a, *y = b;
	double one = fabs(x->bytes.difference.value), two = fabs(y->bytes.difference.value);

	if (fabs(one - two) > 0)
		return one > two ? -1 : 1;
	one = fmax(x->bytes.before.value, x->bytes.after.value);
	two = fmax(y->bytes.before.value, y->bytes.after.value);
	if (fabs(one - two) > 0)
		return one > two ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

void seep_compare_sort(struct seep_compare_site *sites, size_t n)
{
	if (n)
		qsort(sites, n, sizeof(*sites), compare_sizes);
}

static void warn_of_lost(struct seep_compare *compare, const struct seep_compare_matches *matches,
			 struct seep_arena *arena)
{
	if (matches->lost)
		seep_compare_note(compare, "one of the programs has no function names here, so "
				  "some sites may only seem new or gone: it is stripped, or it was "
				  "rebuilt or removed after its run; keep a copy of each program "
				  "under its own name", arena);
}

/* Sets the stack and rank that the reader will see. */
static void show_match(struct seep_compare_site *site, const struct seep_compare_match *match,
		       const struct seep_compare_side *sides)
{
	int side = match->n[1] > 0;
	const struct seep_site_result *first = match->results[side][0];

	for (size_t i = 1; i < match->n[side]; i++)
		if (match->results[side][i] < first)
			first = match->results[side][i];
	site->stack = &first->site->stack;
	site->kind = first->site->kind;
	site->rank = (size_t)(first - sides[side].verdict->sites) + 1;
	site->n_before = match->n[0];
	site->n_after = match->n[1];
	for (int s = 0; s < 2; s++) {
		site->results[s] = match->results[s];
		site->n[s] = match->n[s];
	}
}

/* The sum of what the sites of one side keep, and the number of sites that grow. */
struct sum {
	struct seep_estimate rate;
	size_t growing;
	bool open;               /* for at least one site, it is undecided whether it grows */
	double blocks;
};

/* A site that is not in the run kept nothing; in a sampled run, it may have kept a little. */
static struct seep_estimate unseen(const struct seep_run *run, uint32_t kind)
{
	struct seep_estimate none = { .known = true };
	double events = (double)seep_run_marked(run);

	if (run->sampling.mean_bytes && kind == SEEP_MEMORY_HEAP && events > 0)
		none.high = COMPARE_UNSEEN * (double)run->sampling.mean_bytes / events;
	return none;
}

static struct sum add_up(const struct seep_compare_match *match, int side,
			 const struct seep_run *run, uint32_t kind, double scale)
{
	struct sum sum = { .rate = { .known = true } };

	if (!match->n[side])
		sum.rate = unseen(run, kind);
	for (size_t i = 0; i < match->n[side]; i++) {
		const struct seep_site_result *result = match->results[side][i];

		sum.blocks += (double)result->live_blocks;
		sum.growing += seep_site_result_grows(result);
		sum.open = sum.open || result->verdict == SEEP_SITE_SUSPECT;
		if (result->bytes_per_event.known)
			sum.rate = seep_budget_add(&sum.rate, &result->bytes_per_event);
		else if (result->live_blocks)
			sum.rate.known = false;
	}
	sum.rate = seep_budget_scaled(&sum.rate, scale);
	return sum;
}

/* A site that grows on one side only counts as new or gone only if the difference matters. */
static enum seep_compare_change tell_rate(const struct seep_compare_site *site,
					  const struct sum *sums, double stretch)
{
	enum seep_compare_change change = seep_compare_tell(&site->bytes.difference, stretch);

	if (sums[0].growing && sums[1].growing)
		return change;
	if (change == SEEP_CHANGE_MORE && sums[1].growing)
		return sums[0].open ? change : SEEP_CHANGE_NEW;
	if (change == SEEP_CHANGE_LESS && sums[0].growing)
		return sums[1].open ? change : SEEP_CHANGE_GONE;
	return SEEP_CHANGE_PERHAPS;
}

static bool grows(const struct seep_compare_match *match)
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < match->n[s]; i++)
			if (seep_site_result_grows(match->results[s][i]))
				return true;
	return false;
}

void seep_compare_site_rates(struct seep_compare *compare, const struct seep_compare_side *sides,
			     const double *scales, struct seep_arena *arena)
{
	struct seep_compare_matches matches;
	struct sum sums[2];
	size_t n = 0, i;
	double stretch;

	seep_compare_match(&matches, sides, arena);
	for (i = 0; i < matches.n; i++)
		n += grows(&matches.items[i]);
	stretch = seep_compare_stretch(n);
	compare->sites = seep_arena_array(arena, n, sizeof(*compare->sites));
	for (i = 0; i < matches.n; i++) {
		const struct seep_compare_match *match = &matches.items[i];
		struct seep_compare_site *site = &compare->sites[compare->n_sites];

		if (!grows(match))
			continue;
		compare->n_sites++;
		show_match(site, match, sides);
		for (int s = 0; s < 2; s++)
			sums[s] = add_up(match, s, sides[s].run, site->kind, scales[s]);
		site->bytes = seep_compare_pair(&sums[0].rate, &sums[1].rate);
		site->blocks_before = sums[0].blocks;
		site->blocks_after = sums[1].blocks;
		site->n_before = sums[0].growing;
		site->n_after = sums[1].growing;
		site->change = match->lost ? SEEP_CHANGE_PERHAPS : tell_rate(site, sums, stretch);
	}
	warn_of_lost(compare, &matches, arena);
	seep_compare_sort(compare->sites, compare->n_sites);
	seep_compare_moved(compare, &matches.names, stretch, arena);
}

static enum seep_compare_change tell_level(const struct seep_compare_live_pair *live,
					   const struct seep_compare_pair *pair, double stretch)
{
	enum seep_compare_change change = seep_compare_tell(&pair->difference, stretch);

	if (change == SEEP_CHANGE_SAME && seep_compare_live_may_differ(live, stretch))
		return SEEP_CHANGE_PERHAPS;
	if (change == SEEP_CHANGE_MORE && !(live->side[0].bytes > 0))
		return SEEP_CHANGE_NEW;
	if (change == SEEP_CHANGE_LESS && !(live->side[1].bytes > 0))
		return SEEP_CHANGE_GONE;
	return change;
}

static struct seep_compare_live_pair add_levels(const struct seep_compare_match *match,
						const struct seep_compare_side *sides,
						struct seep_compare_live *const *lives)
{
	struct seep_compare_live_pair live = { 0 };

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < match->n[s]; i++)
			seep_compare_live_add(&live.side[s],
				      &lives[s][match->results[s][i]->site - sides[s].run->sites]);
	return live;
}

/* Adds one site; false if none of its blocks is alive in either run. */
static bool compare_level(struct seep_compare *compare, const struct seep_compare_match *match,
			  const struct seep_compare_live_pair *live,
			  const struct seep_compare_side *sides, double stretch)
{
	double means[] = { (double)sides[0].run->sampling.mean_bytes,
			   (double)sides[1].run->sampling.mean_bytes };
	struct seep_compare_site *site = &compare->sites[compare->n_sites];

	if (!(live->side[0].bytes > 0) && !(live->side[1].bytes > 0))
		return false;
	compare->n_sites++;
	show_match(site, match, sides);
	site->bytes = seep_compare_live_compare(live, means);
	site->blocks_before = live->side[0].blocks;
	site->blocks_after = live->side[1].blocks;
	site->change = match->lost ? SEEP_CHANGE_PERHAPS : tell_level(live, &site->bytes, stretch);
	return true;
}

void seep_compare_site_levels(struct seep_compare *compare, const struct seep_compare_side *sides,
			      struct seep_arena *arena)
{
	const struct seep_run *runs[] = { sides[0].run, sides[1].run };
	double means[] = { (double)runs[0]->sampling.mean_bytes,
			   (double)runs[1]->sampling.mean_bytes };
	struct seep_compare_live *lives[2];
	struct seep_compare_live_pair total = { 0 };
	struct seep_compare_matches matches;
	double stretch;

	for (int s = 0; s < 2; s++)
		lives[s] = seep_compare_live_read(runs[s], arena);
	seep_compare_live_settle(runs, lives, arena);
	seep_compare_match(&matches, sides, arena);
	stretch = seep_compare_stretch(matches.n);
	compare->sites = seep_arena_array(arena, matches.n, sizeof(*compare->sites));
	for (size_t i = 0; i < matches.n; i++) {
		struct seep_compare_live_pair live = add_levels(&matches.items[i], sides, lives);

		if (!compare_level(compare, &matches.items[i], &live, sides, stretch))
			continue;
		for (int s = 0; s < 2; s++)
			seep_compare_live_add(&total.side[s], &live.side[s]);
	}
	warn_of_lost(compare, &matches, arena);
	compare->bytes = seep_compare_live_compare(&total, means);
	compare->blocks_before = total.side[0].blocks;
	compare->blocks_after = total.side[1].blocks;
	seep_compare_sort(compare->sites, compare->n_sites);
}
