/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/cause/phase_table.h"

#include <math.h>
#include <stdlib.h>

struct sequence {
	uint64_t hash;
	size_t cycle;
};

bool seep_phase_table_cuts(const struct seep_run *run, const struct seep_series *series,
			   const struct seep_stamp *stamp)
{
	double value;

	return stamp->name && stamp->name < run->n_names &&
	       seep_series_value(stamp, series->kind, &value);
}

static uint64_t hash_cycle(const struct seep_run *run, const struct seep_series *series,
			   struct seep_phase_cycle cycle)
{
	uint64_t hash = 1469598103934665603u;
	size_t i;

	for (i = 0; i < cycle.n; i++)
		if (seep_phase_table_cuts(run, series, &cycle.stamps[i]))
			hash = (hash ^ cycle.stamps[i].name) * 1099511628211u;
	return hash;
}

static int compare_sequences(const void *a, const void *b)
{
	const struct sequence *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->cycle < y->cycle ? -1 : x->cycle > y->cycle;
}

static void add_cycle(struct seep_phase_cycles *cycles, const struct seep_run *run, size_t from,
		      size_t to, struct seep_phase_cycle cycle)
{
	size_t start = run->events[from].first_stamp;

	cycle.stamps = run->stamps + start;
	cycle.n = run->events[to].first_stamp - start;
	cycles->items[cycles->n++] = cycle;
}

/* Whether the event and the start of the next one are fully in the trace. */
static bool is_whole(const struct seep_run *run, const struct seep_series *series, size_t event,
		     struct seep_phase_cycle *cycle)
{
	const struct seep_event *events = run->events + event;
	const struct seep_stamp *begin = &run->stamps[events->first_stamp];

	return event + 1 < run->n_events && events[1].number == events->number + 1 &&
	       !(begin->flags & SEEP_STAMP_PART) &&
	       seep_series_value(begin, series->kind, &cycle->before) &&
	       seep_series_value(&run->stamps[events[1].first_stamp], series->kind,
				 &cycle->after);
}

/* From anchor to anchor; if events are missing, those in between that are complete. */
static struct seep_phase_cycles collect_cycles(const struct seep_run *run,
					       const struct seep_series *series,
					       const struct seep_rate *rate,
					       struct seep_arena *arena)
{
	struct seep_phase_cycles cycles = { .sampled = series->stride > 1 };
	size_t i, e, first = rate->first;

	cycles.items = seep_arena_array(arena, cycles.sampled ? run->n_events : rate->n,
					sizeof(*cycles.items));
	for (i = 0; i + 1 < rate->n; i++) {
		size_t from = series->events[first + i], to = series->events[first + i + 1];
		struct seep_phase_cycle cycle = { .step = i, .before = series->values[first + i],
				       .after = series->values[first + i + 1] };

		if (!cycles.sampled)
			add_cycle(&cycles, run, from, to, cycle);
		for (e = from; e < to && cycles.sampled; e++)
			if (is_whole(run, series, e, &cycle))
				add_cycle(&cycles, run, e, e + 1, cycle);
	}
	return cycles;
}

/* The first cycle of the most common sequence of stamps; of two, the earlier one. */
static struct seep_phase_cycle find_regular(const struct seep_run *run,
					    const struct seep_series *series,
					    const struct seep_phase_cycles *cycles,
					    struct seep_arena *arena)
{
	size_t n = cycles->n, i, start = 0, most = 0, regular = 0;
	struct sequence *all = seep_arena_array(arena, n, sizeof(*all));

	for (i = 0; i < n; i++) {
		all[i].cycle = i;
		all[i].hash = hash_cycle(run, series, cycles->items[i]);
	}
	qsort(all, n, sizeof(*all), compare_sequences);
	for (i = 0; i < n; i++) {
		size_t count;

		if (all[i].hash != all[start].hash)
			start = i;
		count = i - start + 1;
		if (count > most || (count == most && all[start].cycle < regular)) {
			most = count;
			regular = all[start].cycle;
		}
	}
	return cycles->items[regular];
}

static size_t find_phase(const struct seep_phase_table *table, uint32_t from, uint32_t to)
{
	size_t k;

	for (k = table->by_from[from]; k != SEEP_PHASE_TABLE_NONE; k = table->next[k])
		if (table->phases[k].to == to)
			return k;
	return SEEP_PHASE_TABLE_NONE;
}

size_t seep_phase_table_add(struct seep_phase_table *table, uint32_t from, uint32_t to)
{
	size_t k = find_phase(table, from, to), *link;

	if (k != SEEP_PHASE_TABLE_NONE)
		return k;
	k = table->n++;
	table->phases[k].from = from;
	table->phases[k].to = to;
	table->next[k] = SEEP_PHASE_TABLE_NONE;
	for (link = &table->by_from[from]; *link != SEEP_PHASE_TABLE_NONE;)
		link = &table->next[*link];
	*link = k;
	return k;
}

/* No names: inside the event and between events, if events have ends. */
static void tabulate_nameless(struct seep_phase_table *table, struct seep_phase_cycle cycle)
{
	size_t i;

	table->n = 1;
	for (i = 0; i < cycle.n; i++)
		if (cycle.stamps[i].flags & SEEP_STAMP_END) {
			table->n = 2;
			table->between = 1;
			table->phases[1].between_events = true;
		}
}

static void tabulate(struct seep_phase_table *table, const struct seep_run *run,
		     const struct seep_series *series, struct seep_phase_cycle cycle,
		     struct seep_arena *arena)
{
	uint32_t first = 0, last = 0;
	size_t i, cuts = 0, most;

	table->n_names = run->n_names ? run->n_names : 1;
	most = cycle.n + 2 + (run->overlapping ? 1 + table->n_names : 0);
	table->phases = seep_arena_array(arena, most, sizeof(*table->phases));
	table->next = seep_arena_array(arena, most, sizeof(*table->next));
	table->by_from = seep_arena_array(arena, table->n_names, sizeof(*table->by_from));
	table->between = SEEP_PHASE_TABLE_NONE;
	for (i = 0; i < table->n_names; i++)
		table->by_from[i] = SEEP_PHASE_TABLE_NONE;
	for (i = 0; i < cycle.n; i++)
		cuts += seep_phase_table_cuts(run, series, &cycle.stamps[i]);
	table->begin_cuts = cuts == 1;
	for (i = 0; i < cycle.n; i++) {
		if (!seep_phase_table_cuts(run, series, &cycle.stamps[i]))
			continue;
		if (!first)
			first = cycle.stamps[i].name;
		if (last || table->begin_cuts)
			seep_phase_table_add(table, last, cycle.stamps[i].name);
		last = cycle.stamps[i].name;
	}
	if (cuts)
		table->wrap = seep_phase_table_add(table, last, table->begin_cuts ? 0 : first);
	else
		tabulate_nameless(table, cycle);
}

size_t seep_phase_table_place(const struct seep_phase_table *table, uint32_t from, uint32_t to)
{
	size_t k = find_phase(table, from, to);

	if (k == SEEP_PHASE_TABLE_NONE && !to && from == table->phases[table->wrap].from)
		return table->wrap;
	if (k == SEEP_PHASE_TABLE_NONE)
		k = table->by_from[from];
	return k == SEEP_PHASE_TABLE_NONE ? table->wrap : k;
}

void seep_phase_table_share(struct seep_phase_share **phases, size_t *n_phases,
		      const struct seep_phase_table *table)
{
	double sum = 0;
	size_t k;

	*phases = table->phases;
	*n_phases = table->n;
	for (k = 0; k < table->n; k++)
		sum += table->phases[k].bytes_per_event.value;
	for (k = 0; k < table->n && fabs(sum) > 0; k++)
		table->phases[k].share = table->phases[k].bytes_per_event.value / sum;
}

bool seep_phase_table_find(struct seep_phase_table *table, struct seep_phase_cycles *cycles,
			   const struct seep_run *run, const struct seep_series *series,
			   const struct seep_rate *rate, struct seep_arena *arena)
{
	if (rate->n < 2)
		return false;
	*cycles = collect_cycles(run, series, rate, arena);
	if (!cycles->n)
		return false;
	tabulate(table, run, series, find_regular(run, series, cycles, arena), arena);
	return true;
}
