/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order of the questions:
 *
 *   enough events?               no  -> undecided
 *   heap data:  does what is kept outside the heap grow?
 *                                yes -> non-heap
 *               leaking sites, a queue or single blocks that grow?
 *                                yes -> leak, by the total if it agrees with them
 *               total grows?     yes -> cache if its sites fill ever slower, else undecided
 *               memory in no live block grows?
 *                                yes -> retention, fragmentation or non-heap
 *               else by the shape of the total: saturating or cache, step, sawtooth, flat
 *               too noisy?       yes -> flat if nearly all that was allocated died
 *   RSS alone:  by its shape: growth (never "leak"), saturating, step, sawtooth, flat
 *   else                             -> undecided, with the events it would take
 *
 * "No evidence" is never sold as "no leak": flat comes with its bound.
 */
#include "analyse/verdict/verdict.h"

#include "analyse/cause/driver.h"
#include "analyse/verdict/evidence.h"
#include "analyse/words/explain.h"
#include "analyse/verdict/limit.h"
#include "analyse/cause/phase.h"
#include "analyse/verdict/ranking.h"
#include "analyse/words/sentence.h"
#include "analyse/cause/sum.h"

#include <math.h>
#include <string.h>

#define CONFIDENCE .95
#define EVENTS_FOR_RATE 5
#define EVENTS_FOR_SITES 8       /* warm-up 1, maturity 2, and five cohorts to look at */
#define EXPLAINED .5             /* part of the growth of RSS that others must account for */
#define BESIDES .1               /* part of that which the heap may keep without being the cause */
#define OUTWEIGHS 2              /* what is outside matters more than what the heap did */
#define CERTAIN .001             /* probability of no growth below which it cannot be called flat */
#define FAR_MORE 8               /* times what leaks, that is kept outside of blocks */
#define EVENTS_ALONE 10          /* below it sites must agree with the total, RSS says nothing */

static enum seep_reason undecided(struct seep_verdict *verdict, enum seep_reason reason,
				  double events_needed)
{
	verdict->kind = SEEP_KIND_UNDECIDED;
	verdict->events_needed = events_needed;
	return reason;
}

static void fill_rate(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	const struct seep_rate *rate = evidence->rate;

	verdict->from_heap = evidence->from_heap;
	verdict->confidence = CONFIDENCE;
	verdict->bytes_per_event = rate->bytes_per_event;
	verdict->floor_bytes_per_event = rate->floor;
	verdict->events_used = (int64_t)rate->n;
	if (!rate->n)
		return;
	verdict->warmup_events = (int64_t)evidence->series->index[rate->first];
	if (rate->stride > 1) /* what happened between the anchors is in their values */
		verdict->events_used = seep_run_marked(evidence->run) - verdict->warmup_events;
}

/* Is the growth of RSS shown, and more than is tolerated? */
static bool grows_outside(const struct seep_evidence *evidence)
{
	const struct seep_rate *rss = &evidence->rss_rate;

	return evidence->rss.n >= EVENTS_ALONE && seep_evidence_grows(rss, SEEP_SERIES_RSS) &&
	       rss->bytes_per_event.low > evidence->rss_trend.tolerance;
}

/* Does the heap grow, or do its sites leak, by more than so many bytes per event? */
static bool heap_matters(const struct seep_evidence *evidence, double bytes)
{
	return evidence->leak_rate.value > bytes ||
	       (seep_evidence_grows(&evidence->heap_rate, SEEP_SERIES_HEAP) &&
		evidence->heap_rate.bytes_per_event.value > bytes);
}

/* It rose, and does no longer: that is no growth, whatever it was by. */
static bool has_ended(const struct seep_trend *trend)
{
	return trend->course == SEEP_COURSE_LEVELS_OFF || trend->course == SEEP_COURSE_STEP;
}

/*
 * Does memory grow by what sites outside the heap keep?  What counts is how much of it is
 * in memory, if that is known: it may have been mapped and never touched.  If it is
 * known to be there, RSS need not show it through its noise.
 */
static bool grows_by_others(const struct seep_verdict *verdict,
			    const struct seep_evidence *evidence)
{
	const struct seep_estimate *rss = &evidence->rss_rate.bytes_per_event;
	double resident = evidence->others_rate.value;
	bool explained;

	if (!evidence->n_others || !(evidence->others_rate.low > 0))
		return false;
	if (has_ended(&evidence->rss_trend) &&
	    evidence->rss_trend.bytes_per_event.high < EXPLAINED * evidence->others_rate.value)
		return false; /* what is mapped now is not touched, or takes the place of other */
	if (verdict->sum.non_heap_known)
		resident = fmin(resident, verdict->sum.non_heap);
	if (grows_outside(evidence))
		explained = resident >= EXPLAINED * rss->value;
	else
		explained = verdict->sum.non_heap_known && rss->high > resident &&
			    resident >= EXPLAINED * evidence->others_rate.value &&
			    resident > evidence->rss_trend.tolerance;
	return explained && !heap_matters(evidence, BESIDES * resident);
}

/* The sites' rate is exact; but if most of it is not in memory, RSS tells how fast it fills. */
static enum seep_reason convict_others(struct seep_verdict *verdict,
				       struct seep_evidence *evidence)
{
	const struct seep_rate *rss = &evidence->rss_rate;

	evidence->from_heap = false;
	evidence->series = &evidence->rss;
	evidence->rate = rss;
	fill_rate(verdict, evidence);
	verdict->kind = SEEP_KIND_NON_HEAP;
	if (evidence->others_rate.value <= 1.5 * rss->bytes_per_event.value) {
		verdict->bytes_per_event = evidence->others_rate;
		verdict->floor_bytes_per_event =
			(evidence->others_rate.high - evidence->others_rate.low) / 2;
	}
	return SEEP_REASON_TOTAL;
}

/* May the sites' rate be all of the total's? */
static bool overlap(const struct seep_estimate *sites, const struct seep_estimate *total)
{
	return sites->low <= total->high && sites->high >= total->low;
}

/*
 * An array elsewhere that remembers what was lost grows as well.  What it holds is known, how
 * much of that came since when is not.
 */
static void add_swelling(struct seep_estimate *e, const struct seep_evidence *evidence)
{
	const struct seep_estimate *total = &evidence->heap_trend.bytes_per_event;
	double more = evidence->swelling;

	if (evidence->heap_trend.course == SEEP_COURSE_GROWS)
		more = fmin(more, fmax(total->high - e->high, 0));
	if (total->known)
		e->value = fmin(fmax(e->value, total->value), e->value + more);
	e->high += more;
}

/*
 * The sites leak.  The rate is theirs if they may account for all of the growth: they have no
 * noise of others in them, and a bend of the total is none of theirs.  It is the
 * total's if they account for a good part of it, or if that surely grows by more.  (Taking
 * whichever interval is narrower would make it too narrow.)
 */
static enum seep_reason convict(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	const struct seep_estimate *total = &evidence->heap_trend.bytes_per_event;
	const struct seep_estimate *sites = &evidence->leak_rate;
	bool grows = evidence->heap_trend.course == SEEP_COURSE_GROWS;

	verdict->kind = SEEP_KIND_LEAK;
	verdict->bytes_per_event = *sites;
	add_swelling(&verdict->bytes_per_event, evidence);
	if (grows && sites->value <= 1.5 * total->value &&
	    (sites->value >= .5 * total->value || sites->high < total->low)) {
		if (!overlap(&verdict->bytes_per_event, total))
			verdict->bytes_per_event = *total;
		return SEEP_REASON_TOTAL;
	}
	verdict->floor_bytes_per_event = (sites->high - sites->low) / 2;
	return SEEP_REASON_SITES;
}

/* What the trend of a series says by itself. */
static enum seep_reason follow_trend(struct seep_verdict *verdict, const struct seep_trend *trend)
{
	verdict->bytes_per_event = trend->bytes_per_event;
	verdict->rise_bytes = trend->rise;
	if (trend->told_by == SEEP_TOLD_BY_TROUGHS && trend->bytes_per_event.known)
		verdict->floor_bytes_per_event =
			(trend->bytes_per_event.high - trend->bytes_per_event.low) / 2;
	switch (trend->course) {
	case SEEP_COURSE_GROWS:
		verdict->kind = SEEP_KIND_GROWTH;
		break;
	case SEEP_COURSE_FLAT:
		verdict->kind = SEEP_KIND_FLAT;
		break;
	case SEEP_COURSE_LEVELS_OFF:
		verdict->kind = SEEP_KIND_SATURATING;
		break;
	case SEEP_COURSE_STEP:
		verdict->kind = SEEP_KIND_STEP;
		break;
	case SEEP_COURSE_TEETH:
		verdict->kind = SEEP_KIND_SAWTOOTH;
		break;
	case SEEP_COURSE_OPEN:
		return undecided(verdict, SEEP_REASON_NOISE, trend->needed);
	}
	return SEEP_REASON_TOTAL;
}

/* Memory that is in no live block; the series that decides is RSS then. */
static enum seep_reason follow_outside(struct seep_verdict *verdict,
				       struct seep_evidence *evidence)
{
	static const enum seep_kind kinds[] = {
		[SEEP_OUTSIDE_RETENTION] = SEEP_KIND_RETENTION,
		[SEEP_OUTSIDE_FRAGMENTATION] = SEEP_KIND_FRAGMENTATION,
		[SEEP_OUTSIDE_SLACK] = SEEP_KIND_RETENTION,
		[SEEP_OUTSIDE_HELD] = SEEP_KIND_NON_HEAP,
		[SEEP_OUTSIDE_FILES] = SEEP_KIND_NON_HEAP,
		[SEEP_OUTSIDE_REST] = SEEP_KIND_NON_HEAP,
	};

	evidence->from_heap = false;
	evidence->series = &evidence->rss;
	evidence->rate = &evidence->rss_rate;
	evidence->trend = &evidence->rss_trend;
	fill_rate(verdict, evidence);
	verdict->bytes_per_event = evidence->rss_trend.course == SEEP_COURSE_GROWS
		? evidence->rss_trend.bytes_per_event : evidence->rss_rate.bytes_per_event;
	verdict->rise_bytes = evidence->outside.rise;
	if (evidence->outside.kind == SEEP_OUTSIDE_SLACK)
		return undecided(verdict, SEEP_REASON_OUTSIDE, 0);
	verdict->kind = kinds[evidence->outside.kind];
	if (verdict->kind == SEEP_KIND_NON_HEAP && has_ended(&evidence->rss_trend))
		return follow_trend(verdict, &evidence->rss_trend);
	return SEEP_REASON_OUTSIDE;
}

/* Few blocks or a queue that grow for ever. */
static enum seep_reason convict_grown(struct seep_verdict *verdict,
				      const struct seep_evidence *evidence)
{
	verdict->kind = SEEP_KIND_LEAK;
	verdict->bytes_per_event = evidence->grown_rate;
	return SEEP_REASON_GROWN;
}

static bool is_of_allocator(const struct seep_outside *outside)
{
	return outside->kind == SEEP_OUTSIDE_RETENTION ||
	       outside->kind == SEEP_OUTSIDE_FRAGMENTATION || outside->kind == SEEP_OUTSIDE_SLACK;
}

/* What the teeth of a heap leave to the allocator from one to the next is not its fault. */
static bool matters_outside(const struct seep_evidence *evidence)
{
	const struct seep_trend *heap = &evidence->heap_trend;
	const struct seep_outside *outside = &evidence->outside;

	return outside->kind && outside->rise > OUTWEIGHS * heap->rise &&
	       !(heap->course == SEEP_COURSE_TEETH && outside->rise < 2 * heap->teeth.height &&
		 is_of_allocator(outside));
}

/* The total grows; do sites that fill up ever slower explain it? */
static enum seep_reason explain_growth(struct seep_verdict *verdict,
				       struct seep_evidence *evidence)
{
	const struct seep_trend *trend = &evidence->heap_trend;
	double events = seep_trend_events(&evidence->heap_rate);
	double rise = trend->bytes_per_event.value * events;
	struct seep_estimate clean;

	verdict->bytes_per_event = trend->bytes_per_event;
	if (trend->bytes_per_event.high < trend->tolerance && trend->p_plus > CERTAIN &&
	    evidence->filling_bytes < trend->tolerance * events &&
	    seep_evidence_is_clean(evidence, 0, &clean)) {
		if (matters_outside(evidence))
			return follow_outside(verdict, evidence);
		verdict->kind = SEEP_KIND_FLAT;
		return SEEP_REASON_TOTAL;
	}
	if (evidence->filling_bytes >= EXPLAINED * rise && !seep_trend_is_straight(trend)) {
		verdict->kind = SEEP_KIND_CACHE;
		verdict->rise_bytes = evidence->filling_bytes;
		return SEEP_REASON_TOTAL;
	}
	if (matters_outside(evidence) && evidence->outside.rise > OUTWEIGHS * rise)
		return follow_outside(verdict, evidence);
	return undecided(verdict, SEEP_REASON_NO_SITE, evidence->sites_needed);
}

/* The live heap levels off: what has filled up frees, too, or does not. */
static void name_filling(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	if (verdict->kind == SEEP_KIND_SATURATING &&
	    evidence->evicting_bytes >= EXPLAINED * verdict->rise_bytes)
		verdict->kind = SEEP_KIND_CACHE;
}

/*
 * The level moves too much to show or exclude growth.  If nearly all that was allocated has
 * died, or is at sites that fill up, then it does not grow but for those, whatever its level
 * seems to do; and a shape of it that is clear may be believed.
 */
static enum seep_reason look_at_sites(struct seep_verdict *verdict,
				      const struct seep_evidence *evidence)
{
	const struct seep_trend *trend = &evidence->heap_trend;
	double events = seep_trend_events(&evidence->heap_rate);
	bool step = trend->likely == SEEP_COURSE_STEP;
	struct seep_estimate clean;

	if (!seep_evidence_is_clean(evidence, step ? trend->rise : 0, &clean))
		return seep_evidence_is_coarse(evidence->rate)
			? undecided(verdict, SEEP_REASON_COARSE, 0) /* more events do not help */
			: undecided(verdict, SEEP_REASON_NOISE, trend->needed);
	verdict->events_needed = 0;
	if (step) {
		verdict->kind = SEEP_KIND_STEP;
		verdict->rise_bytes = trend->rise;
		return SEEP_REASON_TOTAL;
	}
	verdict->bytes_per_event = clean;
	verdict->bytes_per_event.value += evidence->filling_rate.value;
	verdict->bytes_per_event.low += evidence->filling_rate.low;
	verdict->bytes_per_event.high += evidence->filling_rate.high;
	if (evidence->filling_bytes > trend->tolerance * events) {
		verdict->kind = evidence->still_filling_bytes > EXPLAINED * evidence->filling_bytes
			? SEEP_KIND_CACHE : SEEP_KIND_SATURATING;
		verdict->rise_bytes = evidence->filling_bytes;
		name_filling(verdict, evidence);
		return SEEP_REASON_SITES;
	}
	verdict->kind = SEEP_KIND_FLAT;
	verdict->rise_bytes = 0;
	return SEEP_REASON_SITES;
}

static enum seep_reason decide_without_culprit(struct seep_verdict *verdict,
					       struct seep_evidence *evidence)
{
	const struct seep_trend *trend = &evidence->heap_trend;
	enum seep_reason reason;

	if (trend->course == SEEP_COURSE_GROWS)
		return explain_growth(verdict, evidence);
	if (matters_outside(evidence))
		return follow_outside(verdict, evidence);
	if (trend->course == SEEP_COURSE_OPEN)
		return look_at_sites(verdict, evidence);
	reason = follow_trend(verdict, trend);
	name_filling(verdict, evidence);
	return reason;
}

/* A small leak must not hide what the allocator holds, which may be hundreds of times as much. */
static bool is_far_more_outside(const struct seep_evidence *evidence)
{
	const struct seep_outside *outside = &evidence->outside;
	double leaked = evidence->leak_rate.high * seep_trend_events(&evidence->heap_rate);

	return (outside->kind == SEEP_OUTSIDE_RETENTION ||
		outside->kind == SEEP_OUTSIDE_FRAGMENTATION) &&
	       outside->rise > FAR_MORE * leaked;
}

static enum seep_reason decide_by_heap(struct seep_verdict *verdict,
				       struct seep_evidence *evidence)
{
	if (grows_by_others(verdict, evidence))
		return convict_others(verdict, evidence);
	if (evidence->n_leaks && evidence->leak_rate.low > 0 && !is_far_more_outside(evidence) &&
	    !seep_evidence_is_contradicted(evidence) && seep_evidence_is_material(evidence)) {
		if (evidence->heap.n >= EVENTS_ALONE || seep_evidence_agrees(evidence))
			return convict(verdict, evidence);
		return undecided(verdict, SEEP_REASON_DISAGREE, EVENTS_ALONE);
	}
	if (evidence->grown)
		return convict_grown(verdict, evidence);
	if (evidence->may_grow && evidence->heap_trend.course != SEEP_COURSE_GROWS) {
		verdict->bytes_per_event = evidence->grown_rate;
		return undecided(verdict, SEEP_REASON_DOUBLES,
				 2 * seep_trend_events(&evidence->heap_rate));
	}
	return decide_without_culprit(verdict, evidence);
}

static enum seep_reason decide(struct seep_verdict *verdict, struct seep_evidence *evidence)
{
	size_t n = evidence->series->n;

	if (!n)
		return undecided(verdict, SEEP_REASON_NO_EVENTS, 0);
	if (evidence->from_heap)
		return n < EVENTS_FOR_RATE
			? undecided(verdict, SEEP_REASON_FEW_EVENTS, EVENTS_FOR_SITES)
			: decide_by_heap(verdict, evidence);
	if (n < EVENTS_ALONE)
		return undecided(verdict, SEEP_REASON_FEW_EVENTS, EVENTS_ALONE);
	return follow_trend(verdict, evidence->trend);
}

static void fill_phases(struct seep_verdict *verdict, const struct seep_evidence *evidence,
			enum seep_reason reason, bool grows, struct seep_arena *arena)
{
	size_t k;

	/* What a phase keeps until a later one frees it is no part of a leak: ask the sites. */
	if (!evidence->run->n_dumps &&
	    (reason == SEEP_REASON_SITES || reason == SEEP_REASON_GROWN ||
	     (verdict->kind == SEEP_KIND_NON_HEAP && evidence->n_others) ||
	     (verdict->kind == SEEP_KIND_LEAK && evidence->n_leaks &&
	      evidence->leak_rate.value >= EXPLAINED * verdict->bytes_per_event.value)))
		seep_phase_split_sites(verdict, evidence->run, evidence->series, evidence->rate,
				       arena);
	else
		seep_phase_split(verdict, evidence->run, evidence->series, evidence->rate, arena);
	for (k = 0; k < verdict->n_phases && !grows; k++)
		verdict->phases[k].share = 0;
}

/* What the allocator holds may have stopped to grow. */
static bool goes_on(enum seep_kind kind, const struct seep_evidence *evidence)
{
	if (kind == SEEP_KIND_RETENTION || kind == SEEP_KIND_FRAGMENTATION)
		return evidence->rss_trend.course == SEEP_COURSE_GROWS;
	return seep_verdict_kind_grows(kind);
}

static void find_drivers(struct seep_verdict *verdict, const struct seep_evidence *evidence,
			 struct seep_arena *arena)
{
	bool others = verdict->kind == SEEP_KIND_NON_HEAP;
	size_t n = others ? evidence->n_others : evidence->n_leaks;

	seep_driver_find(verdict, evidence->run, others ? evidence->others : evidence->leaks,
			 evidence->run->n_dumps ? 0 : n, evidence->series, evidence->rate, arena);
}

/* Where a rule of thumb asks for no more events than there were, it was wrong: twice as many. */
static void ask_for_more(struct seep_verdict *verdict, const struct seep_run *run)
{
	double marked = (double)seep_run_marked(run);

	if (verdict->kind == SEEP_KIND_UNDECIDED && verdict->events_needed > 0 &&
	    verdict->events_needed < marked + 1)
		verdict->events_needed = 2 * marked;
}

void seep_verdict_reach(struct seep_verdict *verdict, const struct seep_run *run,
			struct seep_arena *arena)
{
	struct seep_evidence evidence;
	enum seep_reason reason;
	bool grows;

	memset(verdict, 0, sizeof(*verdict));
	seep_evidence_gather(&evidence, run, arena);
	fill_rate(verdict, &evidence);
	seep_sum_close(&verdict->sum, &evidence);
	reason = decide(verdict, &evidence);
	ask_for_more(verdict, run);
	seep_ranking_order(&evidence, verdict->kind, arena);
	if (verdict->bytes_per_event.known && evidence.rate->period_s > 0)
		verdict->bytes_per_s = verdict->bytes_per_event.value / evidence.rate->period_s;
	seep_ranking_share(verdict, &evidence);
	grows = seep_verdict_kind_grows(verdict->kind) || reason == SEEP_REASON_NO_SITE;
	fill_phases(verdict, &evidence, reason, grows, arena);
	if (grows)
		find_drivers(verdict, &evidence, arena);
	if (goes_on(verdict->kind, &evidence))
		seep_limit_reach(verdict, &evidence, arena);
	verdict->sentence = seep_sentence_write(verdict, &evidence, reason, arena);
	seep_explain(verdict, &evidence, arena);
	seep_panda_fit(&verdict->panda, run, arena);
}
