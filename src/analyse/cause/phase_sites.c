/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where sites are known, the rate of each goes to the phases in which it allocates. */
#include "analyse/cause/accuse.h"
#include "analyse/cause/phase_table.h"

#include <math.h>

/* The phase of blocks of threads without an event, which is no part of an event; made if needed. */
static size_t find_outside(struct seep_phase_table *table)
{
	size_t k;

	for (k = 0; k < table->n; k++)
		if (table->phases[k].outside)
			return k;
	table->phases[k] = (struct seep_phase_share){
		.outside = true, .bytes_per_event.known = true, .gross = NAN,
	};
	table->next[k] = SEEP_PHASE_TABLE_NONE;
	table->n++;
	return k;
}

static size_t place_stamp(struct seep_phase_table *table, uint32_t stamp)
{
	if (stamp == SEEP_PHASE_NONE)
		return find_outside(table);
	if (stamp == SEEP_PHASE_BETWEEN && table->between != SEEP_PHASE_TABLE_NONE)
		return table->between;
	return seep_phase_table_place(table, stamp < table->n_names ? stamp : 0, 0);
}

/* The stamp that follows the first one of this name; 0: the event ends. */
static uint32_t find_follower(const struct seep_run *run, const struct seep_series *series,
			      const struct seep_phase_cycles *cycles, uint32_t name)
{
	size_t i, s;

	for (i = 0; i < cycles->n; i++) {
		const struct seep_phase_cycle *cycle = &cycles->items[i];

		for (s = 0; s < cycle->n && cycle->stamps[s].name != name; s++)
			;
		if (s == cycle->n)
			continue;
		while (++s < cycle->n)
			if (seep_phase_table_cuts(run, series, &cycle->stamps[s]))
				return cycle->stamps[s].name;
		return 0;
	}
	return 0;
}

/* Threads may have events of several kinds, each with stamps of its own. */
static void complete(struct seep_phase_table *table, const struct seep_phase_sites *sites,
		     const struct seep_run *run, const struct seep_series *series,
		     const struct seep_phase_cycles *cycles)
{
	size_t i, p;

	for (i = 0; i < sites->n && run->overlapping; i++) {
		const struct seep_site *site = sites->results[i].site;

		for (p = 0; p < site->n_parts || !p; p++) {
			uint32_t stamp = site->n_parts ? site->parts[p].after_stamp
						       : site->after_stamp;

			if (stamp && stamp < table->n_names &&
			    table->by_from[stamp] == SEEP_PHASE_TABLE_NONE)
				seep_phase_table_add(table, stamp,
					  find_follower(run, series, cycles, stamp));
		}
	}
}

static void add_share(struct seep_phase_table *table, uint32_t stamp,
		      const struct seep_estimate *rate, double share)
{
	struct seep_estimate *e = &table->phases[place_stamp(table, stamp)].bytes_per_event;

	e->value += share * rate->value;
	e->low += share * rate->low;
	e->high += share * rate->high;
}

/* The parts of a site share its rate as they share what it keeps. */
static void add_rate(struct seep_phase_table *table, const struct seep_site *site,
		     const struct seep_estimate *rate)
{
	double all = 0;
	size_t i;

	for (i = 0; i < site->n_parts; i++)
		all += (double)site->parts[i].live_bytes;
	if (!(all > 0))
		add_share(table, site->after_stamp, rate, 1);
	for (i = 0; i < site->n_parts && all > 0; i++)
		if (site->parts[i].live_bytes)
			add_share(table, site->parts[i].after_stamp, rate,
				  (double)site->parts[i].live_bytes / all);
}

void seep_phase_split_sites(struct seep_phase_share **phases, size_t *n_phases,
			    const struct seep_phase_sites *sites, const struct seep_run *run,
			    const struct seep_series *series, const struct seep_rate *rate,
			    struct seep_arena *arena)
{
	struct seep_phase_table table = { 0 };
	struct seep_phase_cycles cycles;
	size_t i, k;

	if (!seep_phase_table_find(&table, &cycles, run, series, rate, arena))
		return;
	complete(&table, sites, run, series, &cycles);
	for (k = 0; k < table.n; k++) {
		table.phases[k].bytes_per_event.known = true;
		table.phases[k].gross = NAN; /* leaking sites do not show what comes and goes */
	}
	for (i = 0; i < sites->n; i++) {
		const struct seep_site_result *site = &sites->results[i];

		if (!seep_site_result_grows(site) ||
		    (site->site->kind == SEEP_MEMORY_HEAP) != sites->of_heap)
			continue;
		add_rate(&table, site->site, &site->bytes_per_event);
	}
	seep_accuse_by_intervals(table.phases, table.n, arena);
	seep_phase_table_share(phases, n_phases, &table);
}
