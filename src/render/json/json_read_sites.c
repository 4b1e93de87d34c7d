/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/json/json_fields.h"
#include "render/view.h"

#define AGES_BLOCKS ((uint64_t)1 << 20)

static void read_frame(struct seep_frame *frame, const json_t *from, struct seep_arena *arena)
{
	const char *language = json_string_value(json_object_get(from, "language"));
	int64_t line = seep_json_count(from, "line");

	frame->function = seep_json_text(from, "function", arena);
	if (!frame->function)
		frame->function = "(unknown)";
	frame->file = seep_json_text(from, "file", arena);
	frame->module = seep_json_text(from, "module", arena);
	frame->language = language && !strcmp(language, "python") ? "python" : "c";
	frame->line = line <= INT32_MAX ? (int)line : 0;
	frame->inlined = seep_json_bool(from, "inlined");
}

static void read_stack(struct seep_stack *stack, const json_t *from, const json_t *own,
		       struct seep_arena *arena)
{
	json_int_t index = json_integer_value(own);

	stack->n_frames = json_array_size(from);
	stack->frames = seep_arena_array(arena, stack->n_frames + 1, sizeof(*stack->frames));
	for (size_t i = 0; i < stack->n_frames; i++)
		read_frame(&stack->frames[i], json_array_get(from, i), arena);
	if (!stack->n_frames) {
		read_frame(&stack->frames[0], NULL, arena);
		stack->n_frames = 1;
	}
	if (index > 0 && (size_t)index < stack->n_frames)
		stack->own_frame = (size_t)index;
}

/*
 * Ages with this median.  A bin counts as evenly filled, so some blocks below it or above it move
 * the median to its place in the bin.
 */
static void make_ages(uint64_t *ages, double median)
{
	size_t bin = median < 1 ? 0 : (size_t)fmin(floor(log2(median)) + 1,
						   SEEP_TRACE_AGE_BINS - 1);
	double low = bin ? exp2((double)bin - 1) : 0, width = bin ? low - 1 : 0;
	double part = width > 0 ? fmin((median - low) / width, 1) : .5;

	ages[bin] = AGES_BLOCKS;
	if (part < .5)
		ages[0] += (uint64_t)((1 - 2 * part) * (double)AGES_BLOCKS);
	else if (bin + 1 < SEEP_TRACE_AGE_BINS)
		ages[bin + 1] += (uint64_t)((2 * part - 1) * (double)AGES_BLOCKS);
}

static void read_freed_by(struct seep_site *site, const json_t *from, struct seep_arena *arena)
{
	site->n_freed_by = json_array_size(from);
	site->freed_by = seep_arena_array(arena, site->n_freed_by, sizeof(*site->freed_by));
	for (size_t i = 0; i < site->n_freed_by; i++) {
		const json_t *freed = json_array_get(from, i);
		double age = seep_json_number(freed, "median_age_events");

		site->freed_by[i].blocks = (uint64_t)seep_json_count(freed, "objects");
		if (age >= 0 && isfinite(age))
			make_ages(site->freed_by[i].ages, age);
		read_stack(&site->freed_by[i].stack, json_object_get(freed, "stack"), NULL, arena);
	}
}

static void read_bins(uint64_t *bins, size_t n, const json_t *from)
{
	for (size_t i = 0; i < n; i++) {
		double value = json_number_value(json_array_get(from, i));

		bins[i] = value > 0 ? (uint64_t)fmin(value, SEEP_JSON_COUNT_MAX) : 0;
	}
}

static void read_cohorts(struct seep_cohorts *cohorts, const json_t *from,
			 struct seep_arena *arena)
{
	const json_t *blocks = json_object_get(from, "live_objects");
	const json_t *bytes = json_object_get(from, "live_bytes");
	size_t n = json_array_size(blocks);

	if (n > SEEP_TRACE_COHORT_BINS)
		n = SEEP_TRACE_COHORT_BINS;
	cohorts->first_event = seep_json_count(from, "first_event") % INT32_MAX;
	cohorts->events_per_bin = seep_json_count(from, "events_per_bin") % INT32_MAX;
	if (cohorts->events_per_bin < 1)
		cohorts->events_per_bin = 1;
	cohorts->n_bins = n;
	cohorts->live_blocks = seep_arena_array(arena, n, sizeof(*cohorts->live_blocks));
	cohorts->live_bytes = seep_arena_array(arena, n, sizeof(*cohorts->live_bytes));
	read_bins(cohorts->live_blocks, n, blocks);
	read_bins(cohorts->live_bytes, n, bytes);
	cohorts->early_blocks = (uint64_t)seep_json_count(from, "early_objects");
	cohorts->early_bytes = (uint64_t)seep_json_count(from, "early_bytes");
}

static uint32_t read_kind(const json_t *site)
{
	const char *kind = json_string_value(json_object_get(site, "kind"));

	for (uint32_t k = SEEP_MEMORY_HEAP; kind && k <= SEEP_MEMORY_BRK; k++) {
		const struct seep_site one = { .kind = k };

		if (!strcmp(kind, seep_view_site_kind(&one)))
			return k;
	}
	return SEEP_MEMORY_HEAP;
}

static enum seep_site_verdict read_verdict(const json_t *site)
{
	const char *name = json_string_value(json_object_get(site, "verdict"));

	for (enum seep_site_verdict v = SEEP_SITE_LEAK; name && v <= SEEP_SITE_NONE; v++)
		if (!strcmp(name, seep_verdict_site_name(v)))
			return v;
	return SEEP_SITE_NONE;
}

static void read_site(struct seep_run *run, struct seep_site *site, const json_t *from,
		      struct seep_arena *arena)
{
	site->kind = read_kind(from);
	site->after_stamp = seep_json_read_name(run, seep_json_text(from, "phase", arena));
	site->born_blocks = (uint64_t)seep_json_count(from, "born");
	site->died_blocks = (uint64_t)seep_json_count(from, "died");
	site->pinned_bytes = (uint64_t)seep_json_count(from, "pinned_bytes");
	read_stack(&site->stack, json_object_get(from, "stack"),
		   json_object_get(from, "own_frame"), arena);
	read_freed_by(site, json_object_get(from, "freed_by"), arena);
	read_cohorts(&site->cohorts, json_object_get(from, "cohorts"), arena);
}

static void read_result(struct seep_site_result *result, const json_t *from)
{
	const json_t *survival = json_object_get(from, "survival");

	result->verdict = read_verdict(from);
	result->bytes_per_event = seep_json_estimate(from, "bytes_per_event");
	result->objects_per_event = seep_json_figure(from, "objects_per_event");
	result->object_bytes = seep_json_figure(from, "object_bytes");
	result->live_blocks = (uint64_t)seep_json_count(from, "live_objects");
	result->live_bytes = (uint64_t)seep_json_count(from, "live_bytes");
	result->share = seep_json_figure(from, "share");
	result->kept = seep_json_estimate(survival, "kept");
	result->kept_age = seep_json_count(survival, "age_events");
	result->mature_age = seep_json_count(survival, "mature_age_events");
}

/* What a site is suspected of is with the verdict. */
static void read_suspects(struct seep_verdict *verdict, const json_t *suspects)
{
	for (size_t i = 0; i < json_array_size(suspects); i++) {
		const json_t *from = json_array_get(suspects, i);
		int64_t rank = seep_json_count(from, "rank");
		const char *reason = json_string_value(json_object_get(from, "reason"));
		struct seep_site_result *result;

		if (!rank || rank > (int64_t)verdict->n_sites)
			continue;
		result = &verdict->sites[rank - 1];
		result->events_needed = seep_json_figure(from, "events_needed");
		for (enum seep_doubt d = SEEP_DOUBT_FEW; reason && d <= SEEP_DOUBT_COLLECTOR; d++)
			if (!strcmp(reason, seep_verdict_doubt_name(d)))
				result->doubt = d;
	}
}

void seep_json_read_sites(struct seep_run *run, struct seep_verdict *verdict,
			  const json_t *report, struct seep_arena *arena)
{
	const json_t *sites = json_object_get(report, "sites");
	size_t n = json_array_size(sites);

	run->sites = seep_arena_array(arena, n, sizeof(*run->sites));
	verdict->sites = seep_arena_array(arena, n, sizeof(*verdict->sites));
	run->n_sites = verdict->n_sites = n;
	run->has_heap = run->has_heap || n;
	for (size_t i = 0; i < n; i++) {
		const json_t *from = json_array_get(sites, i);

		read_site(run, &run->sites[i], from, arena);
		verdict->sites[i].site = &run->sites[i];
		read_result(&verdict->sites[i], from);
		if (run->sites[i].kind == SEEP_MEMORY_HEAP &&
		    (double)run->live_bytes < SEEP_JSON_COUNT_MAX &&
		    (double)run->live_blocks < SEEP_JSON_COUNT_MAX) {
			run->live_bytes += (int64_t)verdict->sites[i].live_bytes;
			run->live_blocks += (int64_t)verdict->sites[i].live_blocks;
		}
	}
	read_suspects(verdict, json_object_get(json_object_get(report, "verdict"), "suspects"));
}
