/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/words/suspect.h"

#include "analyse/series/rate.h"
#include "analyse/series/series.h"
#include "analyse/series/trend.h"
#include "analyse/words/sentence.h"
#include "base/sort.h"

#include <math.h>

static void count_kept(struct seep_suspect *suspect, const struct seep_run *run)
{
	const struct seep_cohorts *cohorts = &suspect->result->site->cohorts;
	double width = fmax((double)cohorts->events_per_bin, 1);

	for (size_t i = 0; i < cohorts->n_bins && !run->n_dumps; i++) {
		double blocks = (double)cohorts->live_blocks[i];

		if (blocks > 0 && !(suspect->blocks > 0))
			suspect->since = (double)(seep_run_marked(run) - cohorts->first_event) -
					 (double)i * width;
		suspect->blocks += blocks;
		suspect->bytes += (double)cohorts->live_bytes[i];
		suspect->events += fmin(blocks, width);
	}
	if (suspect->bytes > 0)
		return;
	suspect->blocks = (double)suspect->result->live_blocks;
	suspect->bytes = (double)suspect->result->live_bytes;
}

static void measure_heap(struct seep_suspect *suspect, const struct seep_verdict *verdict)
{
	const struct seep_basis *basis = &verdict->basis;
	double events;

	if (!verdict->from_heap || !basis->trend || basis->rate->n < 2)
		return;
	suspect->heap_rise = seep_trend_change(basis->series, basis->rate, &events);
	suspect->heap_events = (double)verdict->events_used;
	suspect->tolerated = seep_trend_tolerated(basis->trend, basis->rate);
}

static int compare(const void *a, const void *b)
{
	const struct seep_suspect *x = a, *y = b;

	return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

struct seep_suspect *seep_suspect_list(const struct seep_run *run,
					     const struct seep_verdict *verdict,
					     struct seep_arena *arena, size_t *n)
{
	struct seep_suspect *list = NULL;
	size_t room = 0;

	*n = 0;
	for (size_t i = 0; i < verdict->n_sites; i++) {
		struct seep_suspect suspect = { .result = &verdict->sites[i], .rank = i + 1 };

		if (suspect.result->verdict != SEEP_SITE_SUSPECT)
			continue;
		count_kept(&suspect, run);
		measure_heap(&suspect, verdict);
		list = seep_arena_grow(arena, list, *n, &room, sizeof(*list));
		list[(*n)++] = suspect;
	}
	seep_sort_stable(list, *n, sizeof(*list), compare, arena);
	return list;
}

static const char *tell_few(const struct seep_suspect *suspect, const struct seep_unit *unit,
			    struct seep_arena *arena)
{
	if (!(suspect->events > 0))
		return "kept too rarely";
	if (unit->time)
		return seep_arena_printf(arena, suspect->events > 1 ? "kept at only %.0f moments"
								    : "kept only once",
					 suspect->events);
	return seep_arena_printf(arena, "kept in only %s",
				 seep_unit_span(unit, suspect->events, arena));
}

static const char *tell_tolerated(const struct seep_suspect *suspect, const struct seep_unit *unit,
				  struct seep_arena *arena)
{
	if (!(suspect->heap_rise > 0))
		return "the heap grew too, but by less than is tolerated";
	return seep_arena_printf(arena, "the heap grew by %s in %s; up to %s is tolerated",
				 seep_sentence_size(suspect->heap_rise, arena),
				 seep_unit_span(unit, suspect->heap_events, arena),
				 seep_sentence_size(suspect->tolerated, arena));
}

const char *seep_suspect_tell(const struct seep_suspect *suspect, const struct seep_unit *unit,
			      struct seep_arena *arena)
{
	switch (suspect->result->doubt) {
	case SEEP_DOUBT_FEW:
		return tell_few(suspect, unit, arena);
	case SEEP_DOUBT_SMALL:
		return "too small to matter (--material)";
	case SEEP_DOUBT_STRETCHES:
		return "kept in stretches, with long pauses";
	case SEEP_DOUBT_NEW:
		return seep_arena_printf(arena, "began only %s ago",
					 seep_unit_span(unit, suspect->since, arena));
	case SEEP_DOUBT_REPLACED:
		return "the heap may be level: others may free as much";
	case SEEP_DOUBT_TOLERATED:
		return tell_tolerated(suspect, unit, arena);
	case SEEP_DOUBT_EVICTED:
		return "frees old blocks, as a cache does";
	case SEEP_DOUBT_COLLECTOR:
		return "a garbage collector may still free them";
	case SEEP_DOUBT_NONE:
		break;
	}
	return "not enough to tell";
}

static bool names_events(enum seep_doubt doubt)
{
	return doubt == SEEP_DOUBT_FEW || doubt == SEEP_DOUBT_NEW;
}

const char *seep_suspect_need(const struct seep_suspect *suspect, const struct seep_unit *unit,
			      struct seep_arena *arena)
{
	double more = ceil(suspect->result->events_needed - (double)seep_run_marked(unit->run));

	if (!(suspect->result->events_needed > 0) || !(more > 0) || !isfinite(more))
		return "";
	if (unit->time)
		return seep_arena_printf(arena, "about %s more would settle it",
					 seep_unit_span(unit, more, arena));
	if (names_events(suspect->result->doubt))
		return seep_arena_printf(arena, "about %.0f more would settle it", more);
	return seep_arena_printf(arena, "about %.0f more event%s would settle it", more,
				 more > 1 ? "s" : "");
}
