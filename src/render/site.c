/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/site.h"
#include "render/grid.h"
#include "render/safe.h"
#include "render/sizes.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define COHORT_ROWS 16
#define BAR_COLUMNS 40

#define LABEL_BLANK "            "

/* "not accused", and why not if its blocks are seen to die. */
static const char *tell_innocence(const struct seep_view *view, const struct seep_site *site)
{
	double age = seep_view_median_age(site->ages);
	const char *blocks = site->died_blocks >= site->born_blocks / 2 ? "its blocks"
									: "some of its blocks";

	if (!site->died_blocks || age < 0)
		return "not accused";
	if (age == 0)
		return seep_arena_printf(view->arena, "not accused: %s are freed in the %s of "
					 "their birth", blocks, seep_view_axis(view).noun);
	return seep_arena_printf(view->arena, "not accused: %s are freed, median age %s", blocks,
				 seep_view_events(view, age));
}

static void print_headline(const struct seep_view *view, size_t rank)
{
	const struct seep_site_result *result = &view->verdict->sites[rank - 1];
	const struct seep_estimate *rate = &result->bytes_per_event;
	struct seep_view_axis axis = seep_view_axis(view);
	enum seep_style_ink ink = seep_view_is_guilty(result) ? SEEP_INK_BAD : SEEP_INK_PLAIN;
	const char *name = seep_verdict_site_name(result->verdict);

	fprintf(view->out, "site %zu of %zu  %s%s%s", rank, view->verdict->n_sites,
		seep_style_on(&view->style, ink),
		result->verdict == SEEP_SITE_NONE ? tell_innocence(view, result->site)
						  : seep_view_capitals(view, name),
		seep_style_off(&view->style, ink));
	if (rate->known && result->verdict != SEEP_SITE_NONE) {
		struct seep_size_pair pair = seep_size_interval(
			rate->value * axis.scale, rate->low * axis.scale, rate->high * axis.scale);

		fprintf(view->out, "  %s/%s  [%s]", pair.value, axis.per, pair.interval);
	}
	if (result->share > 0)
		fprintf(view->out, "  %s of the growth", seep_size_percent(result->share).text);
	fputc('\n', view->out);
}

static void print_facts(const struct seep_view *view, const struct seep_site_result *result)
{
	const struct seep_site *site = result->site;
	const char *phase = seep_view_site_phase(view->run, site);
	struct seep_view_axis axis = seep_view_axis(view);

	if (site->kind != SEEP_SITE_HEAP)
		fprintf(view->out, "  memory    %s\n", seep_view_site_kind(site));
	fprintf(view->out, "  blocks    %s", seep_size_format(result->object_bytes).text);
	if (result->bytes_per_event.known && result->verdict != SEEP_SITE_NONE)
		fprintf(view->out, " x %s/%s",
			seep_size_count(result->objects_per_event * axis.scale).text, axis.per);
	fprintf(view->out, "\n  phase     %s%s\n", phase ? "after " : "before the first stamp",
		phase ? seep_safe_text(view->arena, phase) : "");
	fprintf(view->out, "  born      %" PRIu64 " (%s)", site->born_blocks,
		seep_size_format((double)site->born_bytes).text);
	fprintf(view->out, ", died %" PRIu64 " (%s)", site->died_blocks,
		seep_size_format((double)site->died_bytes).text);
	fprintf(view->out, ", live %" PRIu64 " (%s)\n", result->live_blocks,
		seep_size_format((double)result->live_bytes).text);
	if (site->moved_blocks)
		fprintf(view->out, "  moved     %" PRIu64 " times by realloc\n",
			site->moved_blocks);
}

static void print_stack(const struct seep_view *view, const char *label,
			const struct seep_stack *stack)
{
	struct seep_grid grid;

	seep_grid_init(&grid, view->arena, 3);
	grid.columns[0].least = 30;
	grid.columns[1].least = 16;
	grid.columns[2].least = 12;
	for (size_t i = 0; i < stack->n_frames; i++) {
		const struct seep_frame *frame = &stack->frames[i];
		const char **row = seep_grid_add(&grid);

		row[0] = seep_arena_printf(view->arena, "%s%s",
					   seep_safe_text(view->arena, frame->function),
					   frame->inlined ? " (inlined)" : "");
		row[1] = frame->file ? seep_view_place(view, frame) : "";
		row[2] = frame->module ? seep_safe_text(view->arena, frame->module) : "";
	}
	if (stack->n_frames)
		seep_grid_print(&grid, view->out, label, view->style.width);
	else
		fprintf(view->out, "%sthe stack is not known\n", label);
}

/* What the figures stand on, where they are estimates. */
static void print_samples(const struct seep_view *view, const struct seep_cohorts *cohorts)
{
	uint64_t seen = 0;

	if (!view->run->sampling.mean_bytes)
		return;
	for (size_t b = 0; cohorts->samples && b < cohorts->n_bins; b++)
		seen += cohorts->samples[b];
	fprintf(view->out, "  sampled   1 per %s; %" PRIu64 " of the live blocks were seen\n",
		seep_size_format((double)view->run->sampling.mean_bytes).text, seen);
}

static const char *tell_age(const struct seep_view *view, double age)
{
	if (age < 0)
		return "age not known";
	if (seep_view_axis(view).time)
		return seep_arena_printf(view->arena, "median age %s",
					 age > 0 ? seep_view_events(view, age) : "below a slice");
	if (age == 0)
		return "median age 0 events: in the event of their birth";
	return seep_arena_printf(view->arena, "median age %.0f event%s", age, age == 1 ? "" : "s");
}

static void print_freed_by(const struct seep_view *view, const struct seep_site *site)
{
	if (!site->n_freed_by) {
		fprintf(view->out, "  freed by  %s\n",
			site->died_blocks ? "not seen: no free of it was in the sample" : "nobody");
		return;
	}
	for (size_t i = 0; i < site->n_freed_by; i++) {
		const struct seep_freed_by *freed = &site->freed_by[i];

		fprintf(view->out, "%s%" PRIu64 " block%s in the sample, %s\n",
			i ? LABEL_BLANK : "  freed by  ", freed->blocks,
			freed->blocks == 1 ? "" : "s",
			tell_age(view, seep_view_median_age(freed->ages)));
		print_stack(view, LABEL_BLANK "  ", &freed->stack);
	}
}

static void add_cohort(const struct seep_view *view, struct seep_grid *grid, const char *name,
		       uint64_t blocks, uint64_t most)
{
	static const char bar[BAR_COLUMNS + 1] = "########################################";
	const char **row = seep_grid_add(grid);
	double length = most ? (double)blocks / (double)most * BAR_COLUMNS : 0;

	row[0] = name;
	row[1] = seep_arena_printf(view->arena, "%" PRIu64, blocks);
	row[2] = seep_arena_printf(view->arena, "%.*s", (int)ceil(length), bar);
}

/* Neighbouring bins are taken together so that the picture stays small. */
static uint64_t sum_bins(const struct seep_cohorts *cohorts, size_t first, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = first; i < first + n && i < cohorts->n_bins; i++)
		sum += cohorts->live_blocks[i];
	return sum;
}

static const char *name_cohort(const struct seep_view *view, const struct seep_cohorts *cohorts,
			       size_t bin, size_t step)
{
	const char *noun = seep_view_axis(view).noun;
	int64_t first = cohorts->first_event + (int64_t)bin * cohorts->events_per_bin;
	int64_t last = first + (int64_t)step * cohorts->events_per_bin - 1;

	if (view->run->n_events && last >= seep_run_marked(view->run))
		last = seep_run_marked(view->run) - 1;
	if (last <= first)
		return seep_arena_printf(view->arena, "%s %" PRId64, noun, first);
	return seep_arena_printf(view->arena, "%ss %" PRId64 " to %" PRId64, noun, first, last);
}

static void print_cohorts(const struct seep_view *view, const struct seep_site_result *result)
{
	const struct seep_cohorts *cohorts = &result->site->cohorts;
	size_t step = (cohorts->n_bins + COHORT_ROWS - 1) / COHORT_ROWS;
	uint64_t most = cohorts->early_blocks;
	struct seep_grid grid;

	if (!result->live_blocks || (!cohorts->n_bins && !cohorts->early_blocks))
		return;
	for (size_t bin = 0; bin < cohorts->n_bins; bin += step)
		if (sum_bins(cohorts, bin, step) > most)
			most = sum_bins(cohorts, bin, step);
	seep_grid_init(&grid, view->arena, 3);
	grid.columns[1].right = true;
	if (cohorts->early_blocks)
		add_cohort(view, &grid, seep_arena_printf(view->arena, "before the %ss",
							  seep_view_axis(view).noun),
			   cohorts->early_blocks, most);
	for (size_t bin = 0; bin < cohorts->n_bins; bin += step)
		add_cohort(view, &grid, name_cohort(view, cohorts, bin, step),
			   sum_bins(cohorts, bin, step), most);
	fprintf(view->out, "  survivors by the %s of their birth\n", seep_view_axis(view).noun);
	seep_grid_print(&grid, view->out, LABEL_BLANK, view->style.width);
}

static void print_next(const struct seep_view *view, size_t rank)
{
	const struct seep_verdict *verdict = view->verdict;
	const char *trace = seep_view_trace(view);

	if (rank < verdict->n_sites && seep_view_is_guilty(&verdict->sites[rank]))
		fprintf(view->out, "next: %s report --site %zu %s\n", view->self, rank + 1,
			trace);
	else
		fprintf(view->out, "next: %s report %s\n", view->self, trace);
}

void seep_site_page(const struct seep_view *view, size_t rank)
{
	const struct seep_site_result *result = &view->verdict->sites[rank - 1];

	print_headline(view, rank);
	print_facts(view, result);
	print_samples(view, &result->site->cohorts);
	print_stack(view, "  stack     ", &result->site->stack);
	print_freed_by(view, result->site);
	print_cohorts(view, result);
	for (size_t i = view->n_recorded_notes; i < view->run->n_notes; i++)
		seep_view_wrap(view, "  note      ", view->run->notes[i]);
	print_next(view, rank);
}
