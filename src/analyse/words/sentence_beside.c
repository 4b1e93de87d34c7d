/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sentence adds about anything but the heap. */
#include "analyse/words/sentence.h"
#include "analyse/words/sentence_words.h"

#include <string.h>

/* ", but RSS rose by 49.0 MB, 4.08 MB per event of it free in the allocator" */
static const char *tell_rss(const struct seep_verdict *verdict, const struct seep_unit *unit,
			    struct seep_arena *arena)
{
	const struct seep_rss_rise *rise = &verdict->rss_rise;
	const char *part = "";

	if (!rise->known)
		return "";
	if (rise->part)
		part = seep_arena_printf(arena, ", %s of it %s",
					 seep_sentence_per(rise->part_per_event, unit, arena),
					 seep_rss_rise_place(rise->part));
	return seep_arena_printf(arena, ", but RSS rose by %s%s%s",
				 seep_sentence_size(rise->bytes, arena),
				 verdict->rise_bytes > 0 ? " more than the heap" : "", part);
}

static const char *tell_gauge(const struct seep_gauge_result *gauge, const struct seep_unit *unit,
			      struct seep_arena *arena)
{
	double rate = seep_unit_scale(unit, gauge->per_event.value);

	if (gauge->unit == SEEP_GAUGE_BYTES)
		return seep_arena_printf(arena, "; the gauge %s rises by %s", gauge->name,
					 seep_sentence_per(gauge->per_event.value, unit, arena));
	return seep_arena_printf(arena, "; %s rise by %.3g per %s, from %.0f to %.0f", gauge->name,
				 rate, unit->per, gauge->first, gauge->last);
}

static const char *tell_gauges(const struct seep_verdict *verdict, const struct seep_unit *unit,
			       struct seep_arena *arena)
{
	const char *list = "";
	size_t i;

	for (i = 0; i < verdict->n_gauges && !seep_verdict_kind_grows(verdict->kind); i++)
		if (verdict->gauges[i].rises)
			list = seep_arena_printf(arena, "%s%s", list,
						 tell_gauge(&verdict->gauges[i], unit, arena));
	return list;
}

static const char *tell_runtime(const struct seep_runtime *runtime, struct seep_arena *arena)
{
	if (!runtime)
		return "";
	if (strstr(runtime->heap, runtime->name))
		return seep_arena_printf(arena, "; most likely %s; continue with %s", runtime->heap,
					 runtime->next);
	return seep_arena_printf(arena, "; most likely %s of %s; continue with %s", runtime->heap,
				 runtime->name, runtime->next);
}

const char *seep_sentence_beside(const struct seep_verdict *verdict, const struct seep_unit *unit,
				 struct seep_arena *arena)
{
	return seep_arena_printf(arena, "%s%s%s", tell_rss(verdict, unit, arena),
				 tell_gauges(verdict, unit, arena),
				 tell_runtime(verdict->runtime, arena));
}
