/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One sentence for each way to reach a verdict.  The reason selects it (write_reason); verdicts by
 * the total alone are worded by kind (write_kind).  sentence_course.c, sentence_sample.c and
 * sentence_beside.c hold the rest.
 */
#include "analyse/words/sentence.h"

#include "analyse/threshold/thresholds.h"
#include "analyse/words/sentence_words.h"
#include "base/size_unit.h"

#include <math.h>

const char *seep_sentence_size(double bytes, struct seep_arena *arena)
{
	struct seep_size_unit unit = seep_size_unit_for_words(bytes);
	double size = fabs(bytes) / unit.bytes;

	unit.decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
	if (unit.bytes <= 1 && fabs(size - round(size)) < WORDS_NOTHING)
		unit.decimals = 0;
	return seep_arena_printf(arena, "%s %s", seep_size_in(unit, bytes).text, unit.name);
}

const char *seep_sentence_count(size_t n, const char *thing, struct seep_arena *arena)
{
	return seep_arena_printf(arena, "%zu %s%s", n, thing, n == 1 ? "" : "s");
}

const char *seep_sentence_series(const struct seep_verdict *verdict)
{
	return verdict->from_heap ? "live heap" : "RSS";
}

const char *seep_sentence_per(double bytes, const struct seep_unit *unit,
			      struct seep_arena *arena)
{
	const char *size = seep_sentence_size(seep_unit_scale(unit, bytes), arena);

	return seep_arena_printf(arena, "%s per %s", size, unit->per);
}

const char *seep_sentence_range(const struct seep_estimate *e, const struct seep_unit *unit,
				struct seep_arena *arena)
{
	return seep_arena_printf(arena, "%s (95 %%: %s to %s)",
				 seep_sentence_per(e->value, unit, arena),
				 seep_sentence_size(seep_unit_scale(unit, e->low), arena),
				 seep_sentence_size(seep_unit_scale(unit, e->high), arena));
}

const char *seep_sentence_grown_rate(const struct seep_verdict *verdict,
				     const struct seep_evidence *evidence,
				     const struct seep_unit *unit, struct seep_arena *arena)
{
	const struct seep_estimate *e = &verdict->bytes_per_event;

	if (!evidence->grown_by_sizes)
		return seep_sentence_range(e, unit, arena);
	return seep_arena_printf(arena, "%s (%s to %s, judging by the sizes it has outgrown)",
				 seep_sentence_per(e->value, unit, arena),
				 seep_sentence_size(seep_unit_scale(unit, e->low), arena),
				 seep_sentence_size(seep_unit_scale(unit, e->high), arena));
}

static const char *warn_of_filling(const struct seep_evidence *evidence,
				   const struct seep_unit *unit, struct seep_arena *arena)
{
	if (evidence->clock.complete > WORDS_FEW_EVENTS)
		return "";
	return seep_arena_printf(arena, "; a cache that is still filling, or blocks that live for "
				 "more than %s, would look the same",
				 seep_unit_span(unit, (double)evidence->clock.complete, arena));
}

/* The rate of sites that account for all of it is free of the steps of others. */
static const char *warn_of_skew(const struct seep_verdict *verdict,
				const struct seep_evidence *evidence)
{
	const struct seep_estimate *e = &verdict->bytes_per_event, *sites = &evidence->leak_rate;

	if (verdict->kind == SEEP_KIND_LEAK && !(e->low < sites->low || e->low > sites->low))
		return "";
	if (!verdict->basis.rate->skewed)
		return "";
	return "; the steps are lopsided, so the interval is too narrow";
}

static const char *tell_freed(const struct seep_evidence *evidence, struct seep_arena *arena)
{
	const struct seep_run *run = evidence->run;

	if (run->n_dumps)
		return "the dumps do not show which of them are freed later";
	if (!evidence->leak_died && run->sampling.mean_bytes)
		return "none of the sampled blocks allocated there was freed";
	if (!evidence->leak_died)
		return run->snapshot_final || run->end_live_bytes >= run->live_bytes
			? "nothing allocated there was freed"
			: "nothing allocated there was freed before the program ended";
	return seep_arena_printf(arena, "%.3g %% of the blocks allocated there were freed",
				 100 * (double)evidence->leak_died / (double)evidence->leak_born);
}

/* "mmap", "thread stack", or both, of the sites that keep memory outside the heap. */
static const char *list_kinds(const struct seep_evidence *evidence, struct seep_arena *arena)
{
	static const char *const names[] = {
		[SEEP_MEMORY_MMAP] = "mmap",
		[SEEP_MEMORY_STACK] = "thread stack",
		[SEEP_MEMORY_BRK] = "brk",
	};
	const char *list = "";
	size_t kind, i;

	for (kind = SEEP_MEMORY_MMAP; kind <= SEEP_MEMORY_BRK; kind++)
		for (i = 0; i < evidence->n_others; i++)
			if (evidence->others[i].site->kind == kind) {
				list = seep_arena_printf(arena, "%s%s%s", list, *list ? ", " : "",
							 names[kind]);
				break;
			}
	return list;
}

/* "1 site outside the heap (mmap) keeps 65.5 kB per event" */
static const char *tell_others(const struct seep_evidence *evidence, const struct seep_unit *unit,
			       struct seep_arena *arena)
{
	return seep_arena_printf(arena, "%s outside the heap (%s) keep%s %s",
				 seep_sentence_count(evidence->n_others, "site", arena),
				 list_kinds(evidence, arena), evidence->n_others == 1 ? "s" : "",
				 seep_sentence_per(evidence->others_rate.value, unit, arena));
}

static const char *add_others(const struct seep_evidence *evidence, const struct seep_unit *unit,
			      struct seep_arena *arena)
{
	if (!evidence->n_others || !(evidence->others_rate.low > 0))
		return "";
	return seep_arena_printf(arena, "; in addition, %s", tell_others(evidence, unit, arena));
}

/* If the trace does not hold every event, a step spans several. */
static const char *name_stride(const struct seep_rate *rate, const struct seep_unit *unit,
			       struct seep_arena *arena)
{
	if (!unit->time && !(rate->stride > 1))
		return "";
	return seep_arena_printf(arena, " of %s each",
				 seep_unit_span(unit, fmax(rate->stride, 1), arena));
}

/* Two estimates of one thing differ a little, but nothing accounts for more than all of it. */
static double percent_of(double part, double whole)
{
	return fmin(100 * part / whole, 100);
}

static const char *write_leak(const struct seep_verdict *verdict,
			      const struct seep_evidence *evidence, const struct seep_unit *unit,
			      struct seep_arena *arena)
{
	const struct seep_rate *rate = verdict->basis.rate;

	return seep_arena_printf(arena,
		"live heap grows by %s, up in %zu of %zu steps%s after %s of warm-up; "
		"%s for %.0f %% of it; %s%s%s%s",
		seep_sentence_per(verdict->bytes_per_event.value, unit, arena), rate->steps_up,
		rate->n - 1, name_stride(rate, unit, arena),
		seep_unit_span(unit, (double)verdict->warmup_events, arena),
		seep_arena_printf(arena, "%s account%s",
				  seep_sentence_count(evidence->n_leaks, "site", arena),
				  evidence->n_leaks == 1 ? "s" : ""),
		percent_of(evidence->leak_rate.value, verdict->bytes_per_event.value),
		tell_freed(evidence, arena), warn_of_filling(evidence, unit, arena),
		warn_of_skew(verdict, evidence), add_others(evidence, unit, arena));
}

static const char *write_leak_of_sites(const struct seep_verdict *verdict,
				       const struct seep_evidence *evidence,
				       const struct seep_unit *unit, struct seep_arena *arena)
{
	if (evidence->run->n_dumps)
		return seep_arena_printf(arena,
			"%s hold%s %s more, from dump to dump; the live heap as a whole changes "
			"by %s%s", seep_sentence_count(evidence->n_leaks, "site", arena),
			evidence->n_leaks == 1 ? "s" : "",
			seep_sentence_per(evidence->leak_rate.value, unit, arena),
			seep_sentence_range(&verdict->basis.rate->bytes_per_event, unit, arena),
			warn_of_filling(evidence, unit, arena));
	return seep_arena_printf(arena,
		"%s keep%s %s, with blocks still alive from %zu of %zu earlier periods of the run; "
		"%s; the live heap as a whole changes by %s%s%s",
		seep_sentence_count(evidence->n_leaks, "site", arena),
		evidence->n_leaks == 1 ? "s" : "",
		seep_sentence_per(evidence->leak_rate.value, unit, arena), evidence->surviving,
		evidence->mature, tell_freed(evidence, arena),
		seep_sentence_range(&verdict->basis.rate->bytes_per_event, unit, arena),
		warn_of_filling(evidence, unit, arena), add_others(evidence, unit, arena));
}

/* It certainly grew, but by less than counts as growth in a run of this length. */
static const char *tell_tolerated(const struct seep_verdict *verdict, const struct seep_unit *unit,
				  struct seep_arena *arena)
{
	const struct seep_basis *basis = &verdict->basis;
	double tolerated = seep_trend_tolerated(basis->trend, basis->rate), rise, events;

	if (!(verdict->bytes_per_event.low > 0) || basis->rate->n < 2)
		return NULL;
	rise = seep_trend_change(basis->series, basis->rate, &events);
	if (!(rise > 0) || rise >= tolerated)
		return NULL;
	return seep_arena_printf(arena, "%s grew by %s %s, less than the %s tolerated in a run of "
				 "this length; its rate is at most %s (95 %%)",
				 seep_sentence_series(verdict), seep_sentence_size(rise, arena),
				 seep_unit_covered(unit, verdict, arena),
				 seep_sentence_size(tolerated, arena),
				 seep_sentence_per(verdict->bytes_per_event.high, unit, arena));
}

static const char *write_flat(const struct seep_verdict *verdict, const struct seep_unit *unit,
			      struct seep_arena *arena)
{
	const struct seep_estimate *e = &verdict->bytes_per_event;
	const char *grew = tell_tolerated(verdict, unit, arena);

	if (grew)
		return grew;
	if (e->high < WORDS_NOTHING && e->low > -WORDS_NOTHING)
		return seep_arena_printf(arena, "%s does not change%s %s",
					 seep_sentence_series(verdict),
					 unit->time ? "" : " from event to event",
					 seep_unit_covered(unit, verdict, arena));
	if (e->high <= 0)
		return seep_arena_printf(arena, "%s shrinks by %s %s",
					 seep_sentence_series(verdict),
					 seep_sentence_per(-e->value, unit, arena),
					 seep_unit_covered(unit, verdict, arena));
	return seep_arena_printf(arena, "%s does not grow by more than %s (95 %%) %s",
				 seep_sentence_series(verdict),
				 seep_sentence_per(e->high, unit, arena),
				 seep_unit_covered(unit, verdict, arena));
}

/* How much of it is in memory, if that is known.  It may be more than the sites keep. */
static const char *tell_resident(const struct seep_evidence *evidence,
				 const struct seep_closing_sum *sum, const struct seep_unit *unit,
				 struct seep_arena *arena)
{
	double rss = evidence->rss_rate.bytes_per_event.value;

	if (!sum->non_heap_known || sum->mean)
		return "";
	return seep_arena_printf(arena, evidence->others_rate.value >= sum->non_heap
				 ? ", of which %s is in memory, %.0f %% of the growth"
				 : "; all memory outside the heap grows by %s, %.0f %% of the RSS "
				   "growth",
				 seep_sentence_per(sum->non_heap, unit, arena),
				 percent_of(sum->non_heap, rss));
}

static const char *write_non_heap(const struct seep_verdict *verdict,
				  const struct seep_evidence *evidence,
				  const struct seep_unit *unit, struct seep_arena *arena)
{
	return seep_arena_printf(arena,
		"RSS grows by %s %s, live heap by %s%s; %s%s; %s %s",
		seep_sentence_range(&evidence->rss_rate.bytes_per_event, unit, arena),
		seep_unit_covered(unit, verdict, arena),
		evidence->run->sampling.mean_bytes ? "about " : "",
		seep_sentence_size(seep_unit_scale(
			unit, evidence->heap_rate.bytes_per_event.value), arena),
		tell_others(evidence, unit, arena),
		tell_resident(evidence, &verdict->sum, unit, arena),
		evidence->n_others == 1 ? "this site" : "these sites",
		evidence->others_died ? "released some of it" : "never released any of it");
}

/* Address space is used up even if memory is not. */
static const char *warn_of_others(const struct seep_evidence *evidence,
				  const struct seep_unit *unit, struct seep_arena *arena)
{
	if (!evidence->n_others || !(evidence->others_rate.low > 0))
		return "";
	return seep_arena_printf(arena, "; but %s of address space, little of it in memory",
				 tell_others(evidence, unit, arena));
}

static const char *write_few(const struct seep_verdict *verdict, const struct seep_unit *unit,
			     struct seep_arena *arena)
{
	double n = (double)verdict->basis.series->n;

	if (n < 2)
		return seep_arena_printf(arena, "only %s was seen; a rate needs %s",
					 seep_unit_span(unit, n, arena),
					 seep_unit_short_span(unit, verdict->events_needed, arena));
	return seep_arena_printf(arena, "%s changed by %s, but %s %s to judge; %s would be enough",
				 seep_sentence_series(verdict),
				 seep_sentence_per(verdict->bytes_per_event.value, unit, arena),
				 seep_unit_span(unit, n, arena),
				 unit->time ? "is too short" : "are too few",
				 seep_unit_short_span(unit, verdict->events_needed, arena));
}

/* What is known of the sites if none is accused. */
static const char *list_open_sites(const struct seep_evidence *evidence,
				   const struct seep_unit *unit, struct seep_arena *arena)
{
	const char *const what[] = {
		"filling up", "draining", "suspect", "too young to judge",
	};
	const size_t n[] = {
		evidence->filling, evidence->draining, evidence->suspects, evidence->immature,
	};
	const char *list = "";
	size_t i;

	for (i = 0; i < sizeof(n) / sizeof(*n); i++)
		if (n[i])
			list = seep_arena_printf(arena, "%s%s%s %s %s", list, *list ? ", " : "",
						 seep_sentence_count(n[i], "site", arena),
						 n[i] == 1 ? "is" : "are", what[i]);
	if (*list)
		return list;
	if (!evidence->run->n_sites)
		return "no snapshot of the sites was recorded";
	return unit->time ? "no site keeps accumulating blocks"
			  : "no site keeps accumulating blocks from event to event";
}

static const char *write_no_site(const struct seep_verdict *verdict,
				 const struct seep_evidence *evidence,
				 const struct seep_unit *unit, struct seep_arena *arena)
{
	return seep_arena_printf(arena, "live heap %s by %s %s, but %s%s",
		verdict->bytes_per_event.low > 0 ? "grows" : "changes",
		seep_sentence_range(&verdict->bytes_per_event, unit, arena),
		seep_unit_covered(unit, verdict, arena),
		list_open_sites(evidence, unit, arena),
		verdict->events_needed > 0
			? seep_arena_printf(arena, "; %s would settle it",
					    seep_unit_span(unit, verdict->events_needed, arena))
			: "");
}

static const char *write_noise(const struct seep_verdict *verdict, const struct seep_unit *unit,
			       struct seep_arena *arena)
{
	return seep_arena_printf(arena,
		"%s changes by %s %s, which neither shows growth nor rules it out%s",
		seep_sentence_series(verdict),
		seep_sentence_range(&verdict->bytes_per_event, unit, arena),
		seep_unit_covered(unit, verdict, arena),
		verdict->events_needed > 0
			? seep_arena_printf(arena, "; about %s would settle it",
					    seep_unit_span(unit, verdict->events_needed, arena))
			: "");
}

/* From the first value to the last. */
static double change_of(const struct seep_series *series)
{
	return series->n ? series->values[series->n - 1] - series->values[0] : 0;
}

static const char *write_batch(const struct seep_evidence *evidence, struct seep_arena *arena)
{
	return seep_arena_printf(arena,
		"no repeated work was seen, as in a job that runs once: from start to end the live "
		"heap changed by %s and RSS by %s, and %s kept memory; mark events with seep.h, "
		"or record a job that repeats its work",
		seep_sentence_size(change_of(&evidence->heap), arena),
		seep_sentence_size(change_of(&evidence->rss), arena),
		seep_sentence_count(evidence->keeping, "site", arena));
}

/* What the total shows. */
static const char *write_kind(const struct seep_verdict *verdict,
			      const struct seep_evidence *evidence, const struct seep_unit *unit,
			      struct seep_arena *arena)
{
	switch (verdict->kind) {
	case SEEP_KIND_LEAK:
		return write_leak(verdict, evidence, unit, arena);
	case SEEP_KIND_NON_HEAP:
		return write_non_heap(verdict, evidence, unit, arena);
	case SEEP_KIND_FLAT:
		return seep_arena_printf(arena, "%s%s", write_flat(verdict, unit, arena),
					 warn_of_others(evidence, unit, arena));
	case SEEP_KIND_GROWTH:
		return seep_arena_printf(arena,
			"RSS grows by %s %s; without heap data the cause is unknown%s",
			seep_sentence_range(&verdict->bytes_per_event, unit, arena),
			seep_unit_covered(unit, verdict, arena),
			warn_of_skew(verdict, evidence));
	default:
		return seep_sentence_course(verdict, evidence, unit, arena);
	}
}

static const char *write_reason(const struct seep_verdict *verdict,
				const struct seep_evidence *evidence, const struct seep_unit *unit,
				struct seep_arena *arena)
{
	switch (verdict->reason) {
	case SEEP_REASON_SITES:
		return verdict->kind != SEEP_KIND_LEAK
			? seep_sentence_clean(verdict, evidence, unit, arena)
			: write_leak_of_sites(verdict, evidence, unit, arena);
	case SEEP_REASON_NO_EVENTS:
		return "no events were seen, so there is no rate; mark them with seep.h, or let "
		       "seep judge the run by time";
	case SEEP_REASON_FEW_EVENTS:
		return write_few(verdict, unit, arena);
	case SEEP_REASON_DISAGREE:
		return seep_arena_printf(arena,
			"the sites keep %s, but live heap grows by %s; %s, the two must agree",
			seep_sentence_per(evidence->leak_rate.value, unit, arena),
			seep_sentence_range(&verdict->bytes_per_event, unit, arena),
			unit->time ? "in a run this short" : "with so few events");
	case SEEP_REASON_BATCH:
		return write_batch(evidence, arena);
	case SEEP_REASON_NO_SITE:
		return write_no_site(verdict, evidence, unit, arena);
	case SEEP_REASON_GARBAGE:
		return seep_arena_printf(arena,
			"live heap grows by %s, but Python's garbage collector may still free that "
			"memory: too few objects were kept for it to run; %s would settle the "
			"question, or %s",
			seep_sentence_range(&verdict->bytes_per_event, unit, arena),
			seep_unit_span(unit, verdict->events_needed, arena),
			evidence->run->event_source == SEEP_EVENTS_API
				? "seep run --collect" : "a call to gc.collect() in the program");
	case SEEP_REASON_COLLECTED:
		return seep_arena_printf(arena,
			"the live heap rose, and Python's garbage collector freed %s of that after "
			"the program had done its work; the rest changes by %s",
			seep_sentence_size(verdict->rise_bytes, arena),
			seep_sentence_range(&verdict->bytes_per_event, unit, arena));
	case SEEP_REASON_DOUBLES:
		return seep_arena_printf(arena,
			"an array at one site was enlarged repeatedly, as if it were filled "
			"with %s; after so few steps it could also be a table that is nearly full; "
			"%s would settle it",
			seep_sentence_grown_rate(verdict, evidence, unit, arena),
			seep_unit_span(unit, verdict->events_needed, arena));
	case SEEP_REASON_GROWN:
		return seep_sentence_grown(verdict, evidence, unit, arena);
	case SEEP_REASON_OUTSIDE:
		return seep_sentence_outside(verdict, evidence, unit, arena);
	case SEEP_REASON_NOISE:
		return write_noise(verdict, unit, arena);
	case SEEP_REASON_COARSE:
		return seep_sentence_coarse(verdict, evidence, unit, arena);
	case SEEP_REASON_TOTAL:
		break;
	}
	return write_kind(verdict, evidence, unit, arena);
}

const char *seep_sentence_write(const struct seep_verdict *verdict,
				const struct seep_evidence *evidence, struct seep_arena *arena)
{
	struct seep_unit unit = seep_unit_of(evidence->run, verdict);

	return seep_arena_printf(arena, "%s%s%s",
				 seep_sentence_sampling(verdict, evidence->run, arena),
				 write_reason(verdict, evidence, &unit, arena),
				 seep_sentence_beside(verdict, &unit, arena));
}
