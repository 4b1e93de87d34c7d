/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/words/sentence.h"

#include "analyse/words/sentence_words.h"

#include <math.h>
#include <string.h>

#define NOTHING .005             /* bytes: less is told as 0 */
#define FEW_EVENTS 20            /* up to here a filling cache and a leak look the same */

const char *seep_sentence_size(double bytes, struct seep_arena *arena)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB" };
	double size = fabs(bytes);
	size_t unit = 0;
	int digits;

	while (size >= (unit ? 999.5 : 9999.5) && unit + 1 < sizeof(units) / sizeof(*units)) {
		size /= 1000;
		unit++;
	}
	digits = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
	if (!unit && fabs(size - round(size)) < .005)
		digits = 0;
	return seep_arena_printf(arena, "%s%.*f %s", bytes <= -NOTHING ? "-" : "", digits, size,
				 units[unit]);
}

const char *seep_sentence_count(size_t n, const char *thing, struct seep_arena *arena)
{
	return seep_arena_printf(arena, "%zu %s%s", n, thing, n == 1 ? "" : "s");
}

const char *seep_sentence_series(const struct seep_evidence *evidence)
{
	return evidence->from_heap ? "live heap" : "RSS";
}

const char *seep_sentence_range(const struct seep_estimate *e, struct seep_arena *arena)
{
	return seep_arena_printf(arena, "%s per event (95 %%: %s to %s)",
				 seep_sentence_size(e->value, arena),
				 seep_sentence_size(e->low, arena),
				 seep_sentence_size(e->high, arena));
}

const char *seep_sentence_grown_rate(const struct seep_verdict *verdict,
				     const struct seep_evidence *evidence,
				     struct seep_arena *arena)
{
	const struct seep_estimate *e = &verdict->bytes_per_event;

	if (!evidence->grown_by_sizes)
		return seep_sentence_range(e, arena);
	return seep_arena_printf(arena, "%s per event (by the sizes that it has outgrown, %s to "
				 "%s)", seep_sentence_size(e->value, arena),
				 seep_sentence_size(e->low, arena),
				 seep_sentence_size(e->high, arena));
}

/* "over 196 events after 4 of warm-up" */
const char *seep_sentence_events(const struct seep_verdict *verdict, struct seep_arena *arena)
{
	return seep_arena_printf(arena, "over %s after %lld of warm-up",
				 seep_sentence_count((size_t)verdict->events_used, "event", arena),
				 (long long)verdict->warmup_events);
}

static const char *warn_of_filling(const struct seep_evidence *evidence, struct seep_arena *arena)
{
	if (evidence->clock.complete > FEW_EVENTS)
		return "";
	return seep_arena_printf(arena, "; a cache that is still filling would look the same "
				 "after %lld events", (long long)evidence->clock.complete);
}

/* Sites that account for all of it have a rate without the steps of others. */
static const char *warn_of_skew(const struct seep_verdict *verdict,
				const struct seep_evidence *evidence)
{
	const struct seep_estimate *e = &verdict->bytes_per_event, *sites = &evidence->leak_rate;

	if (verdict->kind == SEEP_KIND_LEAK && !(e->low < sites->low || e->low > sites->low))
		return "";
	return evidence->rate->skewed ? "; the steps are lopsided, so the interval is too narrow"
				      : "";
}

static const char *tell_freed(const struct seep_evidence *evidence, struct seep_arena *arena)
{
	const struct seep_run *run = evidence->run;

	if (run->n_dumps)
		return "which of them are freed later the dumps do not tell";
	if (!evidence->leak_died && run->sampling.mean_bytes)
		return "no block of the sample that was allocated there was freed";
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
		[SEEP_SITE_MMAP] = "mmap",
		[SEEP_SITE_STACK] = "thread stack",
		[SEEP_SITE_BRK] = "brk",
	};
	const char *list = "";
	size_t kind, i;

	for (kind = SEEP_SITE_MMAP; kind <= SEEP_SITE_BRK; kind++)
		for (i = 0; i < evidence->n_others; i++)
			if (evidence->others[i].site->kind == kind) {
				list = seep_arena_printf(arena, "%s%s%s", list, *list ? ", " : "",
							 names[kind]);
				break;
			}
	return list;
}

/* "1 site outside the heap (mmap) keeps 65.5 kB per event" */
static const char *tell_others(const struct seep_evidence *evidence, struct seep_arena *arena)
{
	return seep_arena_printf(arena, "%s outside the heap (%s) keep%s %s per event",
				 seep_sentence_count(evidence->n_others, "site", arena),
				 list_kinds(evidence, arena), evidence->n_others == 1 ? "s" : "",
				 seep_sentence_size(evidence->others_rate.value, arena));
}

static const char *add_others(const struct seep_evidence *evidence, struct seep_arena *arena)
{
	if (!evidence->n_others || !(evidence->others_rate.low > 0))
		return "";
	return seep_arena_printf(arena, "; besides, %s", tell_others(evidence, arena));
}

/* Where not every event was written, a step is one of many events. */
static const char *name_stride(const struct seep_rate *rate, struct seep_arena *arena)
{
	return rate->stride > 1 ? seep_arena_printf(arena, " of %.0f events each", rate->stride)
				: "";
}

/* Estimates of the same may differ a little, but more than all of it is none's doing. */
static double percent_of(double part, double whole)
{
	return fmin(100 * part / whole, 100);
}

static const char *write_leak(const struct seep_verdict *verdict,
			      const struct seep_evidence *evidence, struct seep_arena *arena)
{
	const struct seep_rate *rate = evidence->rate;

	return seep_arena_printf(arena,
		"live heap grows by %s per event, up in %zu of %zu steps%s after %s of warm-up; "
		"%s for %.0f %% of it; %s%s%s%s",
		seep_sentence_size(verdict->bytes_per_event.value, arena), rate->steps_up,
		rate->n - 1, name_stride(rate, arena),
		seep_sentence_count((size_t)verdict->warmup_events, "event", arena),
		seep_arena_printf(arena, "%s account%s",
				  seep_sentence_count(evidence->n_leaks, "site", arena),
				  evidence->n_leaks == 1 ? "s" : ""),
		percent_of(evidence->leak_rate.value, verdict->bytes_per_event.value),
		tell_freed(evidence, arena), warn_of_filling(evidence, arena),
		warn_of_skew(verdict, evidence), add_others(evidence, arena));
}

static const char *write_leak_of_sites(const struct seep_evidence *evidence,
				       struct seep_arena *arena)
{
	if (evidence->run->n_dumps)
		return seep_arena_printf(arena,
			"%s hold%s %s more per event, from dump to dump; the live heap as a whole "
			"changes by %s%s", seep_sentence_count(evidence->n_leaks, "site", arena),
			evidence->n_leaks == 1 ? "s" : "",
			seep_sentence_size(evidence->leak_rate.value, arena),
			seep_sentence_range(&evidence->rate->bytes_per_event, arena),
			warn_of_filling(evidence, arena));
	return seep_arena_printf(arena,
		"%s keep%s %s per event, with blocks alive from %zu of %zu mature cohorts; %s; "
		"the live heap as a whole changes by %s%s%s",
		seep_sentence_count(evidence->n_leaks, "site", arena),
		evidence->n_leaks == 1 ? "s" : "",
		seep_sentence_size(evidence->leak_rate.value, arena), evidence->surviving,
		evidence->mature, tell_freed(evidence, arena),
		seep_sentence_range(&evidence->rate->bytes_per_event, arena),
		warn_of_filling(evidence, arena), add_others(evidence, arena));
}

static const char *write_flat(const struct seep_verdict *verdict,
			      const struct seep_evidence *evidence, struct seep_arena *arena)
{
	const struct seep_estimate *e = &verdict->bytes_per_event;

	if (e->high < NOTHING && e->low > -NOTHING)
		return seep_arena_printf(arena, "%s does not change from event to event %s",
					 seep_sentence_series(evidence),
					 seep_sentence_events(verdict, arena));
	if (e->high <= 0)
		return seep_arena_printf(arena, "%s shrinks by %s per event %s",
					 seep_sentence_series(evidence),
					 seep_sentence_size(-e->value, arena),
					 seep_sentence_events(verdict, arena));
	return seep_arena_printf(arena, "%s does not grow by more than %s per event (95 %%) %s",
				 seep_sentence_series(evidence), seep_sentence_size(e->high, arena),
				 seep_sentence_events(verdict, arena));
}

static const char *write_non_heap(const struct seep_verdict *verdict,
				  const struct seep_evidence *evidence, struct seep_arena *arena)
{
	double rss = evidence->rss_rate.bytes_per_event.value;
	const struct seep_closing_sum *sum = &verdict->sum;

	return seep_arena_printf(arena,
		"RSS grows by %s %s, live heap by %s%s; %s%s; %s",
		seep_sentence_range(&evidence->rss_rate.bytes_per_event, arena),
		seep_sentence_events(verdict, arena),
		evidence->run->sampling.mean_bytes ? "about " : "",
		seep_sentence_size(evidence->heap_rate.bytes_per_event.value, arena),
		tell_others(evidence, arena),
		sum->non_heap_known
			? seep_arena_printf(arena, ", of which %s are in memory, %.0f %% of the "
					    "growth", seep_sentence_size(sum->non_heap, arena),
					    percent_of(sum->non_heap, rss))
			: "",
		evidence->others_died ? "some of it is given back" : "nothing of it is given back");
}

/* Address space that fills up although memory does not. */
static const char *warn_of_others(const struct seep_evidence *evidence, struct seep_arena *arena)
{
	if (!evidence->n_others || !(evidence->others_rate.low > 0))
		return "";
	return seep_arena_printf(arena, "; but %s of address space, little of it in memory",
				 tell_others(evidence, arena));
}

static const char *write_few(const struct seep_verdict *verdict,
			     const struct seep_evidence *evidence, struct seep_arena *arena)
{
	size_t n = evidence->series->n;

	if (n < 2)
		return seep_arena_printf(arena, "only %s was seen; a rate needs %.0f",
					 seep_sentence_count(n, "event", arena),
					 verdict->events_needed);
	return seep_arena_printf(arena,
		"%s changed by %s per event, but %s are too few to judge; %.0f would do",
		seep_sentence_series(evidence),
		seep_sentence_size(verdict->bytes_per_event.value, arena),
		seep_sentence_count(n, "event", arena), verdict->events_needed);
}

/* What the sites look like if none of them is guilty. */
static const char *list_open_sites(const struct seep_evidence *evidence, struct seep_arena *arena)
{
	const char *const what[] = {
		"filling up", "draining", "too weak to tell", "too young to tell",
	};
	const size_t n[] = {
		evidence->filling, evidence->draining, evidence->weak, evidence->immature,
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
	return evidence->run->n_sites ? "no site keeps blocks from event after event"
				      : "no snapshot of the sites was recorded";
}

static const char *write_no_site(const struct seep_verdict *verdict,
				 const struct seep_evidence *evidence, struct seep_arena *arena)
{
	return seep_arena_printf(arena, "live heap grows by %s %s, but %s%s",
		seep_sentence_range(&verdict->bytes_per_event, arena),
		seep_sentence_events(verdict, arena),
		list_open_sites(evidence, arena),
		verdict->events_needed > 0
			? seep_arena_printf(arena, "; %.0f events would tell",
					    verdict->events_needed)
			: "");
}

static const char *write_noise(const struct seep_verdict *verdict,
			       const struct seep_evidence *evidence, struct seep_arena *arena)
{
	return seep_arena_printf(arena,
		"%s changes by %s %s, which neither shows nor excludes growth%s",
		seep_sentence_series(evidence),
		seep_sentence_range(&verdict->bytes_per_event, arena),
		seep_sentence_events(verdict, arena),
		verdict->events_needed > 0
			? seep_arena_printf(arena, "; about %.0f events would tell",
					    verdict->events_needed)
			: "");
}

/* What would be a better sample than this one. */
static const char *advise_sample(const struct seep_evidence *evidence, struct seep_arena *arena)
{
	double finer = seep_evidence_finer_mean(evidence->rate);

	if (evidence->run->sampling.reason == SEEP_SAMPLING_CEILING)
		return "a larger --max-overhead makes it finer";
	if (!(finer > 0))
		return "run it without --sample";
	return seep_arena_printf(arena, "use --sample %.0fkB or none", finer / 1000);
}

static const char *write_coarse(const struct seep_evidence *evidence, struct seep_arena *arena)
{
	const struct seep_rate *rate = evidence->rate, *rss = &evidence->rss_rate;
	uint64_t seen = seep_evidence_samples(evidence);

	return seep_arena_printf(arena,
		"the sample is too coarse to tell: %s of it %s alive, and growth of %s per event "
		"would not show%s; %s", seep_sentence_count((size_t)seen, "block", arena),
		seen == 1 ? "is" : "are", seep_sentence_size(rate->bytes_per_event.high, arena),
		seep_evidence_grows(rss, SEEP_SERIES_RSS)
			? seep_arena_printf(arena, ", while RSS grows by %s",
					    seep_sentence_range(&rss->bytes_per_event, arena))
			: "",
		advise_sample(evidence, arena));
}

/* What somebody chose, hence without zeros behind the point. */
static const char *name_mean(double bytes, struct seep_arena *arena)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	size_t unit = 0;

	while (bytes >= 1000 && unit + 1 < sizeof(units) / sizeof(*units)) {
		bytes /= 1000;
		unit++;
	}
	return seep_arena_printf(arena, "%.4g %s", bytes, units[unit]);
}

/* "sampled 1 per 512 kB: ", for whoever reads on should know; only the heap is. */
static const char *tell_sampling(const struct seep_verdict *verdict, const struct seep_run *run,
				 struct seep_arena *arena)
{
	const struct seep_sampling *sampling = &run->sampling;

	if (!run->has_heap || !sampling->mean_bytes || verdict->kind == SEEP_KIND_NON_HEAP)
		return "";
	return seep_arena_printf(arena, "sampled 1 per %s%s: ",
				 name_mean((double)sampling->mean_bytes, arena),
				 sampling->reason == SEEP_SAMPLING_CEILING
					? " since the tracker's memory had reached its ceiling"
					: "");
}

static const char *write_reason(const struct seep_verdict *verdict,
				const struct seep_evidence *evidence, enum seep_reason reason,
				struct seep_arena *arena)
{
	switch (reason) {
	case SEEP_REASON_SITES:
		return verdict->kind != SEEP_KIND_LEAK
			? seep_sentence_clean(verdict, evidence, arena)
			: write_leak_of_sites(evidence, arena);
	case SEEP_REASON_NO_EVENTS:
		return "no events were seen, so there is no rate; mark them with seep.h or let "
		       "time slices stand for them";
	case SEEP_REASON_FEW_EVENTS:
		return write_few(verdict, evidence, arena);
	case SEEP_REASON_DISAGREE:
		return seep_arena_printf(arena,
			"the sites keep %s per event, live heap grows by %s; with so few events "
			"they must agree", seep_sentence_size(evidence->leak_rate.value, arena),
			seep_sentence_range(&verdict->bytes_per_event, arena));
	case SEEP_REASON_NO_SITE:
		return write_no_site(verdict, evidence, arena);
	case SEEP_REASON_DOUBLES:
		return seep_arena_printf(arena,
			"an array at one site was made larger again and again, as if it were "
			"filled with %s; with so few steps that may be a table that is nearly "
			"full; %.0f events would tell",
			seep_sentence_grown_rate(verdict, evidence, arena),
			verdict->events_needed);
	case SEEP_REASON_GROWN:
		return seep_sentence_grown(verdict, evidence, arena);
	case SEEP_REASON_OUTSIDE:
		return seep_sentence_outside(verdict, evidence, arena);
	case SEEP_REASON_NOISE:
		return write_noise(verdict, evidence, arena);
	case SEEP_REASON_COARSE:
		return write_coarse(evidence, arena);
	case SEEP_REASON_TOTAL:
		break;
	}
	switch (verdict->kind) {
	case SEEP_KIND_LEAK:
		return write_leak(verdict, evidence, arena);
	case SEEP_KIND_NON_HEAP:
		return write_non_heap(verdict, evidence, arena);
	case SEEP_KIND_FLAT:
		return seep_arena_printf(arena, "%s%s", write_flat(verdict, evidence, arena),
					 warn_of_others(evidence, arena));
	case SEEP_KIND_GROWTH:
		return seep_arena_printf(arena,
			"RSS grows by %s %s; without heap data the cause cannot be told%s",
			seep_sentence_range(&verdict->bytes_per_event, arena),
			seep_sentence_events(verdict, arena), warn_of_skew(verdict, evidence));
	default:
		return seep_sentence_course(verdict, evidence, arena);
	}
}

/* Where slices of time stand for events, they are called so; options keep their names. */
const char *seep_sentence_for(const struct seep_run *run, const char *text,
			      struct seep_arena *arena)
{
	const char *source = run->event_source, *done = "", *at = text, *word;

	if (!source || strcmp(source, "time"))
		return text;
	while ((word = strstr(at, "event"))) {
		bool option = word > text && word[-1] == '-';

		done = seep_arena_printf(arena, "%s%.*s%s", done, (int)(word - at), at,
					 option ? "event" : "time slice");
		at = word + strlen("event");
	}
	return seep_arena_printf(arena, "%s%s", done, at);
}

const char *seep_sentence_write(const struct seep_verdict *verdict,
				const struct seep_evidence *evidence, enum seep_reason reason,
				struct seep_arena *arena)
{
	const char *text = seep_arena_printf(arena, "%s%s",
					     tell_sampling(verdict, evidence->run, arena),
					     write_reason(verdict, evidence, reason, arena));

	return seep_sentence_for(evidence->run, text, arena);
}
