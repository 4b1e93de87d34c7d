/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One site for one stack.
 *
 * The recorder keeps a site for each stack and phase.  If events overlap, what is in which phase
 * depends on what other threads do, and one stack may have many phases.  Its sites are then added
 * up, and the phases are parts of the sum.
 */
#include "model/load/load_snapshot.h"

#include <stdlib.h>
#include <string.h>

#define PARTS_MOST 16u

struct known {
	uint32_t node, kind, id;
};

static int by_stack(const void *a, const void *b)
{
	const struct known *one = a, *two = b;

	if (one->node != two->node)
		return one->node < two->node ? -1 : 1;
	if (one->kind != two->kind)
		return one->kind < two->kind ? -1 : 1;
	return (one->id > two->id) - (one->id < two->id);
}

void seep_load_merge_begin(struct seep_load *load)
{
	const struct seep_rec_site *sites = load->sites.items;
	size_t n = load->sites.n, i, first = 0;
	struct known *all;

	if (!load->run->overlapping || !n)
		return;
	all = seep_arena_array(&load->scratch, n, sizeof(*all));
	load->merged = seep_arena_array(&load->scratch, n, sizeof(*load->merged));
	load->n_merged = n;
	for (i = 0; i < n; i++)
		all[i] = (struct known){ sites[i].node, sites[i].kind, (uint32_t)i };
	qsort(all, n, sizeof(*all), by_stack);
	for (i = 0; i < n; i++) {
		if (all[i].node != all[first].node || all[i].kind != all[first].kind)
			first = i;
		load->merged[all[i].id] = all[i].node ? all[first].id : all[i].id;
	}
}

uint64_t seep_load_merge_id(const struct seep_load *load, uint64_t id)
{
	return id < load->n_merged ? load->merged[id] : id;
}

static void grow_bins(struct seep_load *load, uint64_t **bins, size_t from, size_t to)
{
	uint64_t *more = seep_arena_array(load->arena, to, sizeof(*more));

	if (from)
		memcpy(more, *bins, from * sizeof(*more));
	*bins = more;
}

static void add_cohorts(struct seep_load *load, struct seep_cohorts *sum,
			const struct seep_cohorts *one)
{
	size_t b;

	sum->early_blocks += one->early_blocks;
	sum->early_bytes += one->early_bytes;
	if (one->n_bins > sum->n_bins) {
		grow_bins(load, &sum->live_blocks, sum->n_bins, one->n_bins);
		grow_bins(load, &sum->live_bytes, sum->n_bins, one->n_bins);
		sum->first_event = one->first_event;
		sum->n_bins = one->n_bins;
	}
	for (b = 0; b < one->n_bins; b++) {
		sum->live_blocks[b] += one->live_blocks[b];
		sum->live_bytes[b] += one->live_bytes[b];
	}
}

static uint64_t kept_bytes(const struct seep_site *site)
{
	uint64_t bytes = 0;
	size_t b;

	for (b = 0; b < site->cohorts.n_bins; b++)
		bytes += site->cohorts.live_bytes[b];
	return bytes;
}

static struct seep_site_part *find_part(const struct seep_site *site, uint32_t phase)
{
	size_t i;

	for (i = 0; i < site->n_parts; i++)
		if (site->parts[i].after_stamp == phase)
			return &site->parts[i];
	return NULL;
}

/* The phase of a site is that of its largest part.  Its smaller parts may be too many to list. */
static void add_part(struct seep_load *load, struct seep_site *sum, uint32_t phase,
		     uint64_t bytes, uint64_t born_bytes)
{
	struct seep_site_part *part = find_part(sum, phase);
	size_t i, most = 0;

	if (!part && sum->n_parts == PARTS_MOST)
		return;
	if (!sum->n_parts)
		sum->parts = seep_arena_array(load->arena, PARTS_MOST, sizeof(*sum->parts));
	if (!part) {
		part = &sum->parts[sum->n_parts++];
		part->after_stamp = phase;
	}
	part->live_bytes += bytes;
	part->born_bytes += born_bytes;
	for (i = 1; i < sum->n_parts; i++)
		if (sum->parts[i].live_bytes > sum->parts[most].live_bytes)
			most = i;
	sum->after_stamp = sum->parts[most].after_stamp;
}

void seep_load_merge_add(struct seep_load *load, struct seep_site *sum,
			 const struct seep_site *one)
{
	size_t i;

	if (!sum->n_parts)
		add_part(load, sum, sum->after_stamp, kept_bytes(sum), sum->born_bytes);
	add_part(load, sum, one->after_stamp, kept_bytes(one), one->born_bytes);
	sum->born_blocks += one->born_blocks;
	sum->born_bytes += one->born_bytes;
	sum->died_blocks += one->died_blocks;
	sum->died_bytes += one->died_bytes;
	sum->moved_blocks += one->moved_blocks;
	for (i = 0; i < SEEP_TRACE_AGE_BINS; i++)
		sum->ages[i] += one->ages[i];
	add_cohorts(load, &sum->cohorts, &one->cohorts);
}

static void add_bin(struct seep_moves_bin *sum, const struct seep_moves_bin *one)
{
	sum->firsts += one->firsts;
	sum->finals += one->finals;
	sum->final_bytes += one->final_bytes;
	sum->growths += one->growths;
	sum->moves += one->moves;
	sum->copied_bytes += one->copied_bytes;
	if (one->largest_bytes > sum->largest_bytes)
		sum->largest_bytes = one->largest_bytes;
}

static uint64_t divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Several peaks become one until all events of the other fit. */
static void add_peaks(struct seep_moves *sum, const struct seep_moves *one)
{
	int64_t times = sum->events_per_peak / one->events_per_peak;
	size_t i;

	for (i = 0; i < one->n_peaks; i++) {
		size_t at = i / (size_t)times;

		if (one->peaks[i] > sum->peaks[at])
			sum->peaks[at] = one->peaks[i];
		if (at >= sum->n_peaks)
			sum->n_peaks = at + 1;
	}
}

void seep_load_merge_moves(struct seep_moves *sum, const struct seep_moves *other)
{
	struct seep_moves one = *other;
	size_t i;

	if (one.events_per_peak > sum->events_per_peak) {
		struct seep_moves swapped = *sum;

		*sum = one;
		one = swapped;
	}
	sum->chains += one.chains;
	sum->growths += one.growths;
	sum->moves += one.moves;
	sum->replaced += one.replaced;
	sum->copied_bytes += one.copied_bytes;
	sum->unit_bytes = divisor(sum->unit_bytes, one.unit_bytes);
	sum->first_bytes += one.first_bytes;
	sum->grown_bytes += one.grown_bytes;
	sum->live_chains += one.live_chains;
	sum->live_bytes += one.live_bytes;
	if (one.largest_bytes > sum->largest_bytes)
		sum->largest_bytes = one.largest_bytes;
	if (one.last_event > sum->last_event)
		sum->last_event = one.last_event;
	for (i = 0; i < SEEP_TRACE_SIZE_BINS; i++)
		add_bin(&sum->bins[i], &one.bins[i]);
	add_peaks(sum, &one);
}
