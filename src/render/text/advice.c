/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/safe.h"
#include "render/sizes.h"
#include "render/text/advice.h"

#include <inttypes.h>
#include <math.h>

#define PEAK_SHARE .01 /* of what is reserved; a smaller saving is not mentioned */

size_t seep_advice_pick(const struct seep_run *run, const struct seep_verdict *verdict, bool all)
{
	struct seep_realloc_growth_scale scale = seep_realloc_growth_read_scale(run);
	size_t best = verdict->n_sites;
	double most = 0;

	/* A report about a leak should not distract with other advice. */
	if (verdict->kind == SEEP_KIND_LEAK && !all)
		return best;
	for (size_t i = 0; i < verdict->n_sites; i++) {
		const struct seep_site *site = verdict->sites[i].site;
		struct seep_realloc_growth_advice advice;
		double saved;

		if (!site->moves)
			continue;
		seep_realloc_growth_advise(&advice, site, scale);
		saved = advice.copied_bytes * (double)site->moves->chains;
		if (advice.worth && saved > most) {
			most = saved;
			best = i;
		}
	}
	return best;
}

static const char *tell_size(const struct seep_view *view, double bytes)
{
	return seep_arena_printf(view->arena, "%s", seep_size_format(bytes).text);
}

/* "4096 items of 96 B", or "393 kB" if the item size is unknown. */
static const char *tell_room(const struct seep_view *view,
			     const struct seep_realloc_growth_advice *advice)
{
	if (!(advice->item_bytes > 0))
		return tell_size(view, advice->reserve_bytes);
	return seep_arena_printf(view->arena, "%.0f items of %s",
				 advice->reserve_bytes / advice->item_bytes,
				 tell_size(view, advice->item_bytes));
}

static const char *tell_savings(const struct seep_view *view,
				const struct seep_realloc_growth_advice *advice)
{
	bool each = seep_view_axis(view).time || !(advice->chains_per_event > 0);
	double n = each ? 1 : advice->chains_per_event;
	const char *peak = "", *comma = " and ";

	if (advice->peak_bytes > PEAK_SHARE * advice->reserve_bytes) {
		peak = seep_arena_printf(view->arena, " and %s of peak",
					 tell_size(view, advice->peak_bytes));
		comma = ", ";
	}
	return seep_arena_printf(view->arena, "saves %s moves%s%s of copying%s %s",
				 seep_size_count(advice->moves * n).text, comma,
				 tell_size(view, advice->copied_bytes * n), peak,
				 each ? "each time" : "per event");
}

void seep_advice_line(const struct seep_view *view, bool all)
{
	size_t i = seep_advice_pick(view->run, view->verdict, all);
	const struct seep_frame *frame;
	const struct seep_site *site;
	struct seep_realloc_growth_advice advice;

	if (i == view->verdict->n_sites || seep_view_hides(view, i))
		return;
	site = view->verdict->sites[i].site;
	frame = seep_view_own_frame(&site->stack);
	if (!all && !(frame && frame->file))
		return; /* the user cannot change a library */
	seep_realloc_growth_advise(&advice, site, seep_realloc_growth_read_scale(view->run));
	seep_view_wrap(view, "  advice  ", seep_arena_printf(
		view->arena, "reserve %s in %s %s (site %zu): %s", tell_room(view, &advice),
		frame ? frame->function : "?", seep_view_place(view, frame), i + 1,
		tell_savings(view, &advice)));
}

/* The range, over the events, of the largest size reached in an event; false if no block grew. */
static bool find_range(const struct seep_moves *moves, double *low, double *high)
{
	*low = INFINITY;
	*high = 0;
	for (size_t i = 0; i < moves->n_peaks; i++) {
		int64_t end = moves->first_event + (int64_t)(i + 1) * moves->events_per_peak;

		if (end <= 0 || !moves->peaks[i])
			continue;
		*low = fmin(*low, (double)moves->peaks[i]);
		*high = fmax(*high, (double)moves->peaks[i]);
	}
	return *high > 0;
}

static const char *tell_sizes(const struct seep_view *view, const struct seep_moves *moves,
			      const struct seep_realloc_growth_advice *advice)
{
	const char *text = seep_arena_printf(
		view->arena, "%sfirst size %s, 90 %% end at %s or less",
		moves->first_bytes == moves->chains * moves->unit_bytes ? "" : "mean ",
		tell_size(view, (double)moves->first_bytes / (double)moves->chains),
		tell_size(view, advice->typical_bytes));
	double low, high;

	if (!find_range(moves, &low, &high))
		return text;
	if (low == high)
		return seep_arena_printf(view->arena, "%s, the largest is %s each time one grew",
					 text, tell_size(view, high));
	return seep_arena_printf(view->arena, "%s, the largest is %s to %s depending on the %s",
				 text, tell_size(view, low), tell_size(view, high),
				 seep_view_axis(view).time ? "time" : "event");
}

void seep_advice_page(const struct seep_view *view, const struct seep_site *site)
{
	const struct seep_moves *moves = site->moves;
	struct seep_realloc_growth_advice advice;

	if (!moves || !moves->chains)
		return;
	seep_realloc_growth_advise(&advice, site, seep_realloc_growth_read_scale(view->run));
	seep_view_wrap(view, "  growth    ", seep_arena_printf(
		view->arena, "%" PRIu64 " block%s grew %" PRIu64 " time%s, %" PRIu64 " by moving; "
		"%s copied; %s", moves->chains, moves->chains == 1 ? "" : "s",
		moves->growths, moves->growths == 1 ? "" : "s", moves->moves,
		tell_size(view, (double)moves->copied_bytes), tell_sizes(view, moves, &advice)));
	if (advice.worth)
		seep_view_wrap(view, "  advice    ", seep_arena_printf(
			view->arena, "reserve %s: %s", tell_room(view, &advice),
			tell_savings(view, &advice)));
}

/* Leaves out sizes that no chain began or ended with. */
static void emit_sizes(struct seep_emitter *e, const struct seep_moves *moves)
{
	seep_emitter_open_array(e, "sizes");
	for (size_t b = 0; b < SEEP_TRACE_SIZE_BINS; b++) {
		const struct seep_moves_bin *bin = &moves->bins[b];

		if (!bin->firsts && !bin->growths)
			continue;
		seep_emitter_open_short_object(e, NULL);
		seep_emitter_unsigned(e, "from_bytes", b ? (uint64_t)1 << (b - 1) : 0);
		seep_emitter_unsigned(e, "first", bin->firsts);
		seep_emitter_unsigned(e, "final", bin->finals);
		seep_emitter_unsigned(e, "final_bytes", bin->final_bytes);
		seep_emitter_unsigned(e, "growths", bin->growths);
		seep_emitter_unsigned(e, "moves", bin->moves);
		seep_emitter_unsigned(e, "copied_bytes", bin->copied_bytes);
		seep_emitter_close_object(e);
	}
	seep_emitter_close_array(e);
}

static void emit_peaks(struct seep_emitter *e, const struct seep_moves *moves)
{
	seep_emitter_open_short_object(e, "largest_by_event");
	seep_emitter_integer(e, "first_event", moves->first_event);
	seep_emitter_integer(e, "events_per_bin", moves->events_per_peak);
	seep_emitter_open_short_array(e, "bytes");
	for (size_t i = 0; i < moves->n_peaks; i++)
		seep_emitter_unsigned(e, NULL, moves->peaks[i]);
	seep_emitter_close_array(e);
	seep_emitter_close_object(e);
}

static void emit_advice(struct seep_emitter *e, const struct seep_realloc_growth_advice *advice)
{
	double events = advice->chains_per_event > 0 ? advice->chains_per_event : NAN;

	if (!advice->worth) {
		seep_emitter_null(e, "advice");
		return;
	}
	seep_emitter_open_short_object(e, "advice");
	seep_emitter_number(e, "reserve_bytes", advice->reserve_bytes);
	seep_emitter_number(e, "item_bytes", advice->item_bytes > 0 ? advice->item_bytes : NAN);
	seep_emitter_number(e, "covered", advice->covered);
	seep_emitter_number(e, "moves", advice->moves);
	seep_emitter_number(e, "copied_bytes", advice->copied_bytes);
	seep_emitter_number(e, "moves_per_event", advice->moves * events);
	seep_emitter_number(e, "copied_bytes_per_event", advice->copied_bytes * events);
	seep_emitter_number(e, "peak_bytes", advice->peak_bytes);
	seep_emitter_close_object(e);
}

void seep_advice_emit(struct seep_emitter *e, const struct seep_site *site,
		      struct seep_realloc_growth_scale scale)
{
	const struct seep_moves *moves = site->moves;
	struct seep_realloc_growth_advice advice;

	if (!moves) {
		seep_emitter_null(e, "moves");
		return;
	}
	seep_realloc_growth_advise(&advice, site, scale);
	seep_emitter_open_object(e, "moves");
	seep_emitter_unsigned(e, "chains", moves->chains);
	seep_emitter_unsigned(e, "growths", moves->growths);
	seep_emitter_unsigned(e, "moves", moves->moves);
	seep_emitter_unsigned(e, "replaced", moves->replaced);
	seep_emitter_unsigned(e, "copied_bytes", moves->copied_bytes);
	seep_emitter_unsigned(e, "unit_bytes", moves->unit_bytes);
	seep_emitter_unsigned(e, "first_bytes", moves->first_bytes);
	seep_emitter_unsigned(e, "grown_bytes", moves->grown_bytes);
	seep_emitter_unsigned(e, "largest_bytes", moves->largest_bytes);
	seep_emitter_number(e, "typical_bytes", advice.typical_bytes);
	seep_emitter_unsigned(e, "live_chains", moves->live_chains);
	seep_emitter_unsigned(e, "live_bytes", moves->live_bytes);
	if (moves->last_event >= 0)
		seep_emitter_integer(e, "last_event", moves->last_event);
	else
		seep_emitter_null(e, "last_event");
	seep_emitter_bool(e, "is_growth", seep_realloc_growth_is_growth(site, scale.events));
	emit_sizes(e, moves);
	emit_peaks(e, moves);
	emit_advice(e, &advice);
	seep_emitter_close_object(e);
}
