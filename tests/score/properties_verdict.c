/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One verdict by itself: its numbers agree with each other and with the trace. */
#include "properties.h"

#include "analyse/series/series.h"
#include "analyse/verdict/rules.h"

#include <inttypes.h>

#define ROUNDING 1e-9
#define NEARLY .1 /* the term and the rate are estimated from different values */

static void check_interval(struct finding *finding, const char *what,
			   const struct seep_estimate *estimate)
{
	/* A number that is not one fails these, too. */
	if (!estimate->known ||
	    (estimate->low <= estimate->value && estimate->value <= estimate->high))
		return;
	finding_add(finding, INTERVALS, "%s: %g is not in [%g, %g]", what, estimate->value,
		    estimate->low, estimate->high);
}

static void check_intervals(struct finding *finding, const struct seep_verdict *verdict)
{
	size_t i;

	check_interval(finding, "rate", &verdict->bytes_per_event);
	for (i = 0; i < verdict->n_phases; i++) {
		check_interval(finding, "phase", &verdict->phases[i].bytes_per_event);
		if (verdict->phases[i].group_n)
			check_interval(finding, "group of phases",
				       &verdict->phases[i].group_bytes_per_event);
	}
	for (i = 0; i < verdict->n_sites; i++) {
		check_interval(finding, "site", &verdict->sites[i].bytes_per_event);
		check_interval(finding, "part kept", &verdict->sites[i].kept);
	}
	for (i = 0; i < verdict->n_drivers; i++) {
		check_interval(finding, "driver", &verdict->drivers[i].bytes_per_unit);
		if (verdict->drivers[i].combined)
			check_interval(finding, "second driver",
				       &verdict->drivers[i].second_bytes_per_unit);
	}
}

static void check_sum(struct finding *finding, const struct seep_closing_sum *sum)
{
	double all = sum->heap_live + sum->allocator_slack + sum->non_heap + sum->tracker +
		     sum->residual;
	double scale = fabs(sum->heap_live) + fabs(sum->allocator_slack) + fabs(sum->non_heap) +
		       fabs(sum->tracker) + fabs(sum->residual) + fabs(sum->rss);

	if (sum->known && !(fabs(all - sum->rss) <= ROUNDING * scale))
		finding_add(finding, SUM_CLOSES, "terms add up to %g, RSS grows by %g", all,
			    sum->rss);
}

/* The heap's term of the closing sum matches the headline's rate, or is marked as a mean. */
static void check_headline(struct finding *finding, const struct seep_verdict *verdict)
{
	const struct seep_estimate *e = &verdict->bytes_per_event;
	const struct seep_closing_sum *sum = &verdict->sum;
	double term = verdict->from_heap ? sum->heap_live : sum->rss;
	double slack = NEARLY * fabs(term);

	if (e->known && sum->clear && !sum->mean &&
	    !(term >= e->low - slack && term <= e->high + slack))
		finding_add(finding, SUM_AGREES_WITH_RATE, "%g in the sum, [%g, %g] as the rate",
			    term, e->low, e->high);
	if (verdict->since_event < verdict->warmup_events)
		finding_add(finding, EVENTS, "the rate begins in the warm-up, at event %" PRId64,
			    verdict->since_event);
}

static void check_phases(struct finding *finding, const struct seep_verdict *verdict)
{
	double all = 0, gross = 0;
	size_t i;

	for (i = 0; i < verdict->n_phases; i++) {
		all += verdict->phases[i].share;
		gross += fabs(verdict->phases[i].share);
	}
	if (gross != 0 && !(fabs(all - 1) <= ROUNDING * (1 + gross)))
		finding_add(finding, PHASE_SHARES, "they add up to %.12g", all);
}

/* Those of the heap and those outside it are shares of different things. */
static void check_shares(struct finding *finding, const struct seep_verdict *verdict)
{
	double heap = 0, outside = 0;
	size_t i;

	for (i = 0; i < verdict->n_sites; i++) {
		const struct seep_site_result *result = &verdict->sites[i];

		if (!seep_site_result_grows(result))
			continue;
		if (!(result->share <= 1 + ROUNDING))
			finding_add(finding, SITE_SHARE, "%.12g, site %u", result->share,
				    result->site->id);
		*(result->site->kind == SEEP_MEMORY_HEAP ? &heap : &outside) += result->share;
	}
	if (!(heap <= 1 + ROUNDING) || !(outside <= 1 + ROUNDING))
		finding_add(finding, SITE_SHARES, "%.12g of the heap, %.12g outside", heap,
			    outside);
}

/* --- bounds */

/* What the series rose by from the end of the warm-up on, and over how many events. */
static bool find_rise(const struct seep_verdict *verdict, const struct seep_series *series,
		      double *bytes, double *events)
{
	size_t first = 0, last = series->n - 1;

	while (first < series->n && series->index[first] < (double)verdict->warmup_events)
		first++;
	if (!series->n || first >= last)
		return false;
	*bytes = series->values[last] - series->values[first];
	*events = series->index[last] - series->index[first];
	return true;
}

/*
 * The page says by how much memory rose, where it does, and how fast it still grows at the end.
 * Both together hold what the trace shows.
 */
static void check_bounds(struct finding *finding, const struct seep_verdict *verdict,
			 const struct seep_run *run)
{
	const struct seep_estimate *rate = &verdict->bytes_per_event;
	bool flat = verdict->kind == SEEP_KIND_FLAT;
	double rose = flat ? 0 : verdict->rise_bytes;
	struct seep_series series;
	struct seep_arena arena;
	double bytes, events;

	if (!flat && (verdict->reason != SEEP_REASON_TOTAL ||
		      (verdict->kind != SEEP_KIND_SATURATING && verdict->kind != SEEP_KIND_STEP &&
		       verdict->kind != SEEP_KIND_CACHE)))
		return;
	seep_arena_init(&arena);
	seep_series_build(&series, run, verdict->from_heap ? SEEP_SERIES_HEAP : SEEP_SERIES_RSS,
			  &arena);
	if (find_rise(verdict, &series, &bytes, &events)) {
		if (rate->known && !(bytes <= rose + rate->high * events * (1 + ROUNDING)))
			finding_add(finding, flat ? FLAT_BOUND : TOTAL_BOUND,
				    "%s %s: %g B and %g B/event are below %g in %g events, %s",
				    seep_verdict_kind_name(verdict->kind),
				    verdict->from_heap ? "heap" : "rss", rose, rate->high, bytes,
				    events, verdict->rule->id);
		if (verdict->kind == SEEP_KIND_SATURATING &&
		    !(verdict->rise_bytes >= bytes * (1 - ROUNDING)))
			finding_add(finding, RISE, "%s: %g B is below %g, %s",
				    verdict->from_heap ? "heap" : "rss", verdict->rise_bytes,
				    bytes, verdict->rule->id);
	}
	seep_arena_release(&arena);
}

static void check_events(struct finding *finding, const struct seep_verdict *verdict,
			 const struct seep_run *run)
{
	int64_t warmup = verdict->warmup_events, used = verdict->events_used;

	if (warmup < 0 || used < 0 || warmup + used != seep_run_end(run))
		finding_add(finding, EVENTS, "%" PRId64 " of warm-up, %" PRId64 " used, %" PRId64
			    " in all", warmup, used, seep_run_end(run));
}

static void check_oom(struct finding *finding, const struct seep_oom *oom, const char *what)
{
	if (oom->known && !(oom->low > 0 && oom->low <= oom->seconds && oom->seconds <= oom->high))
		finding_add(finding, OOM, "%s in %g s [%g, %g]", what, oom->seconds, oom->low,
			    oom->high);
	if (oom->known && !(oom->events_low > 0 && oom->events_low <= oom->events &&
			    oom->events <= oom->events_high))
		finding_add(finding, OOM, "%s in %g events [%g, %g]", what, oom->events,
			    oom->events_low, oom->events_high);
}

void properties_of_verdict(struct finding *finding, const struct seep_verdict *verdict,
			   const struct seep_run *run)
{
	check_intervals(finding, verdict);
	check_sum(finding, &verdict->sum);
	check_headline(finding, verdict);
	check_phases(finding, verdict);
	check_shares(finding, verdict);
	check_bounds(finding, verdict, run);
	check_events(finding, verdict, run);
	check_oom(finding, &verdict->oom, "full");
	check_oom(finding, &verdict->slowdown, "slow");
}
