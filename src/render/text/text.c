/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report as text: a headline, then lines with a label in the first ten columns (why, phase,
 * sites, driver, RSS, OOM, note), then the next command to type.  A line without evidence is left
 * out.  Headline, suspects, drivers, gauges and advice have files of their own.
 */
#include "render/grid.h"
#include "render/safe.h"
#include "render/sizes.h"
#include "render/text/advice.h"
#include "render/text/drivers.h"
#include "render/text/gauge_lines.h"
#include "render/text/suspects.h"
#include "render/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PHASE_SHARE_MUCH .1
#define PHASE_SHARE_MIN 0.01
#define SITES_MAX 10
#define PINS_MUCH .01
#define COMMAND_COLUMNS 1000 /* a longer command is not worth pasting */
#define ROUGH_NS 1000000000

/* Whether the phase is accused, has an accused site, or grows or shrinks a lot. */
static bool is_telling_phase(const struct seep_verdict *verdict, size_t phase)
{
	if (seep_view_is_accused_phase(&verdict->phases[phase]) ||
	    fabs(verdict->phases[phase].share) >= PHASE_SHARE_MUCH)
		return true;
	for (size_t i = 0; i < verdict->n_sites; i++)
		if (seep_view_is_accused(&verdict->sites[i]) &&
		    verdict->sites[i].site->after_stamp == verdict->phases[phase].from &&
		    !verdict->phases[phase].between_events && !verdict->phases[phase].outside)
			return true;
	return false;
}

static void add_phase(const struct seep_view *view, struct seep_grid *grid, const char *name,
		      double share, bool accused)
{
	const char **row = seep_grid_add(grid);

	row[0] = name;
	row[1] = seep_arena_printf(view->arena, "%s", seep_size_percent(share).text);
	row[2] = accused ? "accused" : "";
}

/*
 * Memory that an event allocates in one phase and frees in another says nothing about what it
 * keeps.  So if the sites show where the growth is, the other phases are summed up.
 */
static void print_phases(const struct seep_view *view, bool all)
{
	const struct seep_verdict *verdict = view->verdict;
	struct seep_grid grid;
	bool telling = false;
	double rest = 0;

	if (verdict->n_phases < 2 || verdict->kind == SEEP_KIND_FLAT)
		return;
	seep_grid_init(&grid, view->arena, 3);
	grid.columns[0].least = 24;
	grid.columns[1].right = true;
	for (size_t i = 0; i < verdict->n_phases && !all; i++)
		telling = telling || is_telling_phase(verdict, i);
	for (size_t i = 0; i < verdict->n_phases; i++) {
		const struct seep_phase_share *phase = &verdict->phases[i];

		if (telling ? is_telling_phase(verdict, i) : fabs(phase->share) >= PHASE_SHARE_MIN)
			add_phase(view, &grid, seep_view_phase(view, phase), phase->share,
				  seep_view_is_accused_phase(phase));
		else
			rest += phase->share;
	}
	if (fabs(rest) >= PHASE_SHARE_MIN)
		add_phase(view, &grid, "the other phases", rest, false);
	seep_grid_print(&grid, view->out, "  phase   ", view->style.width);
}

/* "never freed", or how many blocks were freed; outside the heap, after the kind of memory. */
static const char *tell_fate(const struct seep_view *view, const struct seep_site_result *result)
{
	const char *fate = seep_view_fate(view, result->site);

	if (result->site->kind != SEEP_MEMORY_HEAP)
		fate = seep_arena_printf(view->arena, "%s, %s", seep_view_site_kind(result->site),
					 fate);
	if (result->verdict == SEEP_SITE_LEAK || result->verdict == SEEP_SITE_NONE)
		return fate;
	return seep_arena_printf(view->arena, "%s, %s", seep_verdict_site_name(result->verdict),
				 fate);
}

/* A site whose blocks pin nearly empty pages, if memory grows by that. */
static bool is_pinning(const struct seep_verdict *verdict, const struct seep_site_result *result)
{
	return verdict->kind == SEEP_KIND_FRAGMENTATION &&
	       (double)result->site->pinned_bytes >= PINS_MUCH * verdict->rise_bytes &&
	       result->site->pinned_bytes;
}

static const char *tell_rate(const struct seep_view *view, const struct seep_site_result *result)
{
	struct seep_view_axis axis = seep_view_axis(view);

	if (is_pinning(view->verdict, result))
		return seep_arena_printf(view->arena, "%s pinned by %s blocks",
					 seep_size_format((double)result->site->pinned_bytes).text,
					 seep_size_count(
						 (double)result->site->pinning_blocks).text);
	if (!seep_view_is_accused(result) && !result->live_blocks && view->run->n_dumps)
		return seep_arena_printf(view->arena, "%s live", /* massif does not count blocks */
					 seep_size_format((double)result->live_bytes).text);
	if (!seep_view_is_accused(result))
		return seep_arena_printf(view->arena, "%s in %s live",
					 seep_size_format((double)result->live_bytes).text,
					 seep_size_count((double)result->live_blocks).text);
	if (!(result->objects_per_event > 0)) /* the blocks themselves grow */
		return seep_arena_printf(view->arena, "%s/%s", seep_size_format(
						 result->bytes_per_event.value * axis.scale).text,
					 axis.per);
	/* blocks that get larger: those that the rate is about */
	return seep_arena_printf(view->arena, "%s x %s/%s",
				 seep_size_format(result->bytes_per_event.value /
						  result->objects_per_event).text,
				 seep_size_count(result->objects_per_event * axis.scale).text,
				 axis.per);
}

static void add_site(const struct seep_view *view, struct seep_grid *grid, size_t i)
{
	const struct seep_site_result *result = &view->verdict->sites[i];
	const struct seep_frame *frame = seep_view_own_frame(&result->site->stack);
	const char **row = seep_grid_add(grid);

	row[0] = seep_arena_printf(view->arena, "%zu", i + 1);
	row[1] = seep_view_site_name(view, frame);
	row[2] = seep_view_site_place(view, frame);
	row[3] = tell_rate(view, result);
	if (result->share > 0)
		row[4] = seep_arena_printf(view->arena, "%s",
					   seep_size_percent(fmin(result->share, 1)).text);
	row[5] = tell_fate(view, result);
}

static bool is_listed(const struct seep_verdict *verdict, size_t i)
{
	const struct seep_site_result *result = &verdict->sites[i];

	if (verdict->kind == SEEP_KIND_FLAT && result->site->kind == SEEP_MEMORY_HEAP)
		return false;
	if (seep_view_is_accused(result) || is_pinning(verdict, result))
		return true;
	return verdict->kind != SEEP_KIND_LEAK && verdict->kind != SEEP_KIND_FLAT &&
	       result->verdict != SEEP_SITE_NONE && result->verdict != SEEP_SITE_SUSPECT;
}

const size_t *seep_text_pick(const struct seep_verdict *verdict, const bool *hidden, bool all,
			     struct seep_arena *arena, size_t *n)
{
	size_t *picked = seep_arena_array(arena, verdict->n_sites, sizeof(*picked));

	*n = 0;
	for (size_t i = 0; i < verdict->n_sites && (all || *n < SITES_MAX); i++)
		if ((all || is_listed(verdict, i)) && !(hidden && hidden[i]))
			picked[(*n)++] = i;
	return picked;
}

/* Says what the list leaves out, so that it does not look complete. */
static void print_rest(const struct seep_view *view, size_t last)
{
	size_t n = 0;
	double share = 0;

	for (size_t i = last + 1; i < view->verdict->n_sites; i++) {
		if (!is_listed(view->verdict, i) || seep_view_hides(view, i))
			continue;
		n++;
		share += view->verdict->sites[i].share;
	}
	if (!n)
		return;
	fprintf(view->out, "          and %zu more", n);
	if (share > 0)
		fprintf(view->out, " with %s", seep_size_percent(fmin(share, 1)).text);
	fprintf(view->out, ": %s report --all %s\n", view->self, seep_view_trace(view));
}

/* What a filter hides of what would be listed, and how much that is. */
static void print_hidden(const struct seep_view *view, bool all)
{
	size_t n = 0, suspects = 0;
	double share = 0;

	for (size_t i = 0; i < view->verdict->n_sites; i++) {
		const struct seep_site_result *result = &view->verdict->sites[i];

		if (!seep_view_hides(view, i))
			continue;
		if (result->verdict == SEEP_SITE_SUSPECT) {
			suspects++;
		} else if (all || is_listed(view->verdict, i)) {
			share += result->share;
			n++;
		}
	}
	if (!view->hidden)
		return;
	fprintf(view->out, "  hidden  %zu site%s", n, n == 1 ? "" : "s");
	if (share > 0)
		fprintf(view->out, " with %s of the growth",
			seep_size_percent(fmin(share, 1)).text);
	if (suspects)
		fprintf(view->out, ", %zu suspect%s", suspects, suspects == 1 ? "" : "s");
	fprintf(view->out, " (%s)\n", view->hidden_by);
}

static void print_sites(const struct seep_view *view, bool all)
{
	struct seep_grid grid;
	size_t n;
	const size_t *picked = seep_text_pick(view->verdict, view->hidden, all, view->arena,
					      &n);

	seep_grid_init(&grid, view->arena, 6);
	grid.columns[0].right = true;
	grid.columns[1].least = 20;
	grid.columns[2].least = 14;
	grid.columns[3].right = true;
	grid.columns[4].right = true;
	for (size_t i = 0; i < n; i++) /* suspects have lines of their own */
		if (view->verdict->sites[picked[i]].verdict != SEEP_SITE_SUSPECT)
			add_site(view, &grid, picked[i]);
	seep_grid_print(&grid, view->out, "  sites   ", view->style.width);
	if (!all && n)
		print_rest(view, picked[n - 1]);
}

void seep_text_sites(const struct seep_view *view, bool all)
{
	print_sites(view, all);
	seep_suspects_print(view, all);
}

/* Leaves out a term of the sum that rounds to 0. */
static void print_term(const struct seep_view *view, struct seep_size_unit unit, const char *name,
		       double bytes)
{
	const char *text = seep_arena_printf(view->arena, "%s",
					     seep_size_in(unit, fabs(bytes)).text);

	if (strspn(text, "0.") != strlen(text))
		fprintf(view->out, " %c %s %s", bytes < 0 ? '-' : '+', name, text);
}

static void print_sum(const struct seep_view *view)
{
	const struct seep_closing_sum *sum = &view->verdict->sum;
	struct seep_view_axis axis = seep_view_axis(view);
	double scale = axis.scale;
	struct seep_size_unit unit;

	if (!sum->clear || !view->run->has_heap)
		return;
	unit = seep_size_unit_for(fmax(fabs(sum->rss), fabs(sum->heap_live)) * scale);
	fprintf(view->out, "  RSS     %s %s/%s%s = heap %s",
		seep_size_in(unit, sum->rss * scale).text, unit.name, axis.per,
		sum->mean ? " on average over the run" : "",
		seep_size_in(unit, sum->heap_live * scale).text);
	print_term(view, unit, "slack", sum->allocator_slack * scale);
	print_term(view, unit, "non-heap", sum->non_heap * scale);
	print_term(view, unit, "tracker", sum->tracker * scale);
	print_term(view, unit, "rest", sum->residual * scale);
	fputc('\n', view->out);
}

/* From a run of less than a second, the time left can only be estimated roughly. */
static void print_time_left(const struct seep_view *view, const struct seep_oom *oom)
{
	struct seep_size_text low = seep_size_duration(oom->low);
	struct seep_size_text high = seep_size_duration(oom->high);
	double unit = pow(10, floor(log10(fmax(oom->seconds, 1e-3))) - 1);

	if (view->run->wall_ns < ROUGH_NS) {
		fprintf(view->out, "in about %s",
			seep_size_duration(nearbyint(oom->seconds / unit) * unit).text);
		return;
	}
	fprintf(view->out, "in %s", seep_size_duration(oom->seconds).text);
	if (strcmp(low.text, high.text))
		fprintf(view->out, " [%s, %s]", low.text, high.text);
}

/* When the program will reach a limit that kills it, or one that slows it down. */
static void print_oom(const struct seep_view *view, const char *label, const struct seep_oom *oom)
{
	const char *source = oom->limit_source ? oom->limit_source : "unknown";
	const char *limit = seep_arena_printf(view->arena, "%s, %s",
					      seep_size_format((double)oom->limit_bytes).text,
					      seep_safe_text(view->arena, source));

	if (!oom->known)
		return;
	fputs(label, view->out);
	if (!(oom->seconds > 0)) {
		fprintf(view->out, "already above the limit (%s)\n", limit);
		return;
	}
	print_time_left(view, oom);
	fprintf(view->out, " (limit %s)\n", limit);
}

static const char *tell_ending(const struct seep_view *view)
{
	const struct seep_run *run = view->run;
	const char *how = "it was killed, or is still running";

	if (run->has_exit && run->exit_signal)
		how = seep_arena_printf(view->arena, "killed by signal %d (%s)", run->exit_signal,
					strsignal(run->exit_signal));
	else if (run->has_exit)
		how = "it exited by a direct system call, bypassing the C library";
	if (!run->killed || !run->has_heap)
		return how;
	if (!run->n_sites)
		return seep_arena_printf(view->arena,
					 "%s, before the first snapshot of the sites", how);
	return seep_arena_printf(view->arena, "%s; the sites are those of the last snapshot, %s "
				 "into the run", how,
				 seep_size_duration((double)run->snapshot_t_ns / 1e9).text);
}

static void note_ending(const struct seep_view *view)
{
	const struct seep_run *run = view->run;

	if (run->killed || (run->has_exit && run->exit_signal))
		seep_view_wrap(view, "  note    ", tell_ending(view));
	else if (!run->complete)
		seep_view_wrap(view, "  note    ",
			       "the trace is incomplete; the verdict covers what was recorded");
}

/* " note 1 damaged section ..."; prints nothing if n is 0. */
static void note_count(const struct seep_view *view, uint64_t n, const char *one, const char *many)
{
	if (n)
		fprintf(view->out, "  note    %" PRIu64 " %s\n", n, n == 1 ? one : many);
}

static void note_losses(const struct seep_view *view)
{
	const struct seep_run *run = view->run;

	note_count(view, run->dropped,
		   "allocation was not tracked: one of the tracker's tables was full",
		   "allocations were not tracked: one of the tracker's tables was full");
	note_count(view, run->missed,
		   "allocation went untracked (start-up, signal handlers)",
		   "allocations went untracked (start-up, signal handlers)");
	note_count(view, run->damaged,
		   "damaged section of the trace was skipped",
		   "damaged sections of the trace were skipped");
	for (size_t i = 0; i < run->n_notes; i++)
		seep_view_wrap(view, "  note    ", run->notes[i]);
}

/* The command to type again; cut if it is too long or cannot be typed in one line. */
const char *seep_text_command(const struct seep_view *view)
{
	const char *line = "";

	for (char **word = view->run->command; word && *word; word++) {
		const char *safe = seep_safe_text(view->arena, *word);
		const char *longer = seep_arena_printf(view->arena, "%s %s", line,
						       seep_safe_shell(view->arena, safe));

		if (*line && (strcmp(safe, *word) || seep_safe_width(longer) > COMMAND_COLUMNS))
			return seep_arena_printf(view->arena, "%s ...", line);
		line = longer;
	}
	return *line ? line : " CMD";
}

bool seep_text_has_accused(const struct seep_view *view)
{
	const struct seep_verdict *verdict = view->verdict;

	return verdict->n_sites && verdict->kind != SEEP_KIND_FLAT &&
	       (seep_view_is_accused(&verdict->sites[0]) ||
		is_pinning(verdict, &verdict->sites[0]));
}

/* The first accused site that is shown; none: n_sites. */
static size_t find_shown(const struct seep_view *view)
{
	size_t i = 0;

	while (i < view->verdict->n_sites && seep_view_hides(view, i))
		i++;
	return i < view->verdict->n_sites && seep_view_is_accused(&view->verdict->sites[i])
		       ? i : view->verdict->n_sites;
}

/* The options of seep run are not in the trace; without them the run would be a different one. */
static void print_longer(const struct seep_view *view)
{
	if (view->run_options)
		fprintf(view->out, "next: run it longer: %s run%s --%s\n", view->self,
			view->run_options, seep_text_command(view));
	else
		fprintf(view->out, "next: run it longer, %s %s\n",
			seep_view_axis(view).time ? "for at least" : "with at least",
			seep_view_events(view, view->verdict->events_needed));
}

static bool is_glibc(const struct seep_run *run)
{
	return run->probe.done && run->probe.allocator && !strcmp(run->probe.allocator, "glibc");
}

void seep_text_next(const struct seep_view *view, bool all)
{
	const struct seep_verdict *verdict = view->verdict;
	const char *trace = seep_view_trace(view);

	if (verdict->runtime)
		fprintf(view->out, "next: look into %s: %s\n", verdict->runtime->heap,
			verdict->runtime->next);
	else if (view->hidden && find_shown(view) < verdict->n_sites)
		fprintf(view->out, "next: %s report --site %zu %s\n", view->self,
			find_shown(view) + 1, trace);
	else if (seep_text_has_accused(view))
		fprintf(view->out, "next: %s report --site 1 %s\n", view->self, trace);
	else if (verdict->kind == SEEP_KIND_UNDECIDED && verdict->events_needed > 0)
		print_longer(view);
	else if (!view->run->has_heap && seep_verdict_kind_grows(verdict->kind))
		fprintf(view->out, "next: to find the lines responsible: %s run --%s\n", view->self,
			seep_text_command(view));
	else if (verdict->kind == SEEP_KIND_RETENTION && is_glibc(view->run))
		fprintf(view->out, "next: to see whether it goes away: "
			"MALLOC_TRIM_THRESHOLD_=131072 MALLOC_MMAP_THRESHOLD_=131072 %s run --%s\n",
			view->self, seep_text_command(view));
	else if (view->run->saved)
		fprintf(view->out, "next: %s run --%s\n", view->self, seep_text_command(view));
	else
		fprintf(view->out, "next: %s %s %s\n", view->self,
			verdict->n_sites && !all ? "report --all" : "plot", trace);
}

void seep_text_evidence(const struct seep_view *view, bool all)
{
	seep_text_headline(view);
	if (view->verdict->sentence)
		seep_view_wrap(view, "  why     ", view->verdict->sentence);
	print_phases(view, all);
	seep_text_sites(view, all);
	print_hidden(view, all);
	seep_drivers_print(view);
	seep_gauge_lines_print(view, all);
	print_sum(view);
	print_oom(view, "  slow    ", &view->verdict->slowdown);
	print_oom(view, "  OOM     ", &view->verdict->oom);
	if (view->verdict->panda.text)
		seep_view_wrap(view, "  PanDA   ", view->verdict->panda.text);
	seep_advice_line(view, all);
	note_ending(view);
	note_losses(view);
}

void seep_text_reasoning(const struct seep_view *view)
{
	for (size_t i = 0; i < view->verdict->n_reasoning; i++)
		seep_view_wrap(view, i ? "          " : "  how     ",
			       view->verdict->reasoning[i]);
}

void seep_text_report(const struct seep_view *view, bool all)
{
	seep_text_evidence(view, all);
	seep_text_next(view, all);
}
