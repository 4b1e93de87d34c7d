/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What follows once a rule holds.  Each conclusion picks the kind, the rate, and the series that
 * the rate is taken from.
 */
#include "analyse/verdict/conclude.h"

#include "analyse/threshold/thresholds.h"

#include <math.h>

static void base_on(struct seep_verdict *verdict, const struct seep_evidence *evidence, bool heap)
{
	const struct seep_rate *rate = heap ? &evidence->heap_rate : &evidence->rss_rate;
	const struct seep_series *series = heap ? &evidence->heap : &evidence->rss;

	verdict->from_heap = heap;
	verdict->basis = (struct seep_basis){
		series, rate, heap ? &evidence->heap_trend : &evidence->rss_trend,
	};
	verdict->confidence = SEEP_CONFIDENCE;
	verdict->bytes_per_event = rate->bytes_per_event;
	verdict->floor_bytes_per_event = rate->floor;
	verdict->events_used = (int64_t)rate->n;
	if (!rate->n)
		return;
	verdict->warmup_events = (int64_t)series->index[rate->first];
	verdict->since_event = verdict->warmup_events;
	if (rate->stride > 1) /* what happened between the anchors is in their values */
		verdict->events_used = seep_run_marked(evidence->run) - verdict->warmup_events;
}

void seep_conclude_start(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	base_on(verdict, evidence, evidence->run->has_heap);
	verdict->sum = evidence->sum;
	verdict->material_bytes = evidence->material_bytes;
}

bool seep_conclude_has_ended(const struct seep_trend *trend)
{
	return trend->course == SEEP_COURSE_LEVELS_OFF || trend->course == SEEP_COURSE_STEP;
}

/* Takes the rate at the end of the run, which may differ from the mean. */
static void take_rate(struct seep_verdict *verdict, const struct seep_trend *trend)
{
	verdict->bytes_per_event = trend->bytes_per_event;
	if (trend->told_by != SEEP_TOLD_BY_END)
		return;
	verdict->at_end = true;
	if (trend->bytes_per_event.known)
		verdict->floor_bytes_per_event =
			(trend->bytes_per_event.high - trend->bytes_per_event.low) / 2;
	if (trend->since > (double)verdict->warmup_events)
		verdict->since_event = (int64_t)trend->since;
}

static void undecided(struct seep_verdict *verdict, double events_needed)
{
	verdict->kind = SEEP_KIND_UNDECIDED;
	verdict->events_needed = events_needed;
}

void seep_conclude_undecided(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	(void)evidence;
	undecided(verdict, 0);
}

void seep_conclude_few_events(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	undecided(verdict, evidence->run->has_heap ? EVENTS_FOR_SITES : EVENTS_ALONE);
}

void seep_conclude_garbage(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	take_rate(verdict, &evidence->heap_trend);
	undecided(verdict, evidence->collected_by);
}

/* A sawtooth with one tooth, as long as the run. */
void seep_conclude_collected(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	struct seep_estimate *e = &verdict->bytes_per_event;
	double freed = (double)evidence->run->collected_bytes;
	double per_event = freed / seep_trend_events(&evidence->heap_rate);

	*e = evidence->heap_trend.bytes_per_event;
	e->value -= per_event;
	e->low -= per_event;
	e->high -= per_event;
	verdict->kind = SEEP_KIND_SAWTOOTH;
	verdict->rise_bytes = freed;
}

void seep_conclude_disagree(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	(void)evidence;
	undecided(verdict, EVENTS_ALONE);
}

/*
 * The rate of the sites is exact, and is used if it may explain all growth of RSS.  Otherwise the
 * sites map memory that is never touched, or other memory grows as well, and the rate is that of
 * RSS.
 */
void seep_conclude_others(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	const struct seep_estimate *others = &evidence->others_rate;
	const struct seep_estimate *rss = &evidence->rss_rate.bytes_per_event;
	double slack = OTHERS_AGREE * rss->value;

	base_on(verdict, evidence, false);
	verdict->kind = SEEP_KIND_NON_HEAP;
	if (!(rss->known && rss->low > 0) ||
	    (others->value >= rss->low - slack && others->value <= rss->high + slack)) {
		verdict->bytes_per_event = *others;
		verdict->floor_bytes_per_event = (others->high - others->low) / 2;
	}
}

/*
 * An array that refers to the leaked blocks grows with them.  Its size is known; how much of it was
 * added since the leak began is not.
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

/* May the sites account for all of the growth? */
static bool overlap(const struct seep_estimate *sites, const struct seep_estimate *total)
{
	return sites->low <= total->high && sites->high >= total->low;
}

void seep_conclude_leak_sites(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	const struct seep_estimate *sites = &evidence->leak_rate;

	verdict->kind = SEEP_KIND_LEAK;
	verdict->bytes_per_event = *sites;
	if (evidence->leaks_since > verdict->warmup_events)
		verdict->since_event = evidence->leaks_since;
	add_swelling(&verdict->bytes_per_event, evidence);
	verdict->floor_bytes_per_event = (sites->high - sites->low) / 2;
}

/*
 * If the sites may account for all of the growth, the rate is theirs: it has neither the noise nor
 * the bends of the rest of the heap.  Otherwise it is the total's.  (To take the narrower interval
 * of the two would make it too narrow.)
 */
void seep_conclude_leak_total(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	const struct seep_estimate *total = &evidence->heap_trend.bytes_per_event;
	double floor = verdict->floor_bytes_per_event;

	seep_conclude_leak_sites(verdict, evidence);
	verdict->floor_bytes_per_event = floor;
	if (overlap(&verdict->bytes_per_event, total))
		return;
	verdict->since_event = verdict->warmup_events;
	take_rate(verdict, &evidence->heap_trend);
}

void seep_conclude_grown(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	verdict->kind = SEEP_KIND_LEAK;
	verdict->bytes_per_event = evidence->grown_rate;
}

void seep_conclude_may_grow(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	verdict->bytes_per_event = evidence->grown_rate;
	undecided(verdict, 2 * seep_trend_events(&evidence->heap_rate));
}

static enum seep_kind kind_of(enum seep_course course)
{
	switch (course) {
	case SEEP_COURSE_GROWS:
		return SEEP_KIND_GROWTH;
	case SEEP_COURSE_FLAT:
		return SEEP_KIND_FLAT;
	case SEEP_COURSE_LEVELS_OFF:
		return SEEP_KIND_SATURATING;
	case SEEP_COURSE_STEP:
		return SEEP_KIND_STEP;
	case SEEP_COURSE_TEETH:
		return SEEP_KIND_SAWTOOTH;
	case SEEP_COURSE_OPEN:
		break;
	}
	return SEEP_KIND_UNDECIDED;
}

/* The live heap levels off: a cache if the sites that filled up also free, else saturating. */
static void name_filling(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	if (verdict->kind == SEEP_KIND_SATURATING &&
	    evidence->evicting_bytes >= EVICTING_EXPLAIN * verdict->rise_bytes)
		verdict->kind = SEEP_KIND_CACHE;
}

static void follow(struct seep_verdict *verdict, const struct seep_trend *trend)
{
	take_rate(verdict, trend);
	verdict->rise_bytes = trend->rise;
	verdict->kind = kind_of(trend->course);
	if (trend->told_by == SEEP_TOLD_BY_TROUGHS && trend->bytes_per_event.known)
		verdict->floor_bytes_per_event =
			(trend->bytes_per_event.high - trend->bytes_per_event.low) / 2;
	if (verdict->kind == SEEP_KIND_UNDECIDED)
		verdict->events_needed = trend->needed;
}

void seep_conclude_trend(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	follow(verdict, verdict->basis.trend);
	if (evidence->run->has_heap)
		name_filling(verdict, evidence);
}

/* The growth is outside live blocks, so RSS decides. */
static void follow_outside(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	base_on(verdict, evidence, false);
	if (evidence->rss_trend.course == SEEP_COURSE_GROWS ||
	    seep_conclude_has_ended(&evidence->rss_trend))
		take_rate(verdict, &evidence->rss_trend);
	verdict->slows_down = evidence->rss_trend.course == SEEP_COURSE_LEVELS_OFF;
	verdict->rise_bytes = evidence->outside.rise;
}

void seep_conclude_not_asked(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	follow_outside(verdict, evidence);
	if (evidence->slices) /* there is no event to ask it in */
		verdict->kind = SEEP_KIND_RETENTION;
	else
		undecided(verdict, 0);
}

void seep_conclude_touched(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	follow_outside(verdict, evidence);
	verdict->kind = SEEP_KIND_SATURATING;
	verdict->bounded = evidence->outside.bounded;
}

void seep_conclude_rss_trend(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	follow_outside(verdict, evidence);
	follow(verdict, &evidence->rss_trend);
}

void seep_conclude_outside(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	follow_outside(verdict, evidence);
	switch (evidence->outside.kind) {
	case SEEP_OUTSIDE_RETENTION:
		verdict->kind = SEEP_KIND_RETENTION;
		break;
	case SEEP_OUTSIDE_FRAGMENTATION:
		verdict->kind = SEEP_KIND_FRAGMENTATION;
		break;
	case SEEP_OUTSIDE_SLACK:
		seep_conclude_not_asked(verdict, evidence);
		break;
	case SEEP_OUTSIDE_TOUCHED:
		verdict->kind = SEEP_KIND_SATURATING;
		break;
	default:
		verdict->kind = SEEP_KIND_NON_HEAP;
	}
}

void seep_conclude_flat(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	take_rate(verdict, &evidence->heap_trend);
	verdict->kind = SEEP_KIND_FLAT;
}

void seep_conclude_filling(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	take_rate(verdict, &evidence->heap_trend);
	verdict->kind = SEEP_KIND_CACHE;
	verdict->rise_bytes = evidence->filling_bytes;
}

void seep_conclude_no_site(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	take_rate(verdict, &evidence->heap_trend);
	undecided(verdict, evidence->sites_needed);
}

/* A longer run would not make it repeat its work, so none is suggested. */
void seep_conclude_batch(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	take_rate(verdict, &evidence->heap_trend);
	undecided(verdict, 0);
}

void seep_conclude_coarse(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	(void)evidence;
	undecided(verdict, 0); /* more events do not help */
}

void seep_conclude_clean_step(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	verdict->kind = SEEP_KIND_STEP;
	verdict->rise_bytes = evidence->heap_trend.rise;
}

void seep_conclude_clean(struct seep_verdict *verdict, const struct seep_evidence *evidence)
{
	verdict->kind = SEEP_KIND_FLAT;
	verdict->bytes_per_event = evidence->clean_rate;
	verdict->bytes_per_event.value += evidence->filling_rate.value;
	verdict->bytes_per_event.low += evidence->filling_rate.low;
	verdict->bytes_per_event.high += evidence->filling_rate.high +
		evidence->suspect_bytes / seep_trend_events(&evidence->heap_rate);
}

void seep_conclude_clean_filling(struct seep_verdict *verdict,
				 const struct seep_evidence *evidence)
{
	seep_conclude_clean(verdict, evidence);
	verdict->kind = evidence->still_filling_bytes > STILL_FILLING_MOST * evidence->filling_bytes
		? SEEP_KIND_CACHE : SEEP_KIND_SATURATING;
	verdict->rise_bytes = evidence->filling_bytes;
	name_filling(verdict, evidence);
}
