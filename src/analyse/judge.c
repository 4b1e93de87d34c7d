/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/judge.h"

#include "analyse/cause/driver.h"
#include "analyse/cause/gauges.h"
#include "analyse/cause/phase.h"
#include "analyse/threshold/thresholds.h"
#include "analyse/verdict/conclude.h"
#include "analyse/verdict/evidence.h"
#include "analyse/verdict/oom.h"
#include "analyse/verdict/ranking.h"
#include "analyse/verdict/rules.h"
#include "analyse/words/explain.h"
#include "analyse/words/sentence.h"

#include <math.h>
#include <string.h>

static bool grows(const struct seep_verdict *verdict)
{
	return seep_verdict_kind_grows(verdict->kind) || verdict->reason == SEEP_REASON_NO_SITE;
}

/* Blocks that one phase allocates and a later one frees are no leak, so ask the sites. */
static bool asks_sites(const struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	if (evidence->run->n_dumps)
		return false;
	if (evidence->run->overlapping)
		return true;
	if (verdict->reason == SEEP_REASON_SITES || verdict->reason == SEEP_REASON_GROWN)
		return true;
	if (verdict->kind == SEEP_KIND_NON_HEAP)
		return evidence->n_others;
	return verdict->kind == SEEP_KIND_LEAK && evidence->n_leaks &&
	       evidence->leak_rate.value >= LEAKS_EXPLAIN * verdict->bytes_per_event.value;
}

static void find_phases(struct seep_verdict *verdict, const struct seep_evidence *evidence,
			struct seep_arena *arena)
{
	const struct seep_phase_sites sites = {
		verdict->sites, verdict->n_sites, verdict->kind != SEEP_KIND_NON_HEAP,
	};
	bool shown = true;
	size_t k;

	if (asks_sites(verdict, evidence))
		seep_phase_split_sites(&verdict->phases, &verdict->n_phases, &sites, evidence->run,
				       verdict->basis.series, verdict->basis.rate, arena);
	else
		seep_phase_split(&verdict->phases, &verdict->n_phases, evidence->run,
				 verdict->basis.series, verdict->basis.rate, arena);
	for (k = 0; k < verdict->n_phases; k++) {
		verdict->phases[k].accused &= seep_verdict_kind_grows(verdict->kind) &&
					      !evidence->run->interleaved;
		shown &= grows(verdict) && (seep_verdict_kind_grows(verdict->kind) ||
					    fabs(verdict->phases[k].share) <= 1);
	}
	for (k = 0; k < verdict->n_phases && !shown; k++)
		verdict->phases[k].share = 0; /* a share of nothing, or of noise */
}

/* An allocator keeps memory from early on, and what has settled grew early. */
static bool came_early(enum seep_kind kind)
{
	return kind == SEEP_KIND_RETENTION || kind == SEEP_KIND_FRAGMENTATION ||
	       kind == SEEP_KIND_SATURATING || kind == SEEP_KIND_STEP;
}

static void find_drivers(struct seep_verdict *verdict, const struct seep_evidence *evidence,
			 struct seep_arena *arena)
{
	bool others = verdict->kind == SEEP_KIND_NON_HEAP;
	size_t n = others ? evidence->n_others : evidence->n_leaks;
	struct seep_driver_question question = {
		.run = evidence->run,
		.leaks = others ? evidence->others : evidence->leaks,
		.n_leaks = evidence->run->n_dumps ? 0 : n,
		.series = verdict->basis.series,
		.rate = verdict->basis.rate,
		.from_start = came_early(verdict->kind),
	};

	if (grows(verdict))
		seep_driver_find(&verdict->drivers, &verdict->n_drivers, &question, arena);
}

/* What the allocator holds may have stopped growing. */
static bool goes_on(const struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	if (verdict->kind == SEEP_KIND_RETENTION || verdict->kind == SEEP_KIND_FRAGMENTATION)
		return evidence->rss_trend.course == SEEP_COURSE_GROWS;
	return seep_verdict_kind_grows(verdict->kind);
}

/* A rule of thumb that suggests no more events than there were is wrong: double them. */
static void ask_for_more(struct seep_verdict *verdict, const struct seep_run *run)
{
	double marked = (double)seep_run_marked(run);

	if (verdict->kind == SEEP_KIND_UNDECIDED && verdict->events_needed > 0 &&
	    verdict->events_needed < marked + 1)
		verdict->events_needed = 2 * marked;
}

/*
 * The report must be true of the trace: a flat series did not rise by more than its bound, and one
 * that levelled off did not rise by more than the report says.
 */
static void keep_true(struct seep_verdict *verdict)
{
	const struct seep_series *series = verdict->basis.series;
	const struct seep_rate *rate = verdict->basis.rate;
	struct seep_estimate *e = &verdict->bytes_per_event;
	double rise, events;

	if (rate->n < 2)
		return;
	rise = seep_trend_change(series, rate, &events);
	if (verdict->kind == SEEP_KIND_FLAT && e->known)
		e->high = fmax(e->high, rise / events);
	if (verdict->kind == SEEP_KIND_SATURATING)
		verdict->rise_bytes = fmax(verdict->rise_bytes, rise);
}

static double term_of(const struct seep_verdict *verdict, const struct seep_closing_sum *sum)
{
	return verdict->from_heap ? sum->heap_live : sum->rss;
}

static bool agrees(double term, const struct seep_estimate *e)
{
	double slack = SUM_AGREES * fabs(term);

	return term >= e->low - slack && term <= e->high + slack;
}

/*
 * The sum covers the same events as the rate.  If these have too few anchors, or if the rate is
 * the slope at the end of a curve, the sum is the mean over all events, and the report says so.
 * If the anchors missed what the stamps saw, the sum is not shown.
 */
static void match_sum(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	const struct seep_estimate *e = &verdict->bytes_per_event;
	struct seep_closing_sum since = { 0 };
	double mean = verdict->basis.rate->bytes_per_event.value;

	if (!verdict->sum.known || !e->known || agrees(term_of(verdict, &verdict->sum), e))
		return;
	if (verdict->since_event > verdict->warmup_events)
		seep_sum_close_since(&since, evidence->run, verdict->since_event);
	if (since.known && agrees(term_of(verdict, &since), e)) {
		verdict->sum = since;
		return;
	}
	verdict->sum.mean = true;
	verdict->sum.clear &= verdict->reason != SEEP_REASON_BATCH &&
			      fabs(term_of(verdict, &verdict->sum) - mean) <=
				      SUM_AGREES * fabs(mean);
}

/* RSS decided, and its growth may be in the runtime's own heap. */
static bool may_be_runtime(const struct seep_verdict *verdict,
			   const struct seep_evidence *evidence)
{
	size_t i;

	if (!evidence->runtime->heap || verdict->from_heap ||
	    (verdict->kind != SEEP_KIND_NON_HEAP && verdict->kind != SEEP_KIND_GROWTH &&
	     verdict->kind != SEEP_KIND_SATURATING))
		return false;
	for (i = 0; i < evidence->n_others; i++)
		if (seep_runtime_allocates(evidence->run, evidence->others[i].site))
			return true;
	return !evidence->n_others;
}

/* What the sentence and the headline add. */
static void look_beside(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	const struct seep_rss_question question = {
		.run = evidence->run,
		.rss = &evidence->rss,
		.heap = &evidence->heap,
		.rate = &evidence->rss_rate,
		.sum = &evidence->sum,
	};

	if (verdict->from_heap && !seep_verdict_kind_grows(verdict->kind) &&
	    verdict->kind != SEEP_KIND_UNDECIDED)
		seep_rss_rise_find(&verdict->rss_rise, &question);
	if (may_be_runtime(verdict, evidence))
		verdict->runtime = evidence->runtime;
}

void seep_judge(struct seep_verdict *verdict, const struct seep_run *run,
		const struct seep_judge_options *options, struct seep_arena *arena)
{
	struct seep_evidence *evidence = seep_arena_array(arena, 1, sizeof(*evidence));

	memset(verdict, 0, sizeof(*verdict));
	seep_evidence_gather(evidence, run, options ? options->material_bytes : 0, arena);
	seep_conclude_start(verdict, evidence);
	verdict->rule = seep_rules_find(evidence);
	verdict->reason = verdict->rule->reason;
	verdict->rule->conclude(verdict, evidence);
	keep_true(verdict);
	ask_for_more(verdict, run);
	match_sum(verdict, evidence);
	if (verdict->bytes_per_event.known && verdict->basis.rate->period_s > 0)
		verdict->bytes_per_s =
			verdict->bytes_per_event.value / verdict->basis.rate->period_s;
	seep_ranking_order(verdict, evidence, arena);
	seep_ranking_share(verdict, evidence);
	find_phases(verdict, evidence, arena);
	find_drivers(verdict, evidence, arena);
	if (goes_on(verdict, evidence))
		seep_oom_reach(verdict, evidence, arena);
	look_beside(verdict, evidence);
	seep_gauges_judge(&verdict->gauges, &verdict->n_gauges, run, arena);
	verdict->sentence = seep_sentence_write(verdict, evidence, arena);
	seep_explain(verdict, evidence, arena);
	seep_panda_fit(&verdict->panda, run, arena);
}
