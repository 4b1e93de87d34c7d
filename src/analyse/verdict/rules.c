/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rules, each a predicate over the evidence.  The table at the end lists them in order, with
 * the question each one asks, the kind it decides on and the function that concludes.  The first
 * rule that holds decides, so a predicate may rely on all earlier ones being false.
 */
#include "analyse/verdict/rules.h"

#include "analyse/threshold/thresholds.h"
#include "analyse/verdict/conclude.h"

#include <math.h>

static bool always(const struct seep_evidence *evidence)
{
	(void)evidence;
	return true;
}

static const struct seep_series *main_series(const struct seep_evidence *evidence)
{
	return evidence->run->has_heap ? &evidence->heap : &evidence->rss;
}

static bool has_no_events(const struct seep_evidence *evidence)
{
	return !main_series(evidence)->n;
}

static bool has_few_events(const struct seep_evidence *evidence)
{
	return main_series(evidence)->n <
	       (evidence->run->has_heap ? VALUES_FOR_RATE : EVENTS_ALONE);
}

/* Is it shown that RSS grows, by more than is tolerated? */
static bool rss_grows(const struct seep_evidence *evidence)
{
	const struct seep_rate *rss = &evidence->rss_rate;

	return evidence->rss.n >= EVENTS_ALONE && seep_evidence_grows(rss, SEEP_SERIES_RSS) &&
	       rss->bytes_per_event.low > evidence->rss_trend.tolerance;
}

/* Does the heap grow, or do its sites leak, by more than this many bytes per event? */
static bool heap_matters(const struct seep_evidence *evidence, double bytes)
{
	return evidence->leak_rate.value > bytes ||
	       (seep_evidence_grows(&evidence->heap_rate, SEEP_SERIES_HEAP) &&
		evidence->heap_rate.bytes_per_event.value > bytes);
}

/*
 * Memory may have been mapped and never touched, so what counts is how much of it is resident,
 * if that is known.  Then RSS may be too noisy to show it.
 */
static bool grows_by_others(const struct seep_evidence *evidence)
{
	const struct seep_estimate *rss = &evidence->rss_rate.bytes_per_event;
	const struct seep_trend *trend = &evidence->rss_trend;
	double resident = evidence->others_rate.value;
	bool explained;

	if (!evidence->n_others || !(evidence->others_rate.low > 0))
		return false;
	if (seep_conclude_has_ended(trend) &&
	    trend->bytes_per_event.high < OTHERS_GO_ON * evidence->others_rate.value)
		return false; /* what is mapped now is not touched, or replaces other mappings */
	if (evidence->sum.non_heap_known)
		resident = fmin(resident, evidence->sum.non_heap);
	if (rss_grows(evidence))
		explained = resident >= OTHERS_EXPLAIN * rss->value;
	else
		explained = evidence->sum.non_heap_known && rss->high > resident &&
			    resident >= OTHERS_TOUCHED * evidence->others_rate.value &&
			    resident > trend->tolerance;
	return explained && !heap_matters(evidence, OTHERS_BESIDES * resident);
}

/* A small leak must not hide that the allocator holds many times as much. */
static bool is_far_more_outside(const struct seep_evidence *evidence)
{
	const struct seep_outside *outside = &evidence->outside;
	double leaked = evidence->leak_rate.high * seep_trend_events(&evidence->heap_rate);

	return (outside->kind == SEEP_OUTSIDE_RETENTION ||
		outside->kind == SEEP_OUTSIDE_FRAGMENTATION) &&
	       outside->rise > OUTSIDE_FAR_MORE * leaked;
}

/* In slices of time, a site that began late may belong to the next part of a job. */
static bool leaks_are_late(const struct seep_evidence *evidence)
{
	return evidence->slices && evidence->late_leaks == evidence->n_leaks &&
	       evidence->heap_trend.course != SEEP_COURSE_GROWS;
}

/*
 * The heap grows mostly at sites that are not accused: caches that fill, or sites too young to
 * judge.  An accused site may then be a part of that, unless it keeps memory in nearly every
 * event.
 */
static bool is_mostly_elsewhere(const struct seep_evidence *evidence)
{
	return evidence->heap_trend.course == SEEP_COURSE_GROWS && !evidence->sure_leaks &&
	       !evidence->run->n_dumps &&
	       evidence->leak_rate.high <
		       LEAKS_EXPLAIN * evidence->heap_trend.bytes_per_event.low;
}

static bool sites_leak(const struct seep_evidence *evidence)
{
	return evidence->n_leaks && evidence->leak_rate.low > 0 && !leaks_are_late(evidence) &&
	       !is_mostly_elsewhere(evidence) && !is_far_more_outside(evidence);
}

/* The total grows, and the sites account for a good part of it, or clearly for less. */
static bool total_shows_leak(const struct seep_evidence *evidence)
{
	const struct seep_estimate *total = &evidence->heap_trend.bytes_per_event;
	const struct seep_estimate *sites = &evidence->leak_rate;

	return sites_leak(evidence) && evidence->heap_trend.course == SEEP_COURSE_GROWS &&
	       sites->value <= LEAKS_EXCEED * total->value &&
	       (sites->value >= LEAKS_EXPLAIN * total->value || sites->high < total->low);
}

/*
 * In a run of a few seconds, leaking sites are no sign of repeated work if the total does not grow
 * or if they free some of their blocks.  The caches of a job look like that.
 */
static bool is_too_short(const struct seep_evidence *evidence)
{
	const struct seep_rate *rate = &evidence->heap_rate;

	return seep_trend_events(rate) * rate->period_s < SLICES_ALONE &&
	       (evidence->heap_trend.course != SEEP_COURSE_GROWS || evidence->leak_died);
}

/*
 * A job that runs once.  Either its memory changes by a large part of its own size up to the end;
 * or it grows at hundreds of call sites, and no small number of them accounts for that; or the
 * sites that leak began late.
 */
static bool is_batch(const struct seep_evidence *evidence)
{
	const struct seep_series *heap = &evidence->heap;
	size_t start = heap->n / BATCH_START; /* values before this one are the start */
	double leaked = evidence->leak_rate.value * (double)(heap->n - start);
	double added = heap->n ? heap->values[heap->n - 1] - heap->values[start] : 0;
	bool ends = seep_conclude_has_ended(&evidence->heap_trend) ||
		    evidence->heap_trend.course == SEEP_COURSE_FLAT ||
		    evidence->heap_trend.course == SEEP_COURSE_TEETH;

	if (!evidence->slices)
		return false;
	if (evidence->n_leaks && (is_too_short(evidence) ||
				  (leaks_are_late(evidence) &&
				   evidence->heap_trend.course == SEEP_COURSE_OPEN)))
		return true;
	if (evidence->n_leaks && leaked > LEAKS_EXPLAIN * added)
		return false;
	if (evidence->keeping >= BATCH_SITES)
		return evidence->rss_unsteady || (!ends && added > 0);
	return evidence->unsteady && !ends && !total_shows_leak(evidence);
}

static bool may_be_garbage(const struct seep_evidence *evidence)
{
	return evidence->collectable;
}

/* How far the heap rose, by its own course. */
static double heap_rise(const struct seep_evidence *evidence)
{
	const struct seep_trend *heap = &evidence->heap_trend;

	if (heap->course != SEEP_COURSE_GROWS)
		return heap->rise;
	return heap->bytes_per_event.value * seep_trend_events(&evidence->heap_rate);
}

/* Most of the growth is in blocks too young to judge: others have lived about as long. */
static bool is_window(const struct seep_evidence *evidence)
{
	const struct seep_series *heap = &evidence->heap;
	enum seep_course course = evidence->heap_trend.course;
	double added = heap->n > 1 ? heap->values[heap->n - 1] - heap->values[1] : 0;
	double leaked = evidence->leak_rate.value * seep_trend_events(&evidence->heap_rate);

	if (course == SEEP_COURSE_FLAT || course == SEEP_COURSE_TEETH || course == SEEP_COURSE_STEP)
		return false;
	return evidence->n_leaks && !evidence->sure_leaks && added > 0 &&
	       evidence->young_bytes >= YOUNG_EXPLAIN * added && leaked < YOUNG_LEAKS * added;
}

static bool sites_leak_alone(const struct seep_evidence *evidence)
{
	return sites_leak(evidence) && evidence->heap.n < EVENTS_ALONE &&
	       !seep_evidence_agrees(evidence);
}

/* It was garbage: a full collection at the end freed what the heap had added. */
static bool was_garbage(const struct seep_evidence *evidence)
{
	const struct seep_series *heap = &evidence->heap;
	const struct seep_trend *trend = &evidence->heap_trend;
	double added = heap->n > 1 ? heap->values[heap->n - 1] - heap->values[1] : 0;
	double collected = (double)evidence->run->collected_bytes;
	double events = seep_trend_events(&evidence->heap_rate);

	return (trend->course == SEEP_COURSE_GROWS || trend->course == SEEP_COURSE_OPEN) &&
	       !evidence->slices && evidence->run->collected_sites && collected > 0 &&
	       collected >= GARBAGE_EXPLAIN * added &&
	       trend->bytes_per_event.low * events - collected < trend->tolerance * events;
}

static bool array_grows(const struct seep_evidence *evidence)
{
	return evidence->grown;
}

static bool array_may_grow(const struct seep_evidence *evidence)
{
	return evidence->may_grow && evidence->heap_trend.course != SEEP_COURSE_GROWS;
}

static bool is_of_allocator(const struct seep_outside *outside)
{
	return outside->kind == SEEP_OUTSIDE_RETENTION ||
	       outside->kind == SEEP_OUTSIDE_FRAGMENTATION || outside->kind == SEEP_OUTSIDE_SLACK;
}

/* If the heap rises and falls, the allocator may keep what a tooth needs for the next one. */
static bool outside_matters(const struct seep_evidence *evidence)
{
	const struct seep_trend *heap = &evidence->heap_trend;
	const struct seep_outside *outside = &evidence->outside;

	if (outside->kind == SEEP_OUTSIDE_REST && /* the heap may explain all of it */
	    evidence->heap_rate.bytes_per_event.high >= evidence->rss_rate.bytes_per_event.value)
		return false;
	return outside->kind && outside->rise > OUTSIDE_OUTWEIGHS * heap->rise &&
	       !(heap->course == SEEP_COURSE_TEETH && is_of_allocator(outside) &&
		 outside->rise < OUTSIDE_TEETH * heap->teeth.height);
}

/* The total certainly grows, but too little to matter, and nearly everything is freed. */
static bool growth_is_tolerated(const struct seep_evidence *evidence)
{
	const struct seep_trend *heap = &evidence->heap_trend;
	double events = seep_trend_events(&evidence->heap_rate);

	return heap->course == SEEP_COURSE_GROWS &&
	       heap->bytes_per_event.high < heap->tolerance &&
	       (heap->p_plus > GROWTH_CERTAIN || evidence->suspects) &&
	       evidence->filling_bytes < heap->tolerance * events && evidence->clean;
}

static bool tolerates_but_outside(const struct seep_evidence *evidence)
{
	return growth_is_tolerated(evidence) && outside_matters(evidence);
}

static bool filling_explains(const struct seep_evidence *evidence)
{
	const struct seep_trend *heap = &evidence->heap_trend;

	return heap->course == SEEP_COURSE_GROWS &&
	       evidence->filling_bytes >= FILLING_EXPLAIN * heap_rise(evidence) &&
	       !seep_trend_is_straight(heap);
}

static bool outside_outweighs(const struct seep_evidence *evidence)
{
	return outside_matters(evidence) &&
	       (evidence->heap_trend.course != SEEP_COURSE_GROWS ||
		evidence->outside.rise > OUTSIDE_OUTWEIGHS * heap_rise(evidence));
}

static bool was_not_asked(const struct seep_evidence *evidence)
{
	return outside_outweighs(evidence) && evidence->outside.kind == SEEP_OUTSIDE_SLACK;
}

static bool is_touched(const struct seep_evidence *evidence)
{
	return outside_outweighs(evidence) && evidence->outside.kind == SEEP_OUTSIDE_TOUCHED;
}

/* The growth outside the heap has stopped, so the course of RSS decides. */
static bool outside_ended(const struct seep_evidence *evidence)
{
	return outside_outweighs(evidence) && !is_of_allocator(&evidence->outside) &&
	       seep_conclude_has_ended(&evidence->rss_trend);
}

static bool total_grows(const struct seep_evidence *evidence)
{
	return evidence->heap_trend.course == SEEP_COURSE_GROWS;
}

static bool heap_is_open(const struct seep_evidence *evidence)
{
	return evidence->run->has_heap && evidence->heap_trend.course == SEEP_COURSE_OPEN;
}

static bool is_clean_step(const struct seep_evidence *evidence)
{
	return heap_is_open(evidence) && evidence->clean_but_step;
}

static bool is_clean_filling(const struct seep_evidence *evidence)
{
	double events = seep_trend_events(&evidence->heap_rate);

	return heap_is_open(evidence) && evidence->clean &&
	       evidence->heap_trend.likely != SEEP_COURSE_STEP &&
	       evidence->filling_bytes > evidence->heap_trend.tolerance * events;
}

static bool is_clean(const struct seep_evidence *evidence)
{
	return heap_is_open(evidence) && evidence->clean &&
	       evidence->heap_trend.likely != SEEP_COURSE_STEP;
}

/*
 * Slices of time show every hiccup of the heap.  If no site leaks and the whole interval is small
 * compared with the heap, its upper end says enough.
 */
static bool is_bounded(const struct seep_evidence *evidence)
{
	const struct seep_estimate *e = &evidence->heap_trend.bytes_per_event;

	return evidence->slices && heap_is_open(evidence) && e->known &&
	       e->high * seep_trend_events(&evidence->heap_rate) <
		       BOUNDED_PART * evidence->heap_rate.level;
}

/*
 * ... or what has survived is small: it was counted, and the level only varies by blocks that
 * will be freed.
 */
static bool is_little_kept(const struct seep_evidence *evidence)
{
	double events = seep_trend_events(&evidence->heap_rate);
	double process = fmax(evidence->heap_rate.level, evidence->rss_rate.level);
	double kept = (evidence->clean_rate.value + evidence->swelling) * events +
		      evidence->open_bytes + evidence->suspect_bytes + evidence->filling_bytes;
	bool doubtful = evidence->open_bytes + evidence->suspect_bytes >= evidence->material_bytes;

	return evidence->slices && heap_is_open(evidence) && !evidence->run->n_dumps &&
	       !evidence->run->sampling.mean_bytes && evidence->run->n_sites &&
	       evidence->clock.complete >= CLEAN_EVENTS && !evidence->n_leaks &&
	       !evidence->grown && !doubtful && kept < BOUNDED_PART * process;
}

static bool is_coarse(const struct seep_evidence *evidence)
{
	return heap_is_open(evidence) && seep_evidence_is_coarse(&evidence->heap_rate);
}

static bool has_no_heap(const struct seep_evidence *evidence)
{
	return !evidence->run->has_heap;
}

static bool rss_alone_grows(const struct seep_evidence *evidence)
{
	return has_no_heap(evidence) && evidence->rss_trend.course == SEEP_COURSE_GROWS;
}

static enum seep_course main_course(const struct seep_evidence *evidence)
{
	return evidence->run->has_heap ? evidence->heap_trend.course : evidence->rss_trend.course;
}

static bool levels_off(const struct seep_evidence *evidence)
{
	return main_course(evidence) == SEEP_COURSE_LEVELS_OFF;
}

static bool steps(const struct seep_evidence *evidence)
{
	return main_course(evidence) == SEEP_COURSE_STEP;
}

static bool has_teeth(const struct seep_evidence *evidence)
{
	return main_course(evidence) == SEEP_COURSE_TEETH;
}

static bool is_flat(const struct seep_evidence *evidence)
{
	return main_course(evidence) == SEEP_COURSE_FLAT;
}

const struct seep_rule seep_rules[] = {
	{ "no-events", "were no events seen?", "undecided",
	  has_no_events, seep_conclude_undecided, SEEP_REASON_NO_EVENTS },
	{ "few-events", "are there too few events for a rate?", "undecided",
	  has_few_events, seep_conclude_few_events, SEEP_REASON_FEW_EVENTS },
	{ "rss-grows", "is there no heap data, and does RSS grow?", "growth",
	  rss_alone_grows, seep_conclude_trend, SEEP_REASON_TOTAL },
	{ "mapped", "do call sites outside the heap keep most of what RSS grows by?", "non-heap",
	  grows_by_others, seep_conclude_others, SEEP_REASON_TOTAL },
	{ "batch", "is it a job that runs once and repeats nothing?", "undecided",
	  is_batch, seep_conclude_batch, SEEP_REASON_BATCH },
	{ "collector", "could a garbage collector still free what seems to leak?", "undecided",
	  may_be_garbage, seep_conclude_garbage, SEEP_REASON_GARBAGE },
	{ "window", "is most of the growth in blocks younger than the longest lives seen?",
	  "undecided", is_window, seep_conclude_no_site, SEEP_REASON_NO_SITE },
	{ "few-disagree", "in few events, do sites leak that the total contradicts?", "undecided",
	  sites_leak_alone, seep_conclude_disagree, SEEP_REASON_DISAGREE },
	{ "leak-total", "do sites leak, and does the heap grow by about as much?", "leak",
	  total_shows_leak, seep_conclude_leak_total, SEEP_REASON_TOTAL },
	{ "leak-sites", "do sites leak, whatever the total does?", "leak",
	  sites_leak, seep_conclude_leak_sites, SEEP_REASON_SITES },
	{ "array", "does the heap grow in a few large blocks, or in a queue?", "leak",
	  array_grows, seep_conclude_grown, SEEP_REASON_GROWN },
	{ "array-open", "does an array double like one that grows forever?", "undecided",
	  array_may_grow, seep_conclude_may_grow, SEEP_REASON_DOUBLES },
	{ "collected", "did the garbage collector free at the end what the heap had added?",
	  "sawtooth", was_garbage, seep_conclude_collected, SEEP_REASON_COLLECTED },
	{ "tolerated-outside",
	  "does the heap grow too little to matter, and memory outside it more?",
	  "by the allocator's answer", tolerates_but_outside, seep_conclude_outside,
	  SEEP_REASON_OUTSIDE },
	{ "tolerated", "does the heap grow too little to matter, and nearly everything die?",
	  "flat", growth_is_tolerated, seep_conclude_flat, SEEP_REASON_TOTAL },
	{ "filling", "do sites that fill up more and more slowly explain the growth?", "cache",
	  filling_explains, seep_conclude_filling, SEEP_REASON_TOTAL },
	{ "not-asked", "does the allocator keep memory that it was not asked to give back?",
	  "undecided, or retention in slices of time", was_not_asked, seep_conclude_not_asked,
	  SEEP_REASON_OUTSIDE },
	{ "touched", "does RSS rise as memory that was mapped early is touched?", "saturating",
	  is_touched, seep_conclude_touched, SEEP_REASON_OUTSIDE },
	{ "outside-ended", "did RSS rise outside the heap, and stop?", "by the course of RSS",
	  outside_ended, seep_conclude_rss_trend, SEEP_REASON_TOTAL },
	{ "outside", "is most of the growth outside live blocks?",
	  "retention, fragmentation, non-heap", outside_outweighs, seep_conclude_outside,
	  SEEP_REASON_OUTSIDE },
	{ "no-site", "does the heap grow although no site leaks?", "undecided",
	  total_grows, seep_conclude_no_site, SEEP_REASON_NO_SITE },
	{ "clean-step", "has nearly everything died except for one step?", "step",
	  is_clean_step, seep_conclude_clean_step, SEEP_REASON_TOTAL },
	{ "clean-filling", "has nearly everything died except for what filled up?",
	  "cache or saturating", is_clean_filling, seep_conclude_clean_filling,
	  SEEP_REASON_SITES },
	{ "clean", "has nearly everything that was allocated died?", "flat",
	  is_clean, seep_conclude_clean, SEEP_REASON_SITES },
	{ "coarse", "could growth hide between the samples?", "undecided",
	  is_coarse, seep_conclude_coarse, SEEP_REASON_COARSE },
	{ "bounded", "is any growth that noise may hide small compared with the heap?", "flat",
	  is_bounded, seep_conclude_flat, SEEP_REASON_TOTAL },
	{ "little-kept", "is what survived since the warm-up small compared with the process?",
	  "flat", is_little_kept, seep_conclude_clean, SEEP_REASON_SITES },
	{ "levels-off", "did it rise and stop?", "saturating or cache",
	  levels_off, seep_conclude_trend, SEEP_REASON_TOTAL },
	{ "step", "did it rise once, or a few times?", "step",
	  steps, seep_conclude_trend, SEEP_REASON_TOTAL },
	{ "teeth", "does it go up and down, with troughs that do not rise?", "sawtooth",
	  has_teeth, seep_conclude_trend, SEEP_REASON_TOTAL },
	{ "flat", "is growth beyond the tolerance excluded?", "flat",
	  is_flat, seep_conclude_trend, SEEP_REASON_TOTAL },
	{ "noise", "do the data neither show growth nor rule it out?", "undecided",
	  always, seep_conclude_trend, SEEP_REASON_NOISE },
};

const size_t seep_rules_n = sizeof(seep_rules) / sizeof(*seep_rules);

const struct seep_rule *seep_rules_find(const struct seep_evidence *evidence)
{
	const struct seep_rule *rule = seep_rules;

	while (!rule->holds(evidence))
		rule++;
	return rule;
}
