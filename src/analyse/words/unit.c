/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/words/unit.h"

#include "analyse/series/rate.h"
#include "analyse/threshold/thresholds.h"
#include "base/duration.h"

#include <math.h>

double seep_unit_count_per_s(const struct seep_run *run)
{
	const struct seep_event *first = run->events, *last;
	int64_t ns;

	if (run->n_events < 2)
		return 0;
	last = run->events + run->n_events - 1;
	ns = run->stamps[last->first_stamp].t_ns - run->stamps[first->first_stamp].t_ns;
	return ns > 0 ? (double)(last->number - first->number) * 1e9 / (double)ns : 0;
}

/* The rate of the verdict comes first, so that the whole report uses one factor. */
static double find_per_s(const struct seep_run *run, const struct seep_verdict *verdict)
{
	const struct seep_rate *rate = verdict->basis.rate;
	double per_s = 0;

	if (verdict->bytes_per_event.known && fabs(verdict->bytes_per_event.value) > 0)
		per_s = verdict->bytes_per_s / verdict->bytes_per_event.value;
	if (!(per_s > 0) && rate && rate->period_s > 0)
		per_s = 1 / rate->period_s;
	if (!isfinite(per_s) || !(per_s > 0))
		per_s = seep_unit_count_per_s(run);
	if (!(per_s > 0) && run->wall_ns > 0)
		per_s = (double)seep_run_marked(run) * 1e9 / (double)run->wall_ns;
	return per_s;
}

struct seep_unit seep_unit_of(const struct seep_run *run, const struct seep_verdict *verdict)
{
	struct seep_unit unit = { .run = run, .per = "event" };

	if (!seep_run_has_slices(run))
		return unit;
	unit.per_s = find_per_s(run, verdict);
	unit.time = unit.per_s > 0;
	unit.per = unit.time ? "second" : "event";
	return unit;
}

double seep_unit_scale(const struct seep_unit *unit, double per_event)
{
	return unit->time ? per_event * unit->per_s : per_event;
}

static const char *tell_seconds(double seconds, struct seep_arena *arena)
{
	return seep_arena_printf(arena, "%s", seep_duration_format(seconds).text);
}

/* With enough digits to tell one slice from the next. */
static const char *tell_clock(const struct seep_unit *unit, double seconds,
			      struct seep_arena *arena)
{
	int digits = (int)fmin(fmax(ceil(log10(unit->per_s)), 0), 6);

	if (seconds >= WORDS_LONG_S)
		return tell_seconds(seconds, arena);
	return seep_arena_printf(arena, "%.*f s", digits, seconds);
}

const char *seep_unit_span(const struct seep_unit *unit, double events, struct seep_arena *arena)
{
	if (unit->time)
		return tell_seconds(events / unit->per_s, arena);
	return seep_arena_printf(arena, "%.0f event%s", events, events == 1 ? "" : "s");
}

const char *seep_unit_short_span(const struct seep_unit *unit, double events,
				 struct seep_arena *arena)
{
	if (unit->time)
		return tell_seconds(events / unit->per_s, arena);
	return seep_arena_printf(arena, "%.0f", events);
}

/* Does the rate leave out so much of the run that "over 299 events" would be wrong? */
static bool is_of_end(const struct seep_verdict *verdict)
{
	bool is_rate = seep_verdict_kind_grows(verdict->kind) ||
		       verdict->kind == SEEP_KIND_UNDECIDED;

	return is_rate && !(verdict->rise_bytes > 0) &&
	       (double)(verdict->since_event - verdict->warmup_events) >
		       WINDOW_TOLD * (double)verdict->events_used;
}

const char *seep_unit_covered(const struct seep_unit *unit, const struct seep_verdict *verdict,
			      struct seep_arena *arena)
{
	double marked = (double)seep_run_marked(unit->run);
	double used = (double)verdict->events_used;
	double warmup = (double)verdict->warmup_events;

	if (is_of_end(verdict))
		return seep_arena_printf(arena, "over the last %s of %s",
					 seep_unit_short_span(
						 unit, marked - (double)verdict->since_event,
						 arena),
					 seep_unit_span(unit, marked, arena));
	if (warmup > 0)
		return seep_arena_printf(arena, "over %s after %s of warm-up",
					 seep_unit_span(unit, used, arena),
					 seep_unit_short_span(unit, warmup, arena));
	return seep_arena_printf(arena, "over %s", seep_unit_span(unit, used, arena));
}

const char *seep_unit_moment(const struct seep_unit *unit, double event, struct seep_arena *arena)
{
	const struct seep_run *run = unit->run;
	size_t place;

	if (!unit->time)
		return seep_arena_printf(arena, "event %.0f", event);
	place = seep_run_place(run, (int64_t)event);
	if (place >= run->n_events)
		return tell_clock(unit, event / unit->per_s, arena);
	return tell_clock(unit, (double)run->stamps[run->events[place].first_stamp].t_ns / 1e9,
			  arena);
}
