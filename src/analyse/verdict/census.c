/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every site is judged by its cohorts; then the whole heap may correct that (doubt.c,
 * containers.c); then the sites of each verdict are counted and added up.
 */
#include "analyse/verdict/census.h"

#include "analyse/site/levels.h"
#include "analyse/site/survival.h"
#include "analyse/threshold/thresholds.h"
#include "analyse/verdict/containers.h"
#include "analyse/verdict/doubt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANK_REST 3
#define PAUSE_PARTS 64 /* of the run, of which a pause is at least one: a cohort */

static int compare(double a, double b)
{
	return a > b ? -1 : a < b;
}

/* By what the sites did; by their numbers only if they did exactly the same. */
static int compare_books(const struct seep_site_result *x, const struct seep_site_result *y)
{
	int order = compare((double)x->live_bytes, (double)y->live_bytes);

	if (!order)
		order = compare((double)x->site->born_bytes, (double)y->site->born_bytes);
	if (!order)
		order = compare((double)x->site->born_blocks, (double)y->site->born_blocks);
	if (!order)
		order = x->site->id < y->site->id ? -1 : x->site->id > y->site->id;
	return order;
}

static int compare_any(const void *a, const void *b)
{
	return compare_books(a, b);
}

static int rank_of(const struct seep_site_result *result)
{
	switch (result->verdict) {
	case SEEP_SITE_LEAK:
		return result->site->kind == SEEP_MEMORY_HEAP ? 0 : 1;
	case SEEP_SITE_REALLOC_GROWTH:
	case SEEP_SITE_BACKLOG:
		return 0;
	case SEEP_SITE_FILLING:
	case SEEP_SITE_DRAINING:
	case SEEP_SITE_SUSPECT:
		return 2;
	case SEEP_SITE_NONE:
		break;
	}
	return RANK_REST;
}

static int compare_for_report(const void *a, const void *b)
{
	const struct seep_site_result *x = a, *y = b;
	int order = rank_of(x) - rank_of(y);

	if (!order && rank_of(x) < RANK_REST)
		order = compare(x->bytes_per_event.value, y->bytes_per_event.value);
	return order ? order : compare_books(x, y);
}

static void count_live(struct seep_site_result *result)
{
	const struct seep_cohorts *c = &result->site->cohorts;
	size_t b;

	result->live_blocks = c->early_blocks;
	result->live_bytes = c->early_bytes;
	for (b = 0; b < c->n_bins; b++) {
		result->live_blocks += c->live_blocks[b];
		result->live_bytes += c->live_bytes[b];
	}
	if (result->live_blocks)
		result->object_bytes = (double)result->live_bytes / (double)result->live_blocks;
}

/* The event of the last restart, if the parts between restarts decide about growth; or 0. */
static int64_t find_restart(const struct seep_evidence *evidence)
{
	const struct seep_series *heap = &evidence->heap;
	size_t i = heap->n;

	if (evidence->heap_trend.told_by != SEEP_TOLD_BY_RESTARTS)
		return 0;
	while (i-- > 0)
		if (heap->restarts[i])
			return (int64_t)heap->index[i];
	return 0;
}

static void fill_survival(struct seep_site_result *result, int64_t complete)
{
	struct seep_survival survival;

	seep_survival_estimate(&survival, result->site, complete);
	result->kept = survival.kept;
	result->kept_age = survival.age;
}

static void judge_site(struct seep_cohort *cohort, const struct seep_site *site,
		       const struct seep_evidence *evidence, bool chosen)
{
	struct seep_arena scratch;

	if (!evidence->run->n_dumps) {
		struct seep_cohort_clock clock = evidence->clock;

		if (site->kind != SEEP_MEMORY_HEAP) { /* a heap at rest says nothing about it */
			clock.begun = clock.snapshot_begun;
			clock.complete = clock.snapshot_complete;
			clock.n_work = 0;
		}
		seep_cohort_judge(cohort, site, clock);
		return;
	}
	if (!chosen) {
		memset(cohort, 0, sizeof(*cohort));
		cohort->verdict = SEEP_SITE_NONE;
		return;
	}
	seep_arena_init(&scratch);
	seep_levels_judge(cohort, site, evidence->run, &scratch);
	seep_arena_release(&scratch);
}

static void list_sites(struct seep_census *census, struct seep_arena *arena)
{
	const struct seep_run *run = census->evidence->run;
	size_t i;

	census->n = run->n_sites;
	census->results = seep_arena_array(arena, census->n, sizeof(*census->results));
	census->cohorts = seep_arena_array(arena, census->n, sizeof(*census->cohorts));
	for (i = 0; i < census->n; i++) {
		census->results[i].site = &run->sites[i];
		count_live(&census->results[i]);
	}
	if (census->n)
		qsort(census->results, census->n, sizeof(*census->results), compare_any);
}

static void judge_sites(struct seep_census *census, struct seep_arena *arena)
{
	const struct seep_evidence *evidence = census->evidence;
	const bool *chosen = seep_levels_choose(evidence->run, arena);
	size_t i;

	for (i = 0; i < census->n; i++) {
		struct seep_site_result *result = &census->results[i];
		struct seep_cohort *cohort = &census->cohorts[i];

		judge_site(cohort, result->site, evidence,
			   !chosen || chosen[result->site - evidence->run->sites]);
		result->verdict = cohort->verdict;
		result->doubt = cohort->doubt;
		result->events_needed = cohort->events_needed;
		result->bytes_per_event = cohort->bytes_per_event;
		result->objects_per_event = cohort->objects_per_event;
		result->mature_age = cohort->mature_age;
		if (!evidence->run->n_dumps)
			fill_survival(result, evidence->clock.complete);
	}
}

/*
 * What one line of a program keeps may be spread over many call sites.  Sites that keep regularly
 * and are small may matter together.
 */
static void add_small_ones(struct seep_census *census)
{
	const struct seep_evidence *evidence = census->evidence;
	double sum = 0;
	size_t i, pass;

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < census->n; i++) {
			struct seep_site_result *result = &census->results[i];
			const struct seep_cohort *cohort = &census->cohorts[i];

			if (result->site->kind != SEEP_MEMORY_HEAP || !cohort->regular ||
			    (!seep_site_result_leaks(result) && result->doubt != SEEP_DOUBT_SMALL))
				continue;
			if (!pass)
				sum += cohort->profile.bytes;
			else if (sum >= evidence->material_bytes)
				result->verdict = SEEP_SITE_LEAK;
		}
}

/* The recent rate counts, as it does for a leak that gets faster. */
static void slow_down(struct seep_estimate *e, const struct seep_estimate *recent)
{
	e->value = recent->value;
	e->low = fmin(e->low, recent->low);
	e->high = fmax(e->high, recent->high);
}

struct filling {
	size_t at;
	double recent;
};

static int faster_first(const void *a, const void *b)
{
	const struct filling *x = a, *y = b;
	int order = compare(x->recent, y->recent);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

static struct filling *list_filling(const struct seep_census *census, size_t *n,
				    struct seep_arena *arena)
{
	struct filling *list = seep_arena_array(arena, census->n, sizeof(*list));
	size_t i;

	*n = 0;
	for (i = 0; i < census->n; i++)
		if (census->results[i].verdict == SEEP_SITE_FILLING &&
		    census->results[i].site->kind == SEEP_MEMORY_HEAP &&
		    census->cohorts[i].still_fills)
			list[(*n)++] = (struct filling){ i, census->cohorts[i].recent.value };
	if (*n)
		qsort(list, *n, sizeof(*list), faster_first);
	return list;
}

/*
 * A site that keeps a little less than before looks as if it were filling up.  It is a leak if the
 * heap goes on growing up to the end, clearly by more than the leaking sites plus half of this one.
 */
static void accuse_filling(struct seep_census *census, struct seep_arena *arena)
{
	const struct seep_evidence *evidence = census->evidence;
	const struct seep_trend *heap = &evidence->heap_trend;
	struct filling *list;
	double high = 0;
	size_t i, n;

	for (i = 0; i < census->n; i++)
		if (seep_site_result_leaks(&census->results[i]))
			high += census->results[i].bytes_per_event.high;
	if (!(high > 0) || evidence->run->n_dumps || heap->course != SEEP_COURSE_GROWS)
		return;
	list = list_filling(census, &n, arena);
	for (i = 0; i < n; i++) {
		struct seep_site_result *result = &census->results[list[i].at];

		if (heap->bytes_per_event.low <= high + FILLING_LEAKS * list[i].recent)
			continue;
		result->verdict = SEEP_SITE_LEAK;
		slow_down(&result->bytes_per_event, &census->cohorts[list[i].at].recent);
		high += result->bytes_per_event.high;
	}
}

/* Outside the heap. */
static void add_other(struct seep_evidence *evidence, const struct seep_site_result *result,
		      const struct seep_cohort *cohort)
{
	if (result->verdict != SEEP_SITE_LEAK)
		return;
	evidence->others[evidence->n_others++] =
		(struct seep_driver_leak){ result->site, cohort->first, cohort->end };
	seep_evidence_add_rate(&evidence->others_rate, &result->bytes_per_event);
	evidence->others_died += result->site->died_blocks;
}

static void add_leak(struct seep_evidence *evidence, const struct seep_site_result *result,
		     const struct seep_cohort *cohort)
{
	evidence->leaks[evidence->n_leaks++] =
		(struct seep_driver_leak){ result->site, cohort->first, cohort->end };
	seep_evidence_add_rate(&evidence->leak_rate, &result->bytes_per_event);
	evidence->late_leaks += cohort->late;
	evidence->sure_leaks += !evidence->slices && !result->site->died_blocks &&
				cohort->profile.coverage >= EVERY_EVENT &&
				cohort->profile.events >= SURE_EVENTS;
	evidence->mature += cohort->mature;
	evidence->surviving += cohort->surviving;
	evidence->leak_born += result->site->born_blocks;
	evidence->leak_died += result->site->died_blocks;
}

static void add_filling(struct seep_evidence *evidence, const struct seep_cohort *cohort)
{
	evidence->filling++;
	evidence->filling_bytes += cohort->kept_bytes;
	if (cohort->still_fills)
		evidence->still_filling_bytes += cohort->kept_bytes;
	seep_evidence_add_rate(&evidence->filling_rate, &cohort->recent);
}

/* The sum of many rates, each poorly known: their errors add up as squares. */
static void add_clean(struct seep_evidence *evidence, const struct seep_estimate *rate)
{
	struct seep_estimate *kept = &evidence->kept;
	double error = kept->high - kept->value, more = rate->high - rate->value;

	kept->value += rate->value;
	kept->high = kept->value + sqrt(error * error + more * more);
}

/* Notes how many events would settle the open sites. */
static void ask_for_more(struct seep_evidence *evidence, double needed)
{
	evidence->sites_needed = fmax(evidence->sites_needed, needed);
}

static void add_site(struct seep_evidence *evidence, const struct seep_site_result *result,
		     const struct seep_cohort *cohort)
{
	double doubled = 2 * (double)evidence->clock.complete;

	if (cohort->evicts && result->verdict != SEEP_SITE_LEAK)
		evidence->evicting_bytes += cohort->event_bytes;
	switch (result->verdict) {
	case SEEP_SITE_LEAK:
		add_leak(evidence, result, cohort);
		break;
	case SEEP_SITE_FILLING:
		add_filling(evidence, cohort);
		ask_for_more(evidence, doubled); /* it must be seen to stop */
		break;
	case SEEP_SITE_DRAINING:
		evidence->draining++;
		ask_for_more(evidence, doubled);
		break;
	case SEEP_SITE_SUSPECT:
		evidence->suspects++;
		evidence->suspect_bytes += cohort->event_bytes;
		if (cohort->profile.bytes >= evidence->material_bytes ||
		    evidence->run->sampling.mean_bytes)
			evidence->open_bytes += cohort->event_bytes;
		ask_for_more(evidence, result->events_needed);
		break;
	case SEEP_SITE_REALLOC_GROWTH:
	case SEEP_SITE_BACKLOG:
		break;
	case SEEP_SITE_NONE:
		if (!cohort->immature) {
			add_clean(evidence, &result->bytes_per_event);
		} else {
			evidence->open_bytes += cohort->event_bytes;
			evidence->young_bytes += cohort->event_bytes;
			evidence->immature += result->live_blocks > 0;
			if (result->live_blocks)
				ask_for_more(evidence, cohort->events_needed);
		}
	}
}

/* The rate holds from the event in which the last of its sites began. */
static void find_since(struct seep_census *census)
{
	struct seep_evidence *evidence = census->evidence;
	size_t i;

	for (i = 0; i < census->n; i++)
		if (seep_site_result_leaks(&census->results[i]) &&
		    census->results[i].bytes_per_event.value >
			    WINDOW_TOLD * evidence->leak_rate.value &&
		    census->cohorts[i].first > evidence->leaks_since)
			evidence->leaks_since = census->cohorts[i].first;
}

static void add_up(struct seep_census *census, struct seep_arena *arena)
{
	struct seep_evidence *evidence = census->evidence;
	size_t i;

	evidence->leaks = seep_arena_array(arena, census->n, sizeof(*evidence->leaks));
	evidence->others = seep_arena_array(arena, census->n, sizeof(*evidence->others));
	for (i = 0; i < census->n; i++)
		evidence->keeping += census->results[i].verdict != SEEP_SITE_NONE &&
				     census->results[i].verdict != SEEP_SITE_DRAINING;
	for (i = 0; i < census->n; i++)
		if (census->results[i].site->kind == SEEP_MEMORY_HEAP)
			add_site(evidence, &census->results[i], &census->cohorts[i]);
		else
			add_other(evidence, &census->results[i], &census->cohorts[i]);
	find_since(census);
}

/*
 * While the live heap does not change, the program either pauses or works without keeping anything;
 * the two look the same.  But if that happens several times and the heap changes again after each,
 * work comes in bursts, and only their time counts.
 */
static void measure_work(struct seep_cohort_clock *clock, const struct seep_series *heap,
			 struct seep_arena *arena)
{
	double *work = seep_arena_array(arena, heap->n, sizeof(*work));
	size_t i, rest = 0, pauses = 0;

	for (i = 1; i < heap->n; i++) {
		bool changed = fabs(heap->values[i] - heap->values[i - 1]) > 0;

		work[i] = work[i - 1] + (changed ? heap->index[i] - heap->index[i - 1] : 0);
		pauses += changed && rest * PAUSE_PARTS > heap->n;
		rest = changed ? 0 : rest + 1;
	}
	if (pauses < PAUSES_ENOUGH)
		return;
	clock->index = heap->index;
	clock->work = work;
	clock->n_work = heap->n;
}

void seep_census_take(struct seep_evidence *evidence, struct seep_arena *arena)
{
	struct seep_census census = { .evidence = evidence };

	evidence->clock = seep_cohort_read_clock(evidence->run);
	evidence->clock.restart = find_restart(evidence);
	evidence->clock.slices = evidence->slices;
	evidence->clock.material_bytes = evidence->material_bytes;
	if (evidence->slices && evidence->heap.n)
		measure_work(&evidence->clock, &evidence->heap, arena);
	list_sites(&census, arena);
	judge_sites(&census, arena);
	add_small_ones(&census);
	seep_doubt_raise(&census);
	seep_containers_find(&census);
	accuse_filling(&census, arena);
	add_up(&census, arena);
	seep_containers_settle(&census);
	if (census.n)
		qsort(census.results, census.n, sizeof(*census.results), compare_for_report);
	evidence->sites = census.results;
}
