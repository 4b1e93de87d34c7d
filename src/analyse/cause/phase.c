/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A cycle is the stamps from the start of one event to the start of the next.  The most common
 * sequence of names among the cycles defines the phases (tabulate); every cycle is then cut into
 * pieces, and each piece goes to the phase that it belongs to (cut_cycle, place).
 */
#include "analyse/cause/phase.h"

#include "analyse/cause/accuse.h"
#include "analyse/series/glsmix.h"

#include <math.h>
#include <stdlib.h>

#define NO_PHASE SIZE_MAX

/* The phases of a run, and how to find the one between two stamps. */
struct table {
	struct seep_phase_share *phases;
	size_t n;
	size_t wrap;             /* the phase that contains the start of an event */
	size_t between;          /* the phase after the end of an event, if there is one */
	size_t *by_from;         /* per name, its first phase */
	size_t *next;            /* per phase, the next one with the same from */
	size_t n_names;
	bool begin_cuts;         /* the start of an event counts as a stamp */
};

struct sequence {
	uint64_t hash;
	size_t cycle;
};

/* The stamps from one start of an event to the next, in the step after an anchor. */
struct cycle {
	const struct seep_stamp *stamps;
	size_t n;
	size_t step;
	double before, after;    /* at the two starts */
};

/* The cycles of all steps of the rate, in order. */
struct cycles {
	struct cycle *items;
	size_t n;
	bool sampled;            /* not all are there: each stands for others of its step */
};

/* Whether the stamp ends a piece: it has a name and a value.  A name out of range is damage. */
static bool is_cut(const struct seep_run *run, const struct seep_series *series,
		   const struct seep_stamp *stamp)
{
	double value;

	return stamp->name && stamp->name < run->n_names &&
	       seep_series_value(stamp, series->kind, &value);
}

static uint64_t hash_cycle(const struct seep_run *run, const struct seep_series *series,
			   struct cycle cycle)
{
	uint64_t hash = 1469598103934665603u;
	size_t i;

	for (i = 0; i < cycle.n; i++)
		if (is_cut(run, series, &cycle.stamps[i]))
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

static void add_cycle(struct cycles *cycles, const struct seep_run *run, size_t from, size_t to,
		      struct cycle cycle)
{
	size_t start = run->events[from].first_stamp;

	cycle.stamps = run->stamps + start;
	cycle.n = run->events[to].first_stamp - start;
	cycles->items[cycles->n++] = cycle;
}

/* Whether the event and the start of the next one are fully in the trace. */
static bool is_whole(const struct seep_run *run, const struct seep_series *series, size_t event,
		     struct cycle *cycle)
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
static struct cycles collect_cycles(const struct seep_run *run, const struct seep_series *series,
				    const struct seep_rate *rate, struct seep_arena *arena)
{
	struct cycles cycles = { .sampled = series->stride > 1 };
	size_t i, e, first = rate->first;

	cycles.items = seep_arena_array(arena, cycles.sampled ? run->n_events : rate->n,
					sizeof(*cycles.items));
	for (i = 0; i + 1 < rate->n; i++) {
		size_t from = series->events[first + i], to = series->events[first + i + 1];
		struct cycle cycle = { .step = i, .before = series->values[first + i],
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
static struct cycle find_regular(const struct seep_run *run, const struct seep_series *series,
				 const struct cycles *cycles, struct seep_arena *arena)
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

static size_t find_phase(const struct table *table, uint32_t from, uint32_t to)
{
	size_t k;

	for (k = table->by_from[from]; k != NO_PHASE; k = table->next[k])
		if (table->phases[k].to == to)
			return k;
	return NO_PHASE;
}

static size_t add_phase(struct table *table, uint32_t from, uint32_t to)
{
	size_t k = find_phase(table, from, to), *link;

	if (k != NO_PHASE)
		return k;
	k = table->n++;
	table->phases[k].from = from;
	table->phases[k].to = to;
	table->next[k] = NO_PHASE;
	for (link = &table->by_from[from]; *link != NO_PHASE;)
		link = &table->next[*link];
	*link = k;
	return k;
}

/* No names: inside the event and between events, if events have ends. */
static void tabulate_nameless(struct table *table, struct cycle cycle)
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

static void tabulate(struct table *table, const struct seep_run *run,
		     const struct seep_series *series, struct cycle cycle,
		     struct seep_arena *arena)
{
	uint32_t first = 0, last = 0;
	size_t i, cuts = 0;

	table->phases = seep_arena_array(arena, cycle.n + 2, sizeof(*table->phases));
	table->next = seep_arena_array(arena, cycle.n + 2, sizeof(*table->next));
	table->n_names = run->n_names ? run->n_names : 1;
	table->by_from = seep_arena_array(arena, table->n_names, sizeof(*table->by_from));
	table->between = NO_PHASE;
	for (i = 0; i < table->n_names; i++)
		table->by_from[i] = NO_PHASE;
	for (i = 0; i < cycle.n; i++)
		cuts += is_cut(run, series, &cycle.stamps[i]);
	table->begin_cuts = cuts == 1;
	for (i = 0; i < cycle.n; i++) {
		if (!is_cut(run, series, &cycle.stamps[i]))
			continue;
		if (!first)
			first = cycle.stamps[i].name;
		if (last || table->begin_cuts)
			add_phase(table, last, cycle.stamps[i].name);
		last = cycle.stamps[i].name;
	}
	if (cuts)
		table->wrap = add_phase(table, last, table->begin_cuts ? 0 : first);
	else
		tabulate_nameless(table, cycle);
}

/* Which phase a piece belongs to; 0 is the start of an event. */
static size_t place(const struct table *table, uint32_t from, uint32_t to)
{
	size_t k = find_phase(table, from, to);

	if (k == NO_PHASE && !to && from == table->phases[table->wrap].from)
		return table->wrap;
	if (k == NO_PHASE)
		k = table->by_from[from];
	return k == NO_PHASE ? table->wrap : k;
}

/* Adds the pieces of one cycle to steps[phase]; their sum is the step of the event. */
static void cut_cycle(double *steps, const struct table *table, const struct seep_run *run,
		      const struct seep_series *series, const struct cycle *cycle)
{
	double value, before = cycle->before;
	uint32_t from = 0;
	bool ended = false;
	size_t s;

	for (s = 0; s < cycle->n; s++) {
		const struct seep_stamp *stamp = &cycle->stamps[s];
		bool ends = table->between != NO_PHASE && stamp->flags & SEEP_STAMP_END && !ended &&
			    seep_series_value(stamp, series->kind, &value);

		if (!ends && !(table->between == NO_PHASE && is_cut(run, series, stamp)))
			continue;
		seep_series_value(stamp, series->kind, &value);
		steps[place(table, from, stamp->name)] += value - before;
		before = value;
		from = stamp->name;
		ended = ends;
	}
	steps[ended ? table->between : place(table, from, 0)] += cycle->after - before;
}

/* What one event adds to each phase, by those of a step; left as it was if there are none. */
static void cut_step(double *steps, const struct table *table, const struct seep_run *run,
		     const struct seep_series *series, const struct cycles *cycles, size_t *next,
		     size_t step)
{
	size_t first = *next, k;

	if (*next == cycles->n || cycles->items[*next].step != step)
		return;
	for (k = 0; k < table->n; k++)
		steps[k] = 0;
	for (; *next < cycles->n && cycles->items[*next].step == step; ++*next)
		cut_cycle(steps, table, run, series, &cycles->items[*next]);
	for (k = 0; k < table->n; k++)
		steps[k] /= (double)(*next - first);
}

/*
 * The levels of every phase at the anchors: rows of n, one per phase.  An event that was
 * picked by chance stands for all of its step; a step without one is like the one before.
 */
static double *accumulate(const struct table *table, const struct seep_run *run,
			  const struct seep_series *series, const struct seep_rate *rate,
			  const struct cycles *cycles, struct seep_arena *arena)
{
	double *levels = seep_arena_array(arena, table->n * rate->n, sizeof(double));
	double *steps = seep_arena_array(arena, table->n, sizeof(double));
	const double *x = series->index + rate->first;
	size_t i, k, next = 0;

	for (i = 0; i + 1 < rate->n; i++) {
		double times = cycles->sampled ? x[i + 1] - x[i] : 1;

		cut_step(steps, table, run, series, cycles, &next, i);
		for (k = 0; k < table->n; k++)
			levels[k * rate->n + i + 1] = levels[k * rate->n + i] + times * steps[k];
	}
	return levels;
}

/* By the weights of the rate, so that the phases add up to it; and what comes and goes. */
static void estimate(struct seep_phase_share *phase, const double *levels,
		     const struct seep_series *series, const struct seep_rate *rate)
{
	const double *x = series->index + rate->first;
	struct seep_glsmix_data data = {
		.y = levels, .x = { NULL, x }, .n = rate->n, .p = 2, .column = 1,
		.quantum = series->quantum,
	};
	struct seep_estimate *e = &phase->bytes_per_event;
	size_t i;

	if (rate->mix.known)
		e->value = seep_glsmix_apply(&rate->mix, &data);
	else
		e->value = (levels[rate->n - 1] - levels[0]) / (x[rate->n - 1] - x[0]);
	e->low = e->high = e->value;
	for (i = 0; i + 1 < rate->n; i++)
		phase->gross += fabs(levels[i + 1] - levels[i]) / (x[rate->n - 1] - x[0]);
}

static void share_out(struct seep_phase_share **phases, size_t *n_phases,
		      const struct table *table)
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

/* False if the run has no phases. */
static bool find_phases(struct table *table, struct cycles *cycles, const struct seep_run *run,
			const struct seep_series *series, const struct seep_rate *rate,
			struct seep_arena *arena)
{
	if (rate->n < 2)
		return false;
	*cycles = collect_cycles(run, series, rate, arena);
	if (!cycles->n)
		return false;
	tabulate(table, run, series, find_regular(run, series, cycles, arena), arena);
	return true;
}

void seep_phase_split(struct seep_phase_share **phases, size_t *n_phases,
		      const struct seep_run *run, const struct seep_series *series,
		      const struct seep_rate *rate, struct seep_arena *arena)
{
	struct table table = { 0 };
	struct cycles cycles;
	double *levels;
	size_t k;

	if (!find_phases(&table, &cycles, run, series, rate, arena))
		return;
	levels = accumulate(&table, run, series, rate, &cycles, arena);
	for (k = 0; k < table.n; k++)
		estimate(&table.phases[k], levels + k * rate->n, series, rate);
	seep_accuse_by_levels(table.phases, table.n, levels, series, rate, arena);
	share_out(phases, n_phases, &table);
}

void seep_phase_split_sites(struct seep_phase_share **phases, size_t *n_phases,
			    const struct seep_phase_sites *sites, const struct seep_run *run,
			    const struct seep_series *series, const struct seep_rate *rate,
			    struct seep_arena *arena)
{
	struct table table = { 0 };
	struct cycles cycles;
	size_t i, k;

	if (!find_phases(&table, &cycles, run, series, rate, arena))
		return;
	for (k = 0; k < table.n; k++) {
		table.phases[k].bytes_per_event.known = true;
		table.phases[k].gross = NAN; /* leaking sites do not show what comes and goes */
	}
	for (i = 0; i < sites->n; i++) {
		const struct seep_site_result *site = &sites->results[i];
		uint32_t stamp = site->site->after_stamp;
		uint32_t from = stamp < table.n_names ? stamp : 0;
		bool outside = stamp == SEEP_PHASE_BETWEEN && table.between != NO_PHASE;
		struct seep_estimate *e;

		if (!seep_site_result_grows(site) ||
		    (site->site->kind == SEEP_MEMORY_HEAP) != sites->of_heap)
			continue;
		e = &table.phases[outside ? table.between : place(&table, from, 0)].bytes_per_event;
		e->value += site->bytes_per_event.value;
		e->low += site->bytes_per_event.low;
		e->high += site->bytes_per_event.high;
	}
	seep_accuse_by_intervals(table.phases, table.n, arena);
	share_out(phases, n_phases, &table);
}

/* Adds one cycle's bytes per event to its bin, and to the means if it counts for them. */
static void add_to_matrix(struct seep_phase_matrix *matrix, const double *steps, size_t bin,
			  double *counts, double *n_means, bool counted)
{
	size_t k;

	for (k = 0; k < matrix->n_phases; k++) {
		matrix->bytes[k * matrix->n_bins + bin] += steps[k];
		matrix->means[k] += counted ? steps[k] : 0;
	}
	counts[bin]++;
	*n_means += counted;
}

static void divide_matrix(struct seep_phase_matrix *matrix, const double *counts, double n_means)
{
	size_t i;

	for (i = 0; i < matrix->n_phases * matrix->n_bins; i++)
		matrix->bytes[i] /= counts[i % matrix->n_bins]; /* 0 by 0 is NAN, as promised */
	for (i = 0; i < matrix->n_phases; i++)
		matrix->means[i] /= n_means;
}

static void fill_matrix(struct seep_phase_matrix *matrix, const struct table *table,
			const struct seep_run *run, const struct seep_series *series,
			const struct cycles *cycles, int64_t warmup_events,
			struct seep_arena *arena)
{
	double *steps = seep_arena_array(arena, table->n, sizeof(double));
	double *counts = seep_arena_array(arena, matrix->n_bins, sizeof(double));
	double n_means = 0;
	size_t i, k;

	for (i = 0; i < cycles->n; i++) {
		size_t step = cycles->items[i].step;
		double event = series->index[step];
		double events = cycles->sampled ? 1 : series->index[step + 1] - event;
		double bin = fmin(fmax(event / matrix->events_per_bin, 0),
				  (double)matrix->n_bins - 1);

		for (k = 0; k < table->n; k++)
			steps[k] = 0;
		cut_cycle(steps, table, run, series, &cycles->items[i]);
		for (k = 0; k < table->n; k++)
			steps[k] /= events;
		add_to_matrix(matrix, steps, (size_t)bin, counts, &n_means,
			      event >= (double)warmup_events);
	}
	divide_matrix(matrix, counts, n_means);
}

void seep_phase_tabulate(struct seep_phase_matrix *matrix, const struct seep_run *run,
			 const struct seep_series *series, int64_t warmup_events, size_t bins_max,
			 struct seep_arena *arena)
{
	struct seep_rate all = { .n = series->n };
	double events = (double)seep_run_marked(run);
	struct table table = { 0 };
	struct cycles cycles;

	*matrix = (struct seep_phase_matrix){ 0 };
	if (!bins_max || !find_phases(&table, &cycles, run, series, &all, arena))
		return;
	matrix->phases = table.phases;
	matrix->n_phases = table.n;
	matrix->events_per_bin = ceil(events / (double)bins_max);
	matrix->n_bins = (size_t)ceil(events / matrix->events_per_bin);
	matrix->bytes = seep_arena_array(arena, table.n * matrix->n_bins, sizeof(double));
	matrix->means = seep_arena_array(arena, table.n, sizeof(double));
	if (series->index[series->n - 2] < (double)warmup_events)
		warmup_events = 0;
	fill_matrix(matrix, &table, run, series, &cycles, warmup_events, arena);
}

const struct seep_phase_share *seep_phase_find(const struct seep_phase_share *phases, size_t n,
					       const struct seep_phase_share *like)
{
	size_t k;

	for (k = 0; k < n; k++)
		if (phases[k].from == like->from && phases[k].to == like->to &&
		    phases[k].between_events == like->between_events)
			return &phases[k];
	return NULL;
}
