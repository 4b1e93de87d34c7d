/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every cycle (phase_table.h) is cut into pieces, and each piece goes to the phase that it belongs
 * to.
 */
#include "analyse/cause/phase.h"

#include "analyse/cause/accuse.h"
#include "analyse/cause/phase_table.h"
#include "analyse/series/glsmix.h"

#include <math.h>
#include <stdlib.h>

/* Adds the pieces of one cycle to steps[phase]; their sum is the step of the event. */
static void cut_cycle(double *steps, const struct seep_phase_table *table,
		      const struct seep_run *run, const struct seep_series *series,
		      const struct seep_phase_cycle *cycle)
{
	double value, before = cycle->before;
	uint32_t from = 0;
	bool nameless = table->between != SEEP_PHASE_TABLE_NONE, ended = false;
	size_t s;

	for (s = 0; s < cycle->n; s++) {
		const struct seep_stamp *stamp = &cycle->stamps[s];
		bool ends = nameless && stamp->flags & SEEP_STAMP_END && !ended &&
			    seep_series_value(stamp, series->kind, &value);

		if (!ends && (nameless || !seep_phase_table_cuts(run, series, stamp)))
			continue;
		seep_series_value(stamp, series->kind, &value);
		steps[seep_phase_table_place(table, from, stamp->name)] += value - before;
		before = value;
		from = stamp->name;
		ended = ends;
	}
	steps[ended ? table->between : seep_phase_table_place(table, from, 0)] +=
		cycle->after - before;
}

/* What one event adds to each phase, by those of a step; left as it was if there are none. */
static void cut_step(double *steps, const struct seep_phase_table *table,
		     const struct seep_run *run, const struct seep_series *series,
		     const struct seep_phase_cycles *cycles, size_t *next, size_t step)
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
static double *accumulate(const struct seep_phase_table *table, const struct seep_run *run,
			  const struct seep_series *series, const struct seep_rate *rate,
			  const struct seep_phase_cycles *cycles, struct seep_arena *arena)
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

void seep_phase_split(struct seep_phase_share **phases, size_t *n_phases,
		      const struct seep_run *run, const struct seep_series *series,
		      const struct seep_rate *rate, struct seep_arena *arena)
{
	struct seep_phase_table table = { 0 };
	struct seep_phase_cycles cycles;
	double *levels;
	size_t k;

	if (!seep_phase_table_find(&table, &cycles, run, series, rate, arena))
		return;
	levels = accumulate(&table, run, series, rate, &cycles, arena);
	for (k = 0; k < table.n; k++)
		estimate(&table.phases[k], levels + k * rate->n, series, rate);
	seep_accuse_by_levels(table.phases, table.n, levels, series, rate, arena);
	seep_phase_table_share(phases, n_phases, &table);
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

static void fill_matrix(struct seep_phase_matrix *matrix, const struct seep_phase_table *table,
			const struct seep_run *run, const struct seep_series *series,
			const struct seep_phase_cycles *cycles, int64_t warmup_events,
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
	struct seep_phase_table table = { 0 };
	struct seep_phase_cycles cycles;

	*matrix = (struct seep_phase_matrix){ 0 };
	if (!bins_max || run->overlapping ||
	    !seep_phase_table_find(&table, &cycles, run, series, &all, arena))
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
		    phases[k].between_events == like->between_events &&
		    phases[k].outside == like->outside)
			return &phases[k];
	return NULL;
}
