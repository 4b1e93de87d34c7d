/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The comparison of two runs as text.  The first line says what changed; then come both sides,
 * the change with its interval, and what the change consists of: phases, sites and, for live
 * memory, functions.  Lines without anything to say are left out.
 */
#include "render/text/diff.h"

#include "render/grid.h"
#include "render/safe.h"
#include "render/sizes.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define ROWS_SHOWN 10

/* "+64 B", "-1.20 kB", "0 B" */
static const char *signed_size(const struct seep_diff *diff, double bytes)
{
	return seep_arena_printf(diff->after->arena, "%s%s", bytes > 0 ? "+" : "",
				 seep_size_format(fabs(bytes) < .005 ? 0 : bytes).text);
}

/* "64 B -> 0 B"; one size if both are the same. */
static const char *two_sizes(const struct seep_diff *diff, const struct seep_compare_pair *pair,
			     const char *per)
{
	struct seep_arena *arena = diff->after->arena;
	const char *before = pair->before.known
		? seep_arena_printf(arena, "%s", seep_size_format(pair->before.value).text) : "?";
	const char *after = pair->after.known
		? seep_arena_printf(arena, "%s", seep_size_format(pair->after.value).text) : "?";

	if (!strcmp(before, after) || (pair->difference.known && !(pair->difference.value < 0) &&
				       !(pair->difference.value > 0)))
		return seep_arena_printf(arena, "%s%s%s", after, *per ? "/" : "", per);
	return seep_arena_printf(arena, "%s -> %s%s%s", before, after, *per ? "/" : "", per);
}

/* "  before  LEAK  2.13 MB/event  [2.12, 2.14]  a.seep" */
static void print_side(const struct seep_diff *diff, const char *label,
		       const struct seep_view *view, const struct seep_estimate *e, double blocks)
{
	struct seep_size_pair pair = seep_size_interval(e->value, e->low, e->high);
	FILE *out = diff->after->out;

	fprintf(out, "  %s", label);
	if (!diff->compare->live)
		fprintf(out, "%s  ", seep_view_capitals(view, seep_verdict_kind_name(
						     view->verdict->kind)));
	if (!e->known)
		fputs("no rate", out);
	else if (diff->compare->live)
		fprintf(out, "%s in %s blocks", pair.value, seep_size_count(round(blocks)).text);
	else
		fprintf(out, "%s/%s%s", pair.value, diff->compare->per,
			diff->compare->heap ? "" : " of RSS");
	if (e->known && e->low < e->high)
		fprintf(out, "  [%s]", pair.interval);
	fprintf(out, "  %s\n", seep_safe_text(diff->after->arena, view->run->path));
}

static void print_change(const struct seep_diff *diff)
{
	const struct seep_estimate *e = &diff->compare->bytes.difference;
	struct seep_size_pair pair = seep_size_interval(e->value, e->low, e->high);
	FILE *out = diff->after->out;

	if (!e->known)
		return;
	fprintf(out, "  change  %s%s", e->value > 0 ? "+" : "", pair.value);
	if (!diff->compare->live)
		fprintf(out, "/%s", diff->compare->per);
	if (e->low < e->high)
		fprintf(out, "  [%s] at 95 %% confidence", pair.interval);
	fputc('\n', out);
}

/* The decimals for four digits without an exponent. */
static int decimals(double value)
{
	return value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
}

static void print_unit(const struct seep_diff *diff)
{
	const struct seep_compare_unit *unit = &diff->compare->unit;
	const struct seep_estimate *e = &unit->bytes.difference;
	struct seep_size_pair pair = seep_size_interval(e->value, e->low, e->high);
	struct seep_arena *arena = diff->after->arena;

	if (!unit->known)
		return;
	fprintf(diff->after->out, "  driver  %s: %s each", seep_safe_text(arena, unit->counter),
		two_sizes(diff, &unit->bytes, ""));
	if (unit->same)
		fputs(", the same", diff->after->out);
	else
		fprintf(diff->after->out, ", %s%s [%s]", e->value > 0 ? "+" : "", pair.value,
			pair.interval);
	fprintf(diff->after->out, "; %.*f -> %.*f per %s\n", decimals(unit->before_units),
		unit->before_units, decimals(unit->after_units), unit->after_units,
		strcmp(diff->compare->per, "s") ? "event" : "second");
}

static const char *phase_name(const struct seep_diff *diff, const struct seep_compare_phase *phase)
{
	const char *from = phase->from, *to = phase->to;

	if (!from)
		from = phase->between_events ? "event end" : "event begin";
	if (!to)
		to = phase->between_events || phase->from ? "event begin" : "event end";
	return seep_arena_printf(diff->after->arena, "%s -> %s",
				 seep_safe_text(diff->after->arena, from),
				 seep_safe_text(diff->after->arena, to));
}

static void print_phases(const struct seep_diff *diff)
{
	const struct seep_compare *compare = diff->compare;
	struct seep_grid grid;
	size_t more = 0;

	seep_grid_init(&grid, diff->after->arena, 3);
	grid.columns[0].least = 20;
	for (size_t i = 0; i < compare->n_phases; i++) {
		const struct seep_compare_phase *phase = &compare->phases[i];
		const char **row;

		if (!diff->all && phase->change == SEEP_CHANGE_SAME)
			continue;
		if (!diff->all && grid.n_rows == ROWS_SHOWN) {
			more++;
			continue;
		}
		row = seep_grid_add(&grid);
		row[0] = phase_name(diff, phase);
		row[1] = two_sizes(diff, &phase->rate, compare->per);
		row[2] = seep_compare_change_name(phase->change);
	}
	seep_grid_print(&grid, diff->after->out, "  phase   ", diff->after->style.width);
	if (more)
		fprintf(diff->after->out, "          and %zu more\n", more);
}

static const char *function_of(const struct seep_diff *diff, const struct seep_compare_site *site)
{
	const struct seep_frame *frame = seep_view_own_frame(site->stack);

	return frame ? seep_view_site_name(diff->after, frame) : "(no stack)";
}

/* The place of the site, and how many more sites were added up with it. */
static const char *place_of(const struct seep_diff *diff, const struct seep_compare_site *site)
{
	const char *place = seep_view_site_place(diff->after, seep_view_own_frame(site->stack));
	size_t n = site->n_after ? site->n_after : site->n_before;

	return n > 1 ? seep_arena_printf(diff->after->arena, *place ? "%s and %zu more"
							     : "%sand %zu more", place, n - 1)
		     : place;
}

static void add_site(const struct seep_diff *diff, struct seep_grid *grid,
		     const struct seep_compare_site *site)
{
	const char **row = seep_grid_add(grid);

	row[0] = seep_compare_change_name(site->change);
	row[1] = signed_size(diff, site->bytes.difference.value);
	row[2] = function_of(diff, site);
	row[3] = place_of(diff, site);
	row[4] = two_sizes(diff, &site->bytes,
			   diff->compare->live ? "" : seep_safe_text(diff->after->arena,
								     diff->compare->site_per));
	if (diff->compare->live)
		row[5] = seep_arena_printf(diff->after->arena, "%+.0f blocks",
					   site->blocks_after - site->blocks_before);
}

/*
 * Most sites with live blocks did not change and are not listed; sites that grow are always
 * listed.
 */
static bool is_shown(const struct seep_diff *diff, const struct seep_compare_site *site)
{
	return diff->all || !diff->compare->live || site->change != SEEP_CHANGE_SAME;
}

static void print_sites(const struct seep_diff *diff)
{
	struct seep_grid grid;
	size_t more = 0;

	seep_grid_init(&grid, diff->after->arena, 6);
	grid.columns[1].right = true;
	grid.columns[2].least = 20;
	grid.columns[3].least = 14;
	for (size_t i = 0; i < diff->compare->n_sites; i++) {
		const struct seep_compare_site *site = &diff->compare->sites[i];

		if (is_shown(diff, site) && (diff->all || grid.n_rows < ROWS_SHOWN))
			add_site(diff, &grid, site);
		else
			more++;
	}
	seep_grid_print(&grid, diff->after->out, "  sites   ", diff->after->style.width);
	if (more)
		fprintf(diff->after->out, "%s%zu%s: --all\n",
			grid.n_rows ? "          and " : "  sites   ", more,
			grid.n_rows ? " more" : " that did not change");
}

static const char *mark_noise(const struct seep_diff *diff,
			      const struct seep_compare_live_pair *live,
			      enum seep_compare_change change)
{
	return seep_arena_printf(diff->after->arena, "%s%s",
				 signed_size(diff, seep_calls_difference(live)),
				 change == SEEP_CHANGE_SAME &&
				 fabs(seep_calls_difference(live)) > 0 ? " ~" : "");
}

static void print_functions(const struct seep_diff *diff)
{
	const struct seep_calls *calls = diff->calls;
	struct seep_grid grid;
	size_t more = 0;

	if (!diff->compare->live || !calls)
		return;
	seep_grid_init(&grid, diff->after->arena, 3);
	grid.columns[0].right = grid.columns[1].right = true;
	grid.columns[2].least = 20;
	for (size_t i = 0; i < calls->n_functions; i++) {
		const struct seep_calls_function *function = &calls->functions[i];
		const char **row;

		if (!diff->all && (grid.n_rows > ROWS_SHOWN ||
				   (function->flat_change == SEEP_CHANGE_SAME &&
				    function->cum_change == SEEP_CHANGE_SAME))) {
			more++;
			continue;
		}
		if (!grid.n_rows) {
			row = seep_grid_add(&grid);
			row[0] = "flat";
			row[1] = "cum";
			row[2] = "function (~: within sampling error)";
		}
		row = seep_grid_add(&grid);
		row[0] = mark_noise(diff, &function->flat, function->flat_change);
		row[1] = mark_noise(diff, &function->cum, function->cum_change);
		row[2] = seep_safe_text(diff->after->arena, function->name);
	}
	seep_grid_print(&grid, diff->after->out, "  calls   ", diff->after->style.width);
	if (more)
		fprintf(diff->after->out, "%s%zu%s: --all\n",
			grid.n_rows ? "          and " : "  calls   ", more,
			grid.n_rows ? " more" : " functions that did not change");
}

static const struct seep_compare_site *pick_site(const struct seep_compare *compare)
{
	const struct seep_compare_site *picked = NULL;

	for (size_t i = 0; i < compare->n_sites; i++) {
		const struct seep_compare_site *site = &compare->sites[i];

		if (!site->n_after)
			continue;
		if (site->change == SEEP_CHANGE_NEW || site->change == SEEP_CHANGE_MORE)
			return site;
		if (!picked || site->rank < picked->rank)
			picked = site;
	}
	return picked;
}

static void print_next(const struct seep_diff *diff)
{
	const struct seep_view *view = diff->after;
	const struct seep_compare_site *site = pick_site(diff->compare);

	fprintf(view->out, "next: %s ", view->self);
	if (diff->compare->live && diff->calls)
		fprintf(view->out, "diff --to svg -o diff.svg %s %s\n",
			seep_view_trace(diff->before), seep_view_trace(view));
	else if (site)
		fprintf(view->out, "report --site %zu %s\n", site->rank, seep_view_trace(view));
	else
		fprintf(view->out, "report %s\n", seep_view_trace(view));
}

void seep_diff_text(const struct seep_diff *diff)
{
	const struct seep_compare *compare = diff->compare;

	seep_view_wrap(diff->after, "", compare->summary);
	print_side(diff, "before  ", diff->before, &compare->bytes.before, compare->blocks_before);
	print_side(diff, "after   ", diff->after, &compare->bytes.after, compare->blocks_after);
	print_change(diff);
	seep_diff_footprint(diff);
	print_unit(diff);
	print_phases(diff);
	print_sites(diff);
	print_functions(diff);
	for (size_t i = 0; i < compare->n_notes; i++)
		seep_view_wrap(diff->after, "  note    ", compare->notes[i]);
	print_next(diff);
}
