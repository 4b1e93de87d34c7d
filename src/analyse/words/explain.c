/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/words/explain.h"

#include "analyse/words/explain_rules.h"
#include "analyse/words/sentence.h"
#include "analyse/words/sentence_words.h"

#include <math.h>

#define STEPS_MAX 24

struct pen {
	struct seep_verdict *verdict;
	struct seep_unit unit;
	struct seep_arena *arena;
};

static void add(struct pen *pen, const char *text)
{
	if (pen->verdict->n_reasoning < STEPS_MAX)
		pen->verdict->reasoning[pen->verdict->n_reasoning++] = text;
}

static const char *name_shape(enum seep_shape shape)
{
	static const char *const names[SEEP_SHAPES] = {
		[SEEP_SHAPE_FLAT] = "flat", [SEEP_SHAPE_LINE] = "line",
		[SEEP_SHAPE_STEP] = "step", [SEEP_SHAPE_STEP_LINE] = "step and line",
		[SEEP_SHAPE_CURVE] = "levelling off", [SEEP_SHAPE_BEND] = "levelling off to a line",
		[SEEP_SHAPE_KINK] = "kink",
	};

	return names[shape];
}

static const char *name_course(const struct seep_trend *trend)
{
	switch (trend->course) {
	case SEEP_COURSE_FLAT:
		return trend->bytes_per_event.low > 0 ? "it grows by less than that"
						      : "it does not grow";
	case SEEP_COURSE_GROWS:
		return "it grows";
	case SEEP_COURSE_LEVELS_OFF:
		return "it has grown and is levelling off";
	case SEEP_COURSE_STEP:
		return trend->steps > 1 ? "it rose in a few steps" : "it rose once";
	case SEEP_COURSE_TEETH:
		return "it goes up and down, but its troughs do not rise";
	case SEEP_COURSE_OPEN:
		break;
	}
	return "the data neither show growth nor rule it out";
}

/* "line; worse by BIC: flat 40, step 33 ..." */
static const char *list_shapes(const struct seep_shape_fit *fit, struct seep_arena *arena)
{
	const char *list = "";
	size_t i;

	for (i = 0; i < SEEP_SHAPES; i++)
		if (i != fit->shape && !isinf(fit->bic[i]))
			list = seep_arena_printf(arena, "%s%s%s %.0f", list, *list ? ", " : "",
						 name_shape(i), fit->bic[i] - fit->bic[fit->shape]);
	return seep_arena_printf(arena, "%s; worse by BIC: %s", name_shape(fit->shape), list);
}

static void add_jumps(struct pen *pen, const struct seep_trend *trend, const char *what)
{
	if (trend->parts > 1)
		add(pen, seep_arena_printf(pen->arena, "%s: %zu parts between restarts, judged "
					   "separately and pooled%s", what, trend->parts,
					   trend->unlike ? "; they grow at different rates" : ""));
	if (trend->teeth.found)
		add(pen, seep_arena_printf(pen->arena, "%s: %zu drops of %s on average; judged by "
					   "its troughs", what, trend->teeth.drops,
					   seep_sentence_size(trend->teeth.height, pen->arena)));
	else if (trend->stairs.found)
		add(pen, seep_arena_printf(pen->arena, "%s: rises in %zu steps of %s on average, "
					   "and stays level between them", what,
					   trend->stairs.steps,
					   seep_sentence_size(trend->stairs.height, pen->arena)));
}

static void add_trend(struct pen *pen, const struct seep_trend *trend,
		      const struct seep_rate *rate, const char *what)
{
	if (!rate->n)
		return;
	if (rate->bytes_per_event.known)
		add(pen, seep_arena_printf(pen->arena,
			"%s: straight-line fit after %s: %s; random-walk share of the noise %.2f, "
			"probability of no growth %.2g", what,
			seep_sentence_count(rate->first, "warm-up anchor", pen->arena),
			seep_sentence_range(&rate->bytes_per_event, &pen->unit, pen->arena),
			rate->mix.walk_weight, rate->p_plus));
	add_jumps(pen, trend, what);
	if (trend->fit.known)
		add(pen, seep_arena_printf(pen->arena, "%s: shape %s", what,
					   list_shapes(&trend->fit, pen->arena)));
	add(pen, seep_arena_printf(pen->arena, "%s: at the end %s; up to %s is tolerated; %s",
				   what, trend->bytes_per_event.known
				   ? seep_sentence_range(&trend->bytes_per_event, &pen->unit,
							 pen->arena) : "no rate",
				   seep_sentence_per(trend->tolerance, &pen->unit, pen->arena),
				   name_course(trend)));
}

static void add_sites(struct pen *pen, const struct seep_evidence *evidence)
{
	const struct seep_estimate *total = &evidence->heap_rate.bytes_per_event;
	struct seep_arena *arena = pen->arena;

	if (!evidence->run->has_heap)
		return;
	add(pen, seep_arena_printf(arena, "sites: of %zu, %zu leak, %zu fill up, %zu drain, %zu "
				   "suspect, %zu too young to judge; based on the blocks of %s",
				   evidence->run->n_sites, evidence->n_leaks,
				   evidence->filling, evidence->draining, evidence->suspects,
				   evidence->immature,
				   seep_unit_span(&pen->unit, (double)evidence->clock.complete,
						  arena)));
	if (evidence->n_leaks && total->known)
		add(pen, seep_arena_printf(arena, "cross-check: the leaking sites keep %s; the "
					   "live heap grows by %s",
					   seep_sentence_range(&evidence->leak_rate, &pen->unit,
							       arena),
					   seep_sentence_range(total, &pen->unit, arena)));
	else if (evidence->run->n_sites)
		add(pen, seep_arena_printf(arena, "sites that seem to keep nothing: at most %s "
					   "(95 %%); not judged: %s",
					   seep_sentence_per(evidence->kept.high, &pen->unit,
							     arena),
					   seep_sentence_size(evidence->open_bytes, arena)));
}

static void add_parts(struct pen *pen, const struct seep_outside *out)
{
	struct seep_arena *arena = pen->arena;

	add(pen, seep_arena_printf(arena, "from the first anchors to the last: RSS %s, live heap "
				   "%s, free in the allocator %s, held outside the heap %s, files "
				   "and shared memory %s", seep_sentence_size(out->rss, arena),
				   seep_sentence_size(out->live, arena),
				   seep_sentence_size(out->slack, arena),
				   seep_sentence_size(out->held, arena),
				   seep_sentence_size(out->files, arena)));
}

static void add_outside(struct pen *pen, const struct seep_evidence *evidence)
{
	const struct seep_outside *out = &evidence->outside;
	struct seep_arena *arena = pen->arena;

	if (out->anchored)
		add_parts(pen, out);
	if (out->asked && evidence->run->probe.asked)
		add(pen, seep_arena_printf(arena, "the allocator was asked to give back its free "
					   "memory: it gave back %s of %s, %.0f %%",
					   seep_sentence_size(out->given_back, arena),
					   seep_sentence_size(out->free_resident, arena),
					   100 * out->gain));
	else if (out->asked)
		add(pen, seep_arena_printf(arena, "the allocator had too little free memory to be "
					   "asked for it: %s",
					   seep_sentence_size(out->free_resident, arena)));
}

static void add_rule(struct pen *pen, const struct seep_evidence *evidence,
		     const struct seep_rule *rule, bool holds)
{
	const char *numbers = seep_explain_numbers(rule, evidence, &pen->unit, pen->arena);

	add(pen, seep_arena_printf(pen->arena, "%s %s: %s  %s%s%s",
				   holds ? "decided by rule" : "before it, rule", rule->id,
				   rule->question, holds ? "Yes" : "No", numbers ? ": " : "",
				   numbers ? numbers : ""));
}

/* The rule that decided, and those that a reader may have expected instead. */
static void add_rules(struct pen *pen, const struct seep_evidence *evidence)
{
	const struct seep_rule *before[SEEP_EXPLAIN_BEFORE];
	const struct seep_rule *rule = pen->verdict->rule;
	size_t n = seep_explain_before(rule, evidence, before);

	add_rule(pen, evidence, rule, true);
	for (size_t i = 0; i < n; i++)
		add_rule(pen, evidence, before[i], false);
}

void seep_explain(struct seep_verdict *verdict, const struct seep_evidence *evidence,
		  struct seep_arena *arena)
{
	struct pen pen = { verdict, seep_unit_of(evidence->run, verdict), arena };

	verdict->reasoning = seep_arena_array(arena, STEPS_MAX, sizeof(*verdict->reasoning));
	verdict->n_reasoning = 0;
	add_rules(&pen, evidence);
	add_trend(&pen, &evidence->heap_trend, &evidence->heap_rate, "live heap");
	add_trend(&pen, &evidence->rss_trend, &evidence->rss_rate, "RSS");
	add_sites(&pen, evidence);
	add_outside(&pen, evidence);
}
