/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules.c asks the questions; this file answers them with numbers.  The table at the end has a
 * line for each rule: which numbers answer it, and which earlier rules a reader is most likely to
 * ask about.
 */
#include "analyse/words/explain_rules.h"

#include "analyse/words/sentence.h"
#include "analyse/words/sentence_words.h"

#include <string.h>

struct pen {
	const struct seep_evidence *evidence;
	const struct seep_unit *unit;
	struct seep_arena *arena;
};

static const char *size_of(const struct pen *pen, double bytes)
{
	return seep_sentence_size(bytes, pen->arena);
}

static const char *tell_events(const struct pen *pen)
{
	const struct seep_evidence *evidence = pen->evidence;
	size_t n = evidence->run->has_heap ? evidence->heap.n : evidence->rss.n;

	return seep_arena_printf(pen->arena, "memory was read in %s",
				 seep_unit_span(pen->unit, (double)n, pen->arena));
}

static const char *tell_trend(const struct pen *pen, const struct seep_trend *trend,
			      const char *what)
{
	if (!trend->bytes_per_event.known)
		return seep_arena_printf(pen->arena, "%s has no rate", what);
	return seep_arena_printf(pen->arena, "%s changes by %s at the end; up to %s is tolerated",
				 what, seep_sentence_range(&trend->bytes_per_event, pen->unit,
							   pen->arena),
				 seep_sentence_per(trend->tolerance, pen->unit, pen->arena));
}

static const char *tell_total(const struct pen *pen)
{
	const struct seep_evidence *evidence = pen->evidence;

	return evidence->run->has_heap ? tell_trend(pen, &evidence->heap_trend, "live heap")
				       : tell_trend(pen, &evidence->rss_trend, "RSS");
}

static const char *tell_rss(const struct pen *pen)
{
	return tell_trend(pen, &pen->evidence->rss_trend, "RSS");
}

static const char *tell_rise(const struct pen *pen)
{
	const struct seep_evidence *evidence = pen->evidence;
	bool heap = evidence->run->has_heap;
	const struct seep_trend *trend = heap ? &evidence->heap_trend : &evidence->rss_trend;

	return seep_arena_printf(pen->arena, "%s rose by %s in all; %s",
				 heap ? "live heap" : "RSS", size_of(pen, trend->rise),
				 tell_total(pen));
}

static const char *tell_collected(const struct pen *pen)
{
	return seep_arena_printf(pen->arena, "a full collection freed %s at the end; %s",
				 size_of(pen, (double)pen->evidence->run->collected_bytes),
				 tell_total(pen));
}

static const char *tell_sites(const struct pen *pen)
{
	const struct seep_evidence *evidence = pen->evidence;
	size_t n = evidence->run->n_sites;
	const char *counts = seep_arena_printf(pen->arena, "%zu of %s leak%s, %zu %s suspect",
					       evidence->n_leaks,
					       seep_sentence_count(n, "site", pen->arena),
					       evidence->n_leaks == 1 ? "s" : "",
					       evidence->suspects,
					       evidence->suspects == 1 ? "is" : "are");

	if (!evidence->n_leaks)
		return counts;
	return seep_arena_printf(pen->arena, "%s; the leaks keep %s", counts,
				 seep_sentence_range(&evidence->leak_rate, pen->unit, pen->arena));
}

static const char *tell_sites_and_total(const struct pen *pen)
{
	return seep_arena_printf(pen->arena, "%s; %s", tell_sites(pen), tell_total(pen));
}

static const char *tell_mapped(const struct pen *pen)
{
	const struct seep_evidence *evidence = pen->evidence;

	if (!evidence->n_others)
		return "no site outside the heap keeps memory";
	return seep_arena_printf(pen->arena, "%s outside the heap keep%s %s; %s",
				 seep_sentence_count(evidence->n_others, "site", pen->arena),
				 evidence->n_others == 1 ? "s" : "",
				 seep_sentence_per(evidence->others_rate.value, pen->unit,
						   pen->arena), tell_rss(pen));
}

static const char *tell_outside(const struct pen *pen)
{
	const struct seep_outside *outside = &pen->evidence->outside;

	if (outside->kind)
		return seep_arena_printf(pen->arena, "%s was added outside live blocks; %s",
					 size_of(pen, outside->rise), tell_total(pen));
	if (!outside->anchored)
		return "nothing significant was added outside live blocks";
	return seep_arena_printf(pen->arena, "nothing significant was added outside live blocks: "
				 "RSS rose by %s, the live heap by %s", size_of(pen, outside->rss),
				 size_of(pen, outside->live));
}

static const char *tell_array(const struct pen *pen)
{
	const struct seep_evidence *evidence = pen->evidence;

	if (!evidence->grown && !evidence->may_grow)
		return "no array or queue grows";
	return seep_arena_printf(pen->arena, "one %s, by %s",
				 evidence->grown_queues ? "queue" : "array",
				 seep_sentence_per(evidence->grown_rate.value, pen->unit,
						   pen->arena));
}

static const char *tell_filling(const struct pen *pen)
{
	const struct seep_evidence *evidence = pen->evidence;

	return seep_arena_printf(pen->arena, "%s fill%s up, with %s so far; %s",
				 seep_sentence_count(evidence->filling, "site", pen->arena),
				 evidence->filling == 1 ? "s" : "",
				 size_of(pen, evidence->filling_bytes), tell_total(pen));
}

static const char *tell_clean(const struct pen *pen)
{
	const struct seep_evidence *evidence = pen->evidence;

	if (!evidence->clean_rate.known)
		return "the upper bound on what the sites keep is unknown";
	return seep_arena_printf(pen->arena, "the sites keep at most %s (95 %%)",
				 seep_sentence_per(evidence->clean_rate.high, pen->unit,
						   pen->arena));
}

static const char *tell_keeping(const struct pen *pen)
{
	return seep_arena_printf(pen->arena, "%s keep%s memory; %s",
				 seep_sentence_count(pen->evidence->keeping, "site", pen->arena),
				 pen->evidence->keeping == 1 ? "s" : "", tell_sites_and_total(pen));
}

static const char *tell_young(const struct pen *pen)
{
	return seep_arena_printf(pen->arena, "%s is in blocks that may yet be freed; %s",
				 size_of(pen, pen->evidence->young_bytes),
				 tell_sites_and_total(pen));
}

static const char *tell_samples(const struct pen *pen)
{
	uint64_t seen = seep_evidence_samples(pen->evidence);

	return seep_arena_printf(pen->arena, "%s of the sample %s alive",
				 seep_sentence_count((size_t)seen, "block", pen->arena),
				 seen == 1 ? "is" : "are");
}

struct line {
	const char *id;
	const char *(*tell)(const struct pen *pen);
	const char *before[SEEP_EXPLAIN_BEFORE]; /* ids of earlier rules to mention */
};

static const struct line lines[] = {
	{ "no-events", tell_events, { NULL } },
	{ "few-events", tell_events, { NULL } },
	{ "rss-grows", tell_rss, { NULL } },
	{ "mapped", tell_mapped, { NULL } },
	{ "batch", tell_keeping, { "mapped" } },
	{ "collector", tell_sites, { "mapped" } },
	{ "window", tell_young, { "batch", "mapped" } },
	{ "few-disagree", tell_sites_and_total, { "mapped" } },
	{ "leak-total", tell_sites_and_total, { "mapped" } },
	{ "leak-sites", tell_sites, { "leak-total", "mapped" } },
	{ "array", tell_array, { "leak-sites", "mapped" } },
	{ "array-open", tell_array, { "leak-sites", "mapped" } },
	{ "collected", tell_collected, { "leak-sites", "collector" } },
	{ "tolerated-outside", tell_outside, { "leak-sites", "array" } },
	{ "tolerated", tell_total, { "leak-sites", "tolerated-outside" } },
	{ "filling", tell_filling, { "leak-sites", "tolerated" } },
	{ "not-asked", tell_outside, { "leak-sites", "filling" } },
	{ "touched", tell_outside, { "leak-sites", "filling" } },
	{ "outside-ended", tell_outside, { "leak-sites", "filling" } },
	{ "outside", tell_outside, { "leak-sites", "filling" } },
	{ "no-site", tell_sites_and_total, { "filling", "outside" } },
	{ "clean-step", tell_rise, { "leak-sites", "outside" } },
	{ "clean-filling", tell_filling, { "leak-sites", "outside" } },
	{ "clean", tell_clean, { "leak-sites", "outside" } },
	{ "coarse", tell_samples, { "leak-sites", "clean" } },
	{ "bounded", tell_total, { "leak-sites", "outside" } },
	{ "little-kept", tell_clean, { "leak-sites", "bounded" } },
	{ "levels-off", tell_rise, { "leak-sites", "outside" } },
	{ "step", tell_rise, { "leak-sites", "outside" } },
	{ "teeth", tell_total, { "leak-sites", "outside" } },
	{ "flat", tell_total, { "leak-sites", "outside" } },
	{ "noise", tell_total, { "leak-sites", "flat" } },
};

static const struct line *find_line(const struct seep_rule *rule)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (!strcmp(lines[i].id, rule->id))
			return &lines[i];
	return NULL;
}

static const struct seep_rule *find_rule(const char *id)
{
	for (size_t i = 0; id && i < seep_rules_n; i++)
		if (!strcmp(seep_rules[i].id, id))
			return &seep_rules[i];
	return NULL;
}

/* A run without heap data has no sites, so its rules about sites are not mentioned. */
size_t seep_explain_before(const struct seep_rule *rule, const struct seep_evidence *evidence,
			   const struct seep_rule *before[SEEP_EXPLAIN_BEFORE])
{
	static const char *const rss_only[SEEP_EXPLAIN_BEFORE] = { "rss-grows", "flat" };
	const struct line *line = find_line(rule);
	const char *const *ids = line ? line->before : rss_only;
	size_t n = 0;

	if (!evidence->run->has_heap)
		ids = rss_only;
	for (size_t i = 0; i < SEEP_EXPLAIN_BEFORE; i++) {
		const struct seep_rule *other = find_rule(ids[i]);

		if (other && other < rule && !other->holds(evidence))
			before[n++] = other;
	}
	return n;
}

const char *seep_explain_numbers(const struct seep_rule *rule,
				 const struct seep_evidence *evidence,
				 const struct seep_unit *unit, struct seep_arena *arena)
{
	const struct pen pen = { evidence, unit, arena };
	const struct line *line = find_line(rule);

	return line ? line->tell(&pen) : NULL;
}
