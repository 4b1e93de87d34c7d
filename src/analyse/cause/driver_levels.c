/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/cause/driver_levels.h"

#include <math.h>

static double begin_of(const struct seep_run *run, size_t place)
{
	return (double)run->stamps[run->events[place].first_stamp].t_ns * 1e-9;
}

/* When an event began.  It may not be in the trace; the one after the last began at the end. */
static double when(const struct seep_run *run, int64_t event)
{
	size_t place = seep_run_place(run, event);
	double before, after, part;

	if (place < run->n_events && (run->events[place].number == event || !place))
		return begin_of(run, place);
	if (!place)
		return 0;
	before = begin_of(run, place - 1);
	if (place == run->n_events)
		return fmax(before, (double)run->snapshot_t_ns * 1e-9);
	after = begin_of(run, place);
	part = (double)(event - run->events[place - 1].number) /
	       (double)(run->events[place].number - run->events[place - 1].number);
	return before + part * (after - before);
}

static uint64_t survivors(const struct seep_site *site, int64_t first, int64_t end)
{
	const struct seep_cohorts *c = &site->cohorts;
	uint64_t bytes = 0;
	size_t b;

	for (b = 0; b < c->n_bins; b++) {
		int64_t start = c->first_event + (int64_t)b * c->events_per_bin;

		if (start >= first && start < end)
			bytes += c->live_bytes[b];
	}
	return bytes;
}

/* Do bins of all the sites begin at this event? */
static bool is_boundary(const struct seep_driver_leak *leaks, size_t n_leaks, int64_t event)
{
	size_t i;

	for (i = 0; i < n_leaks; i++) {
		const struct seep_cohorts *c = &leaks[i].site->cohorts;

		if ((event - c->first_event) % c->events_per_bin)
			return false;
	}
	return true;
}

/* Where the next bin of the first site begins, or the end, which is returned only once. */
static int64_t next_boundary(const struct seep_driver_leak *leaks, int64_t event, int64_t end)
{
	const struct seep_cohorts *c = &leaks[0].site->cohorts;
	int64_t into = (event - c->first_event) % c->events_per_bin, next;

	next = event + c->events_per_bin - (into < 0 ? into + c->events_per_bin : into);
	return next > end && event < end ? end : next;
}

/* The last cohort may be short if all end there. */
void seep_driver_levels_by_survivors(struct seep_driver_levels *growth, const struct seep_run *run,
				     const struct seep_driver_leak *leaks, size_t n_leaks,
				     struct seep_arena *arena)
{
	int64_t first = 0, end = n_leaks ? leaks[0].end : 0, event, before = -1, width;
	bool same_end = true;
	size_t i, room = 0;

	for (i = 0; i < n_leaks; i++) {
		if (leaks[i].site->cohorts.events_per_bin < 1)
			return;
		same_end = same_end && leaks[i].end == leaks[0].end;
		first = leaks[i].first > first ? leaks[i].first : first;
		end = leaks[i].end < end ? leaks[i].end : end;
	}
	if (end <= first)
		return;
	width = leaks[0].site->cohorts.events_per_bin;
	room = (size_t)((end - first) / width) + 3;
	if (room > run->n_events + SEEP_TRACE_COHORT_BINS)
		return; /* more cohorts than there can be: damage */
	growth->bytes = seep_arena_array(arena, room, sizeof(double));
	growth->events = seep_arena_array(arena, room, sizeof(double));
	growth->seconds = seep_arena_array(arena, room, sizeof(double));
	for (event = first; event <= end; event = next_boundary(leaks, event, end)) {
		if (!is_boundary(leaks, n_leaks, event) && !(event == end && same_end))
			continue;
		if (growth->n)
			growth->bytes[growth->n] = growth->bytes[growth->n - 1];
		for (i = 0; i < n_leaks && growth->n; i++)
			growth->bytes[growth->n] +=
				(double)survivors(leaks[i].site, before, event);
		growth->seconds[growth->n] = when(run, event);
		growth->events[growth->n++] = (double)event;
		before = event;
	}
}

void seep_driver_levels_by_series(struct seep_driver_levels *growth,
				  const struct seep_series *series,
				  const struct seep_rate *rate, bool from_start)
{
	size_t first = from_start && rate->first > 1 ? 1 : rate->first;

	growth->n = rate->first + rate->n - first;
	growth->bytes = series->values + first;
	growth->events = series->index + first;
	growth->seconds = series->seconds + first;
	growth->quantum = series->quantum;
}
