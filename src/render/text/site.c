/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page of one site, from top to bottom: the verdict on it and its rate, what was allocated
 * and freed, the stack that allocates, the stacks that free, and the survivors by the event
 * of their birth.
 */
#include "render/grid.h"
#include "render/safe.h"
#include "render/sizes.h"
#include "render/text/advice.h"
#include "render/text/site.h"
#include "render/text/suspects.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define COHORT_ROWS 16
#define BAR_COLUMNS 40
#define TAB_COLUMNS 8
#define UNTOUCHED 1.5            /* times the RSS: beyond that, most of it is untouched */

#define LABEL_BLANK "            "

/* "not accused", and the reason if its blocks are freed. */
static const char *tell_innocence(const struct seep_view *view, const struct seep_site *site)
{
	double age = seep_view_median_age(site->ages);
	const char *blocks = site->died_blocks >= site->born_blocks / 2 ? "its blocks"
									: "some of its blocks";

	if (!site->died_blocks || age < 0)
		return "not accused";
	blocks = seep_arena_printf(view->arena, "not accused: %s are %s", blocks,
				   seep_view_release(site));
	if (age == 0)
		return seep_arena_printf(view->arena, seep_view_axis(view).time
						      ? "%s within %s of being allocated"
						      : "%s in the %s that allocated them",
					 blocks, seep_view_axis(view).noun);
	return seep_arena_printf(view->arena, "%s, median age %s", blocks,
				 seep_view_events(view, age));
}

/* The verdict on the site; growth outside the heap has a name of its own. */
static const char *name_verdict(const struct seep_view *view,
				const struct seep_site_result *result)
{
	const char *name = seep_verdict_site_name(result->verdict);

	if (result->verdict == SEEP_SITE_NONE)
		return tell_innocence(view, result->site);
	if (result->verdict == SEEP_SITE_LEAK && result->site->kind != SEEP_MEMORY_HEAP)
		name = seep_verdict_kind_name(SEEP_KIND_NON_HEAP);
	return seep_view_capitals(view, name);
}

static void print_headline(const struct seep_view *view, size_t rank)
{
	const struct seep_site_result *result = &view->verdict->sites[rank - 1];
	const struct seep_estimate *rate = &result->bytes_per_event;
	struct seep_view_axis axis = seep_view_axis(view);
	enum seep_style_ink ink = seep_view_is_accused(result) ? SEEP_INK_BAD : SEEP_INK_PLAIN;

	fprintf(view->out, "site %zu of %zu  %s%s%s", rank, view->verdict->n_sites,
		seep_style_on(&view->style, ink), name_verdict(view, result),
		seep_style_off(&view->style, ink));
	if (rate->known && result->verdict != SEEP_SITE_NONE) {
		struct seep_size_pair pair = seep_size_interval(
			rate->value * axis.scale, rate->low * axis.scale, rate->high * axis.scale);

		fprintf(view->out, "  %s/%s  [%s]%s", pair.value, axis.per, pair.interval,
			result->site->kind == SEEP_MEMORY_HEAP ? "" : " of address space");
	}
	if (result->share > 0)
		fprintf(view->out, "  %s of the growth",
			seep_size_percent(fmin(result->share, 1)).text);
	fputc('\n', view->out);
}

/* Why a suspect is not accused. */
static void print_doubt(const struct seep_view *view, size_t rank)
{
	size_t n;
	const struct seep_suspect *list = seep_suspect_list(view->run, view->verdict, view->arena,
							    &n);

	for (size_t i = 0; i < n; i++)
		if (list[i].rank == rank)
			seep_view_wrap(view, "  doubt     ", seep_suspects_why(view, &list[i]));
}

static void print_memory(const struct seep_view *view, const struct seep_site_result *result)
{
	const struct seep_verdict *verdict = view->verdict;
	const char *fate;

	if (result->site->kind == SEEP_MEMORY_HEAP)
		return;
	fate = seep_arena_printf(view->arena, "%s, %s", seep_view_site_kind(result->site),
				 seep_view_fate(view, result->site));
	if (verdict->kind == SEEP_KIND_NON_HEAP && seep_view_is_accused(result) &&
	    result->bytes_per_event.value > UNTOUCHED * verdict->bytes_per_event.value)
		fate = seep_arena_printf(view->arena, "%s; the rate in the report is for RSS, "
					 "which counts only touched memory", fate);
	seep_view_wrap(view, "  memory    ", fate);
}

/* "1748 (2.2 MB)"; estimates have three digits. */
static const char *tell_count(const struct seep_view *view, const struct seep_site *site,
			      uint64_t blocks, uint64_t bytes)
{
	const char *size = seep_arena_printf(view->arena, "%s",
					     seep_size_format((double)bytes).text);
	double unit = fmax(pow(10, floor(log10(fmax((double)blocks, 1))) - 2), 1);

	if (!blocks && bytes) /* massif does not count blocks */
		return size;
	if (view->run->saved && !bytes) /* the JSON does not have all sizes */
		return seep_arena_printf(view->arena, "%" PRIu64, blocks);
	if (!seep_view_is_sampled(view, site) || !blocks)
		return seep_arena_printf(view->arena, "%" PRIu64 " (%s)", blocks, size);
	return seep_arena_printf(view->arena, "about %.0f (%s)",
				 nearbyint((double)blocks / unit) * unit, size);
}

static void print_counts(const struct seep_view *view, const struct seep_site_result *result)
{
	const struct seep_site *site = result->site;

	if (view->run->cleaned_up)
		fprintf(view->out, "  as of     %s, before the clean-up at the end\n",
			seep_view_moment(view, view->run->snapshot_event));
	fprintf(view->out, "  allocated %s, ",
		tell_count(view, site, site->born_blocks, site->born_bytes));
	if (seep_view_is_sampled(view, site) && !site->died_blocks)
		fputs("none seen freed", view->out);
	else
		fprintf(view->out, "%s %s", seep_view_release(site),
			tell_count(view, site, site->died_blocks, site->died_bytes));
	fprintf(view->out, ", live %s\n",
		tell_count(view, site, result->live_blocks, result->live_bytes));
	if (site->moved_blocks)
		fprintf(view->out, "  moved     %" PRIu64 " times by realloc\n",
			site->moved_blocks);
}

static void print_lives(const struct seep_view *view, const struct seep_site_result *result)
{
	const struct seep_estimate *kept = &result->kept;

	if (!kept->known || seep_view_axis(view).time)
		return;
	fprintf(view->out, "  lives     %s of the blocks are not %s within %" PRId64
		" event%s  [%s, %s]\n", seep_size_percent(kept->value).text,
		seep_view_release(result->site), result->kept_age,
		result->kept_age == 1 ? "" : "s", seep_size_percent(kept->low).text,
		seep_size_percent(kept->high).text);
}

static void print_blocks(const struct seep_view *view, const struct seep_site_result *result)
{
	struct seep_view_axis axis = seep_view_axis(view);

	if (view->run->n_dumps && !(result->object_bytes > 0)) /* the blocks were not counted */
		return;
	fprintf(view->out, "  blocks    %s", seep_size_format(result->object_bytes).text);
	if (result->bytes_per_event.known && result->verdict != SEEP_SITE_NONE &&
	    result->objects_per_event > 0)
		fprintf(view->out, " x %s/%s",
			seep_size_count(result->objects_per_event * axis.scale).text, axis.per);
	fputc('\n', view->out);
}

/* "after Reco_HEAD", "before the first stamp", "outside events". */
static const char *tell_phase(const struct seep_view *view, uint32_t after_stamp)
{
	const struct seep_site site = { .after_stamp = after_stamp };
	const char *phase = seep_view_site_phase(view->run, &site);

	if (phase)
		return seep_arena_printf(view->arena, "after %s",
					 seep_safe_text(view->arena, phase));
	return after_stamp == SEEP_PHASE_NONE ? "outside events" : "before the first stamp";
}

/* The share of each phase of what the site keeps. */
static void print_phases(const struct seep_view *view, const struct seep_site *site)
{
	double all = 0;
	size_t i;

	for (i = 0; i < site->n_parts; i++)
		all += (double)site->parts[i].live_bytes;
	fprintf(view->out, "  phase     ");
	if (!(all > 0))
		fprintf(view->out, "%s", tell_phase(view, site->after_stamp));
	for (i = 0; i < site->n_parts && all > 0; i++)
		fprintf(view->out, "%s%s %s", i ? ", " : "",
			tell_phase(view, site->parts[i].after_stamp),
			seep_size_percent((double)site->parts[i].live_bytes / all).text);
	fputc('\n', view->out);
}

static void print_facts(const struct seep_view *view, const struct seep_site_result *result)
{
	const struct seep_site *site = result->site;

	print_memory(view, result);
	print_blocks(view, result);
	if (view->run->n_dumps) {
		fprintf(view->out, "  live      %s\n", tell_count(view, site, result->live_blocks,
								result->live_bytes));
		return;
	}
	print_phases(view, site);
	print_counts(view, result);
	print_lives(view, result);
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
		fprintf(view->out, "%sthe stack is unknown\n", label);
}

/* A tab goes to the next of the usual places, wherever the line of the page begins. */
static void print_code(const struct seep_view *view, const char *line)
{
	char *code = seep_arena_copy(view->arena, line, strlen(line));
	int column = 0;

	for (; *code == ' ' || *code == '\t'; code++)
		column = *code == '\t' ? (column / TAB_COLUMNS + 1) * TAB_COLUMNS : column + 1;
	for (char *c = code; *c; c++)
		if (*c == '\t')
			*c = ' ';
	fprintf(view->out, "%*s%s\n", *code ? column : 0, "", seep_safe_text(view->arena, code));
}

/* Code as it is, but without control characters. */
static void print_excerpt(const struct seep_view *view, const struct seep_excerpt *excerpt)
{
	int digits = snprintf(NULL, 0, "%d", excerpt->first + (int)excerpt->n - 1);

	fprintf(view->out, "  source    %s%s\n", seep_safe_text(view->arena, excerpt->path),
		excerpt->newer ? " (changed after the run)" : "");
	for (size_t i = 0; i < excerpt->n; i++) {
		int line = excerpt->first + (int)i;

		fprintf(view->out, "          %c %*d  ", line == excerpt->line ? '>' : ' ', digits,
			line);
		print_code(view, excerpt->lines[i]);
	}
}

/* The evidence for figures that are estimates. */
static void print_samples(const struct seep_view *view, const struct seep_site *site)
{
	const struct seep_cohorts *cohorts = &site->cohorts;
	uint64_t seen = 0;

	if (!seep_view_is_sampled(view, site) || view->run->n_dumps)
		return;
	for (size_t b = 0; cohorts->samples && b < cohorts->n_bins; b++)
		seen += cohorts->samples[b];
	fprintf(view->out, "  sampled   1 per %s; %" PRIu64 " of the live blocks were seen\n",
		seep_size_format((double)view->run->sampling.mean_bytes).text, seen);
}

static const char *tell_age(const struct seep_view *view, double age)
{
	if (age < 0)
		return "age unknown";
	if (seep_view_axis(view).time)
		return seep_arena_printf(view->arena, "median age %s%s", age > 0 ? "" : "below ",
					 seep_view_events(view, age > 0 ? age : 1));
	if (age == 0)
		return "median age 0 events: in the event that allocated them";
	return seep_arena_printf(view->arena, "median age %.0f event%s", age, age == 1 ? "" : "s");
}

/* "freed by", and when: the counts above may be those of an earlier moment. */
static const char *label_releases(const struct seep_view *view, const struct seep_site *site)
{
	const char *when = "";

	if (view->run->cleaned_up && site->n_freed_by)
		when = site->died_blocks ? " (including at the end)" : " (at the end)";
	return seep_arena_printf(view->arena, "  %s by%s  ", seep_view_release(site), when);
}

static const char *tell_unknown(const struct seep_view *view, const struct seep_site *site)
{
	if (site->died_blocks)
		return "not seen: none of these frees was sampled";
	return seep_view_is_sampled(view, site) ? "not seen: no sampled block was freed"
						: "nothing in this run";
}

static void print_freed_by(const struct seep_view *view, const struct seep_site *site)
{
	const char *label = label_releases(view, site);
	uint64_t all = 0;

	if (!site->n_freed_by)
		fprintf(view->out, "%s%s\n", label, tell_unknown(view, site));
	for (size_t i = 0; i < site->n_freed_by; i++)
		all += site->freed_by[i].blocks;
	for (size_t i = 0; i < site->n_freed_by; i++) {
		const struct seep_freed_by *freed = &site->freed_by[i];

		fprintf(view->out, "%s%" PRIu64 " of %" PRIu64 " sampled free%s, %s\n",
			i ? LABEL_BLANK : label, freed->blocks, all, all == 1 ? "" : "s",
			tell_age(view, seep_view_median_age(freed->ages)));
		print_stack(view, LABEL_BLANK "  ", &freed->stack);
	}
}

/* "312 dict, 208 Order" */
static void print_types(const struct seep_view *view, const struct seep_site *site)
{
	const char *text = "";

	for (size_t i = 0; i < site->n_types; i++)
		text = seep_arena_printf(view->arena, "%s%s%" PRIu64 " %s", text, i ? ", " : "",
					 site->types[i].blocks,
					 seep_safe_text(view->arena, site->types[i].name));
	if (site->n_types)
		fprintf(view->out, "  objects   %s, born in events and still alive\n", text);
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

/* Neighbouring bins are merged so that the picture stays small. */
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
	int64_t first = cohorts->first_event + (int64_t)bin * cohorts->events_per_bin;
	int64_t last = first + (int64_t)step * cohorts->events_per_bin - 1;

	if (view->run->n_events && last >= seep_run_marked(view->run))
		last = seep_run_marked(view->run) - 1;
	if (seep_view_axis(view).time)
		return seep_arena_printf(view->arena, "%s to %s", seep_view_moment(view, first),
					 seep_view_moment(view, last + 1));
	if (last <= first)
		return seep_view_moment(view, first);
	return seep_arena_printf(view->arena, "events %" PRId64 " to %" PRId64, first, last);
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
		add_cohort(view, &grid, seep_view_axis(view).time ? "at the start"
								  : "before the events",
			   cohorts->early_blocks, most);
	for (size_t bin = 0; bin < cohorts->n_bins; bin += step)
		add_cohort(view, &grid, name_cohort(view, cohorts, bin, step),
			   sum_bins(cohorts, bin, step), most);
	fprintf(view->out, "  survivors by %s of allocation\n",
		seep_view_axis(view).time ? "time" : "event");
	seep_grid_print(&grid, view->out, LABEL_BLANK, view->style.width);
}

/* What the site held at the dumps of another profiler, or at some of them if there are many. */
static void print_levels(const struct seep_view *view, const struct seep_site *site)
{
	const struct seep_run *run = view->run;
	size_t step = (site->n_levels + COHORT_ROWS - 1) / COHORT_ROWS;
	uint64_t most = 0;
	struct seep_grid grid;

	if (!site->n_levels)
		return;
	for (size_t i = 0; i < site->n_levels; i++)
		if (site->levels[i].bytes > (double)most)
			most = (uint64_t)site->levels[i].bytes;
	seep_grid_init(&grid, view->arena, 3);
	grid.columns[1].right = true;
	for (size_t i = (site->n_levels - 1) % step; i < site->n_levels; i += step) {
		const struct seep_level *level = &site->levels[i];
		size_t place = seep_run_place(run, run->dumps[level->dump].event);
		int64_t index = place < run->n_events ? run->events[place].index : 0;

		add_cohort(view, &grid, seep_view_moment(view, index), (uint64_t)level->bytes,
			   most);
	}
	fprintf(view->out, "  bytes held, by the %s of the dump\n",
		seep_view_axis(view).time ? "time" : "event");
	seep_grid_print(&grid, view->out, LABEL_BLANK, view->style.width);
}

static void print_next(const struct seep_view *view, size_t rank)
{
	const struct seep_verdict *verdict = view->verdict;
	const char *trace = seep_view_trace(view);

	if (rank < verdict->n_sites && seep_view_is_accused(&verdict->sites[rank]))
		fprintf(view->out, "next: %s report --site %zu %s\n", view->self, rank + 1,
			trace);
	else
		fprintf(view->out, "next: %s report %s\n", view->self, trace);
}

void seep_site_page(const struct seep_view *view, size_t rank)
{
	const struct seep_site_result *result = &view->verdict->sites[rank - 1];

	print_headline(view, rank);
	print_doubt(view, rank);
	print_facts(view, result);
	print_samples(view, result->site);
	seep_advice_page(view, result->site);
	print_stack(view, "  stack     ", &result->site->stack);
	if (view->excerpt)
		print_excerpt(view, view->excerpt);
	if (view->run->n_dumps) {
		print_levels(view, result->site);
	} else {
		print_types(view, result->site);
		print_freed_by(view, result->site);
		print_cohorts(view, result);
	}
	for (size_t i = view->n_recorded_notes; i < view->run->n_notes; i++)
		seep_view_wrap(view, "  note      ", view->run->notes[i]);
	print_next(view, rank);
}
