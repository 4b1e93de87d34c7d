/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences for growth that is not a leak, or that ends, or that is outside live blocks. */
#include "analyse/threshold/thresholds.h"
#include "analyse/words/sentence.h"
#include "analyse/words/sentence_words.h"

#include <math.h>

/* "at the end it does not grow by more than 12 B per event (95 %)" */
static const char *bound_end(const struct seep_verdict *verdict, const struct seep_unit *unit,
			     struct seep_arena *arena)
{
	const struct seep_estimate *e = &verdict->bytes_per_event;

	if (!e->known)
		return "how much it still grows is unknown";
	if (e->high <= 0)
		return "at the end it does not grow";
	return seep_arena_printf(arena, "at the end it does not grow by more than %s (95 %%)",
				 seep_sentence_per(e->high, unit, arena));
}

/* When it rose. */
static const char *tell_rise(const struct seep_trend *trend, const struct seep_unit *unit,
			     struct seep_arena *arena)
{
	const struct seep_shape_fit *fit = &trend->fit;

	if (fit->shape == SEEP_SHAPE_KINK)
		return seep_arena_printf(arena, "until about %s%s",
					 seep_unit_moment(unit, fit->at, arena),
					 unit->time ? " into the run" : "");
	if (fit->tau > 0)
		return seep_arena_printf(arena, "more and more slowly, two thirds of it within %s",
					 seep_unit_span(unit, ceil(fit->tau), arena));
	return "during the run";
}

static const char *name_held(const struct seep_outside *outside)
{
	return outside->kind == SEEP_OUTSIDE_FILES ? "mapped files and shared memory"
						   : "memory that the program mapped itself";
}

/* What the rise consists of. */
static const char *tell_filling(const struct seep_verdict *verdict,
				const struct seep_evidence *evidence, struct seep_arena *arena)
{
	const struct seep_outside *outside = &evidence->outside;

	if (!verdict->from_heap && evidence->run->has_heap &&
	    (outside->kind == SEEP_OUTSIDE_HELD || outside->kind == SEEP_OUTSIDE_FILES))
		return seep_arena_printf(arena, "; %s of it is %s",
					 seep_sentence_size(outside->rise, arena),
					 name_held(outside));
	if (!verdict->from_heap || !(evidence->filling_bytes > 0))
		return "";
	return seep_arena_printf(arena, "; %s filled up with %s",
				 seep_sentence_count(evidence->filling, "site", arena),
				 seep_sentence_size(evidence->filling_bytes, arena));
}

static const char *write_cache(const struct seep_verdict *verdict,
			       const struct seep_evidence *evidence, const struct seep_unit *unit,
			       struct seep_arena *arena)
{
	if (verdict->basis.trend->course == SEEP_COURSE_GROWS)
		return seep_arena_printf(arena,
			"live heap grows by %s, but more and more slowly: %s %s still filling up, "
			"with %s so far, and each %s adds less than the ones before",
			seep_sentence_range(&verdict->bytes_per_event, unit, arena),
			seep_sentence_count(evidence->filling, "site", arena),
			evidence->filling == 1 ? "is" : "are",
			seep_sentence_size(evidence->filling_bytes, arena), unit->per);
	return seep_arena_printf(arena,
		"live heap rose by %s %s; sites that free their blocks after some %s hold %s; %s",
		seep_sentence_size(verdict->rise_bytes, arena),
		tell_rise(verdict->basis.trend, unit, arena), unit->time ? "time" : "events",
		seep_sentence_size(evidence->evicting_bytes, arena),
		bound_end(verdict, unit, arena));
}

static const char *write_teeth(const struct seep_verdict *verdict, const struct seep_unit *unit,
			       struct seep_arena *arena)
{
	const struct seep_teeth *teeth = &verdict->basis.trend->teeth;
	const struct seep_estimate *e = &verdict->bytes_per_event;
	const char *troughs = "there are too few troughs for a rate";

	if (e->known)
		troughs = seep_arena_printf(arena, "from trough to trough it changes by %s",
					    seep_sentence_range(e, unit, arena));
	if (verdict->basis.rate->stride > 1) /* shorter teeth look longer and lower */
		return seep_arena_printf(arena, "%s goes up and down; sampled every %s, it fell "
					 "%zu times; %s", seep_sentence_series(verdict),
					 seep_unit_span(unit, verdict->basis.rate->stride, arena),
					 teeth->drops, troughs);
	return seep_arena_printf(arena, "%s falls by %s every %s, %zu times; %s",
				 seep_sentence_series(verdict),
				 seep_sentence_size(teeth->height, arena),
				 seep_unit_span(unit, teeth->period, arena), teeth->drops, troughs);
}

/* "rose once, by 16.0 MB near event 60"; or how often. */
static const char *tell_steps(const struct seep_verdict *verdict, const struct seep_trend *trend,
			      const struct seep_unit *unit, struct seep_arena *arena)
{
	const char *size = seep_sentence_size(verdict->rise_bytes, arena);
	const char *when = seep_unit_moment(unit, trend->fit.at, arena);

	when = seep_arena_printf(arena, unit->time ? "about %s into the run" : "near %s", when);
	if (trend->steps > 1)
		return seep_arena_printf(arena, "rose in %zu steps, by %s in all, the last of them "
					 "%s", trend->steps, size, when);
	return seep_arena_printf(arena, "rose once, by %s %s", size, when);
}

/*
 * Memory that grows with the load stops growing when the load stops.  The trace cannot tell a
 * program that waits from one that works without growing, but the reader can.
 */
static const char *warn_of_idle(const struct seep_verdict *verdict, const struct seep_unit *unit,
				struct seep_arena *arena)
{
	const struct seep_series *series = verdict->basis.series;
	size_t last = series->n;

	while (last > 1 && !(fabs(series->values[last - 2] - series->values[series->n - 1]) > 0))
		last--;
	if (!unit->time || !verdict->from_heap ||
	    (double)(series->n - last) < IDLE_TOLD * (double)series->n)
		return "";
	return seep_arena_printf(arena, "; it has not changed since %s into the run; if the "
				 "program was idle from then on, record it again under load",
				 seep_unit_moment(unit, series->index[last - 1], arena));
}

const char *seep_sentence_course(const struct seep_verdict *verdict,
				 const struct seep_evidence *evidence,
				 const struct seep_unit *unit, struct seep_arena *arena)
{
	const struct seep_trend *trend = verdict->basis.trend;

	if (verdict->kind == SEEP_KIND_CACHE)
		return write_cache(verdict, evidence, unit, arena);
	if (verdict->kind == SEEP_KIND_SAWTOOTH)
		return write_teeth(verdict, unit, arena);
	if (verdict->kind == SEEP_KIND_STEP)
		return seep_arena_printf(arena, "%s %s; %s%s", seep_sentence_series(verdict),
					 tell_steps(verdict, trend, unit, arena),
					 bound_end(verdict, unit, arena),
					 verdict->from_heap
						? "" : tell_filling(verdict, evidence, arena));
	return seep_arena_printf(arena, "%s rose by %s %s; %s%s%s", seep_sentence_series(verdict),
				 seep_sentence_size(verdict->rise_bytes, arena),
				 tell_rise(trend, unit, arena), bound_end(verdict, unit, arena),
				 tell_filling(verdict, evidence, arena),
				 warn_of_idle(verdict, unit, arena));
}

static const char *tell_heap(const struct seep_evidence *evidence, const struct seep_unit *unit,
			     struct seep_arena *arena)
{
	return seep_arena_printf(arena, "live heap changes by %s",
				 seep_sentence_range(&evidence->heap_rate.bytes_per_event, unit,
						     arena));
}

static const char *tell_slack(const struct seep_outside *outside, struct seep_arena *arena)
{
	return seep_arena_printf(arena,
		"the allocator holds %s more than the program uses, %s of it added during the run",
		seep_sentence_size(fmax(outside->free_resident, outside->slack), arena),
		seep_sentence_size(outside->rise, arena));
}

/* Live blocks that keep nearly empty pages from being given back. */
static const char *tell_pins(const struct seep_evidence *evidence, struct seep_arena *arena)
{
	const struct seep_run *run = evidence->run;
	uint64_t pinned = 0, blocks = 0;
	size_t i;

	for (i = 0; i < run->n_sites; i++) {
		pinned += run->sites[i].pinned_bytes;
		blocks += run->sites[i].pinning_blocks;
	}
	if (!pinned)
		return "";
	return seep_arena_printf(arena, "; %.0f live blocks pin %s on pages that are nearly empty",
				 (double)blocks, seep_sentence_size((double)pinned, arena));
}

const char *seep_sentence_outside(const struct seep_verdict *verdict,
				  const struct seep_evidence *evidence,
				  const struct seep_unit *unit, struct seep_arena *arena)
{
	const struct seep_outside *outside = &evidence->outside;
	const char *heap = tell_heap(evidence, unit, arena);

	switch (outside->kind) {
	case SEEP_OUTSIDE_RETENTION:
		return seep_arena_printf(arena, "%s, but %s; when asked, it gave back %s, %.0f %% "
					 "of it", heap, tell_slack(outside, arena),
					 seep_sentence_size(outside->given_back, arena),
					 100 * outside->gain);
	case SEEP_OUTSIDE_FRAGMENTATION:
		return seep_arena_printf(arena, "%s, but %s; when asked, it could give back only "
					 "%s, %.0f %% of it%s", heap, tell_slack(outside, arena),
					 seep_sentence_size(outside->given_back, arena),
					 100 * outside->gain, tell_pins(evidence, arena));
	case SEEP_OUTSIDE_SLACK:
		return seep_arena_printf(arena, "%s, but %s; it was not asked to give that back; "
					 "use --probe-event N to ask it", heap,
					 tell_slack(outside, arena));
	case SEEP_OUTSIDE_TOUCHED:
		return seep_arena_printf(arena, "%s; RSS rose by %s as the program touched memory "
					 "that it had %s before%s", heap,
					 seep_sentence_size(outside->rise, arena),
					 outside->in_blocks ? "allocated" : "mapped",
					 !outside->bounded ? "" : seep_arena_printf(arena,
						 "; %s of it is still untouched",
						 seep_sentence_size(outside->untouched, arena)));
	case SEEP_OUTSIDE_FILES:
	case SEEP_OUTSIDE_HELD:
		return seep_arena_printf(arena, "%s, but RSS rose by %s, in %s", heap,
					 seep_sentence_size(outside->rise, arena),
					 name_held(outside));
	case SEEP_OUTSIDE_REST:
	case SEEP_OUTSIDE_NOTHING:
		break;
	}
	return seep_arena_printf(arena, "%s, but RSS grows by %s in memory that the tracker "
				 "cannot see: the program's own allocator, or memory mapped by the "
				 "system",
				 heap, seep_sentence_range(&verdict->bytes_per_event, unit, arena));
}

const char *seep_sentence_grown(const struct seep_verdict *verdict,
				const struct seep_evidence *evidence, const struct seep_unit *unit,
				struct seep_arena *arena)
{
	const struct seep_site *site = evidence->grown;
	uint64_t blocks = site->born_blocks - site->died_blocks;
	const char *rate = seep_sentence_grown_rate(verdict, evidence, unit, arena);

	if (verdict->sites && verdict->n_sites &&
	    verdict->sites[0].verdict == SEEP_SITE_BACKLOG)
		return seep_arena_printf(arena,
			"live heap grows by %s; at one site more blocks are allocated than freed, "
			"the oldest are freed first, and %.0f are waiting", rate, (double)blocks);
	return seep_arena_printf(arena,
		"live heap grows by %s; at one site the size of the blocks grows, not their number "
		"(%.0f %s alive)", rate, (double)blocks, blocks == 1 ? "is" : "are");
}

const char *seep_sentence_clean(const struct seep_verdict *verdict,
				const struct seep_evidence *evidence, const struct seep_unit *unit,
				struct seep_arena *arena)
{
	const char *but = "";

	if (verdict->rise_bytes > 0)
		but = seep_arena_printf(arena, "%s %s filled up with %s, more and more slowly; "
					"apart from that, ",
					seep_sentence_count(evidence->filling, "site", arena),
					evidence->filling == 1 ? "has" : "have",
					seep_sentence_size(verdict->rise_bytes, arena));
	return seep_arena_printf(arena,
		"%snearly everything %sallocated was freed: at most %s (95 %%) was kept; the live "
		"heap varies too much to show a trend of its own (%s)", but,
		unit->time ? "" : "that the events ",
		seep_sentence_per(verdict->bytes_per_event.high, unit, arena),
		seep_sentence_range(&evidence->heap_rate.bytes_per_event, unit, arena));
}
