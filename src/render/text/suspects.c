/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/text/suspects.h"

#include "render/grid.h"
#include "render/safe.h"
#include "render/sizes.h"

#include <math.h>
#include <string.h>

#define LABEL "  suspect "
#define NAME_LEAST 8             /* least columns of a function and of a place */
#define GAPS 8                   /* between the columns */

const char *seep_suspects_why(const struct seep_view *view, const struct seep_suspect *suspect)
{
	struct seep_unit unit = seep_unit_of(view->run, view->verdict);
	const char *need = seep_suspect_need(suspect, &unit, view->arena);

	return seep_arena_printf(view->arena, "%s%s%s",
				 seep_suspect_tell(suspect, &unit, view->arena),
				 *need ? "; " : "", need);
}

const char *seep_suspects_kept(const struct seep_view *view, const struct seep_suspect *suspect)
{
	if (!(suspect->blocks > 0))
		return seep_arena_printf(view->arena, "%s", seep_size_format(suspect->bytes).text);
	return seep_arena_printf(view->arena, "%s x %s",
				 seep_size_format(suspect->bytes / suspect->blocks).text,
				 seep_size_count(suspect->blocks).text);
}

/* Leaves out what would settle it if the line would get too long beside a name and a place. */
static const char *fit_why(const struct seep_view *view, const struct seep_suspect *suspect,
			   size_t used)
{
	struct seep_unit unit = seep_unit_of(view->run, view->verdict);
	const char *why = seep_suspects_why(view, suspect);

	if (strlen(LABEL) + used + 2 * NAME_LEAST + GAPS + strlen(why) <= view->style.width)
		return why;
	return seep_suspect_tell(suspect, &unit, view->arena);
}

static void add_row(const struct seep_view *view, struct seep_grid *grid,
		    const struct seep_suspect *suspect)
{
	const struct seep_frame *frame = seep_view_own_frame(&suspect->result->site->stack);
	const char **row = seep_grid_add(grid);

	row[0] = seep_arena_printf(view->arena, "%zu", suspect->rank);
	row[1] = seep_view_site_name(view, frame);
	row[2] = seep_view_site_place(view, frame);
	if (!strncmp(row[1], row[2], strlen(row[2])) && row[1][strlen(row[2])] == '+')
		row[2] = ""; /* a function without a name already shows its module */
	row[3] = seep_suspects_kept(view, suspect);
	row[4] = fit_why(view, suspect, strlen(row[0]) + strlen(row[3]));
}

void seep_suspects_lines(const struct seep_view *view, const struct seep_suspect *list, size_t n)
{
	struct seep_grid grid;

	seep_grid_init(&grid, view->arena, 5);
	grid.columns[0].right = true;
	grid.columns[1].least = NAME_LEAST;
	grid.columns[2].least = NAME_LEAST;
	grid.columns[3].right = true;
	for (size_t i = 0; i < n; i++)
		add_row(view, &grid, &list[i]);
	seep_grid_print(&grid, view->out, LABEL, view->style.width);
}

static size_t leave_out_hidden(const struct seep_view *view, struct seep_suspect *list, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!seep_view_hides(view, list[i].rank - 1))
			list[kept++] = list[i];
	return kept;
}

void seep_suspects_print(const struct seep_view *view, bool all)
{
	size_t n, shown;
	struct seep_suspect *list = seep_suspect_list(view->run, view->verdict, view->arena, &n);

	n = leave_out_hidden(view, list, n);
	shown = all || n < SEEP_SUSPECTS_SHOWN ? n : SEEP_SUSPECTS_SHOWN;
	seep_suspects_lines(view, list, shown);
	if (n > shown)
		fprintf(view->out, "          and %zu more: %s report --all %s\n", n - shown,
			view->self, seep_view_trace(view));
}

/* "intern (strings.c:12)"; NULL if the stack is unknown. */
static const char *name_site(const struct seep_view *view, const struct seep_site *site)
{
	const struct seep_frame *frame = seep_view_own_frame(&site->stack);
	const char *place = seep_view_site_place(view, frame);

	if (!frame)
		return NULL;
	return seep_arena_printf(view->arena, *place ? "%s (%s)" : "%s",
				 seep_view_site_name(view, frame), place);
}

static void emit_suspect(struct seep_emitter *e, const struct seep_view *view,
			 const struct seep_suspect *suspect)
{
	const struct seep_site_result *result = suspect->result;
	const struct seep_estimate *rate = &result->bytes_per_event;

	seep_emitter_open_short_object(e, NULL);
	seep_emitter_unsigned(e, "rank", suspect->rank);
	seep_emitter_string(e, "label", name_site(view, result->site));
	seep_emitter_number(e, "bytes", suspect->bytes);
	seep_emitter_number(e, "objects", suspect->blocks);
	seep_emitter_open_short_object(e, "bytes_per_event");
	seep_emitter_number(e, "value", rate->known ? rate->value : NAN);
	seep_emitter_number(e, "low", rate->known ? rate->low : NAN);
	seep_emitter_number(e, "high", rate->known ? rate->high : NAN);
	seep_emitter_close_object(e);
	seep_emitter_string(e, "reason", seep_verdict_doubt_name(result->doubt));
	seep_emitter_number(e, "events_needed",
			    result->events_needed > 0 ? ceil(result->events_needed) : NAN);
	seep_emitter_close_object(e);
}

void seep_suspects_emit(struct seep_emitter *e, const struct seep_view *view)
{
	size_t n;
	struct seep_suspect *list = seep_suspect_list(view->run, view->verdict, view->arena, &n);

	seep_emitter_unsigned(e, "suspects_total", n);
	n = leave_out_hidden(view, list, n);
	seep_emitter_open_array(e, "suspects");
	for (size_t i = 0; i < n && i < SEEP_SUSPECTS_JSON; i++)
		emit_suspect(e, view, &list[i]);
	seep_emitter_close_array(e);
}
