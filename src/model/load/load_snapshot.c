/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A snapshot is complete if it has its end record and as many site states as that record says.
 * The last complete snapshot is used, or a damaged one if there is none.  Many programs free
 * everything before they exit, including what they have leaked.  If that is detected, the sites
 * are taken from the last snapshot before it.  The same applies to mappings.
 */
#include "model/load/load_snapshot.h"

#include <math.h>
#include <string.h>

#define RECENT_PART 7       /* a snapshot is recent in the last such part before the clean-up */

/* Site states and free sites come in batches with the same layout. */
_Static_assert(sizeof(struct seep_rec_site_states) == sizeof(struct seep_rec_free_sites) &&
	       offsetof(struct seep_rec_site_states, count) ==
	       offsetof(struct seep_rec_free_sites, count) &&
	       offsetof(struct seep_rec_site_states, bytes) ==
	       offsetof(struct seep_rec_free_sites, bytes), "one reading serves both");
_Static_assert(sizeof(struct seep_rec_site_states) == sizeof(struct seep_rec_site_samples) &&
	       offsetof(struct seep_rec_site_states, count) ==
	       offsetof(struct seep_rec_site_samples, count) &&
	       offsetof(struct seep_rec_site_states, bytes) ==
	       offsetof(struct seep_rec_site_samples, bytes), "... and the third");
_Static_assert(sizeof(struct seep_rec_site_states) == sizeof(struct seep_rec_site_moves) &&
	       offsetof(struct seep_rec_site_states, count) ==
	       offsetof(struct seep_rec_site_moves, count) &&
	       offsetof(struct seep_rec_site_states, bytes) ==
	       offsetof(struct seep_rec_site_moves, bytes), "... and the fourth");

void seep_load_snapshot_begin(struct seep_load *load)
{
	load->snapshots = SEEP_TABLE(&load->scratch, struct seep_load_snapshot);
}

static void open_snapshot(struct seep_load *load, const struct seep_reader_record *record)
{
	load->open = (struct seep_load_snapshot){
		.head = record->payload,
		.flags = record->flags,
		.states = SEEP_TABLE(&load->scratch, const void *),
		.frees = SEEP_TABLE(&load->scratch, const void *),
		.samples = SEEP_TABLE(&load->scratch, const void *),
		.moves = SEEP_TABLE(&load->scratch, const void *),
	};
}

static void end_snapshot(struct seep_load *load, const struct seep_rec_snapshot_end *end)
{
	struct seep_load_snapshot *ended = &load->open;

	if (!ended->head || ended->head->ordinal != end->ordinal)
		return;
	ended->whole = end->sites == ended->n_states;
	*(struct seep_load_snapshot *)seep_table_add(&load->snapshots) = *ended;
	ended->head = NULL;
}

void seep_load_snapshot_settle(struct seep_load *load)
{
	const struct seep_load_snapshot *snapshots = load->snapshots.items;
	size_t n = load->snapshots.n, i;

	if (n)
		load->last = &snapshots[n - 1];
	for (i = n; i-- > 0;) {
		if (!snapshots[i].whole)
			continue;
		load->last = &snapshots[i];
		return;
	}
}

void seep_load_snapshot_add(struct seep_load *load, const struct seep_reader_record *record)
{
	const struct seep_rec_site_states *batch = record->payload;
	struct seep_load_snapshot *open = &load->open;

	if (record->kind == SEEP_REC_SNAPSHOT) {
		open_snapshot(load, record);
	} else if (record->kind == SEEP_REC_SNAPSHOT_END) {
		end_snapshot(load, record->payload);
	} else if (open->head && open->head->ordinal == batch->ordinal) {
		if (record->kind == SEEP_REC_SITE_STATES) {
			*(const void **)seep_table_add(&open->states) = batch;
			open->n_states += batch->count;
		} else if (record->kind == SEEP_REC_SITE_SAMPLES) {
			*(const void **)seep_table_add(&open->samples) = batch;
		} else if (record->kind == SEEP_REC_SITE_MOVES) {
			*(const void **)seep_table_add(&open->moves) = batch;
		} else {
			*(const void **)seep_table_add(&open->frees) = batch;
		}
	}
}

/* Live bytes at the last stamp that has them, and the change since the first event. */
static bool find_growth(const struct seep_run *run, double *last, double *growth)
{
	size_t i = run->n_stamps;
	const struct seep_stamp *first;

	while (i && !(run->stamps[i - 1].flags & SEEP_STAMP_HEAP))
		i--;
	if (!i || !run->n_events)
		return false;
	first = &run->stamps[run->events[0].first_stamp];
	*last = (double)run->stamps[i - 1].live_bytes;
	*growth = fabs(*last - (double)first->live_bytes);
	return first->flags & SEEP_STAMP_HEAP;
}

/*
 * Bytes outside the heap that were acquired in the events and are still held, at sites that keep
 * most of what they acquire.  Threads and mappings that come and go are not growth.
 */
static double find_held(const struct seep_load *load, const struct seep_load_snapshot *snapshot)
{
	struct seep_load_series series = seep_load_snapshot_series(&snapshot->states);
	const struct seep_rec_site *sites = load->sites.items;
	struct seep_load_state state;
	double bytes = 0;
	size_t b;

	while (seep_load_snapshot_next_state(&series, &state)) {
		if (state.site >= load->sites.n || sites[state.site].kind == SEEP_MEMORY_HEAP ||
		    state.died_bytes > state.born_bytes / 2)
			continue;
		for (b = 0; b < state.n_bins; b++)
			bytes += (double)state.bins[b][1];
	}
	return bytes;
}

/* Adds sign times the live bytes born in the events to the bytes of each site. */
static void add_born(struct seep_load *load, const struct seep_load_snapshot *snapshot,
		     double sign, double *bytes)
{
	struct seep_load_series series = seep_load_snapshot_series(&snapshot->states);
	const struct seep_rec_site *sites = load->sites.items;
	struct seep_load_state state;
	size_t b;

	while (seep_load_snapshot_next_state(&series, &state))
		for (b = 0; state.site < load->sites.n && b < state.n_bins; b++)
			if (sites[state.site].kind == SEEP_MEMORY_HEAP)
				bytes[state.site] += sign * (double)state.bins[b][1];
}

double seep_load_snapshot_gone(struct seep_load *load, const struct seep_load_snapshot *from,
			       const struct seep_load_snapshot *to)
{
	double *bytes = seep_arena_array(&load->scratch, load->sites.n, sizeof(*bytes)), gone = 0;
	size_t i;

	add_born(load, from, 1, bytes);
	add_born(load, to, -1, bytes);
	for (i = 0; i < load->sites.n; i++)
		gone += fmax(bytes[i], 0);
	return gone;
}

/* Whether less is live at the end than at the last stamp, by a part of what was added. */
static bool has_lost(const struct seep_load *load, const struct seep_load_snapshot *during)
{
	double last, growth;

	if (!find_growth(load->run, &last, &growth))
		return false;
	return (double)load->last->head->live_bytes < last - growth / 20 ||
	       find_held(load, load->last) < .95 * find_held(load, during);
}

/* Taken before the clean-up, or when it had only just started. */
static bool is_early(const struct seep_load *load, const struct seep_load_snapshot *snapshot)
{
	return !load->cleans_up || snapshot->head->t_ns <= load->clean_up_ns ||
	       (double)snapshot->head->live_bytes >= load->clean_up_level;
}

/* The clean-up may have freed all blocks of some ages: prefer a slightly earlier snapshot. */
static bool is_recent(const struct seep_load *load, const struct seep_load_snapshot *snapshot)
{
	return load->cleans_up && snapshot->head->t_ns <= load->clean_up_ns &&
	       load->clean_up_ns - snapshot->head->t_ns <= load->clean_up_ns / RECENT_PART;
}

static const struct seep_load_snapshot *
find_last(const struct seep_load *load,
	  bool (*fits)(const struct seep_load *, const struct seep_load_snapshot *))
{
	const struct seep_load_snapshot *snapshots = load->snapshots.items, *s;

	for (s = load->last; s-- > snapshots;)
		if (s->whole && !(s->flags & (SEEP_SNAPSHOT_FINAL | SEEP_SNAPSHOT_OVER)) &&
		    fits(load, s))
			return s->head->event > load->events_before ? s : NULL;
	return NULL;
}

static const struct seep_load_snapshot *find_during(const struct seep_load *load)
{
	const struct seep_load_snapshot *recent;

	if (load->over)
		return load->over;
	recent = find_last(load, is_recent);
	return recent ? recent : find_last(load, is_early);
}

const struct seep_load_snapshot *seep_load_snapshot_judged(const struct seep_load *load)
{
	const struct seep_load_snapshot *during = find_during(load);

	if (load->at_end || !during || load->over == load->last ||
	    (!(load->last->flags & SEEP_SNAPSHOT_FINAL) && is_early(load, load->last)))
		return load->last;
	return load->cleans_up || has_lost(load, during) ? during : load->last;
}

struct seep_load_series seep_load_snapshot_series(const struct seep_table *batches)
{
	return (struct seep_load_series){ .batches = batches->items, .n_left = batches->n };
}

static bool has_next(struct seep_load_series *series)
{
	while (!series->left && series->n_left) {
		const struct seep_rec_site_states *batch = *series->batches++;

		series->n_left--;
		series->left = batch->count;
		series->numbers = seep_unpack_begin(batch + 1, batch->bytes);
	}
	return series->left;
}

/* True if the item is complete; otherwise, the rest of its batch is lost. */
static bool is_taken(struct seep_load_series *series)
{
	if (!series->numbers.bad) {
		series->left--;
		return true;
	}
	series->damaged++;
	series->left = 0;
	return false;
}

/* Reads a count; one above most is damage. */
static size_t take_count(struct seep_unpack *numbers, size_t most)
{
	uint64_t n = seep_unpack_next(numbers);

	if (n <= most)
		return (size_t)n;
	numbers->bad = true;
	return 0;
}

static void take_ages(struct seep_unpack *numbers, uint64_t *ages)
{
	size_t n = take_count(numbers, SEEP_TRACE_AGE_BINS), i;

	memset(ages, 0, SEEP_TRACE_AGE_BINS * sizeof(*ages));
	for (i = 0; i < n; i++)
		ages[i] = seep_unpack_next(numbers);
}

/* Reads the bins of sites; returns how many there are. */
static size_t take_bins(struct seep_unpack *numbers, uint64_t (*bins)[2])
{
	size_t b = take_count(numbers, SEEP_TRACE_COHORT_BINS);
	size_t end = b + take_count(numbers, SEEP_TRACE_COHORT_BINS - b);

	memset(bins, 0, SEEP_TRACE_COHORT_BINS * sizeof(*bins));
	for (; b < end; b++) {
		bins[b][0] = seep_unpack_next(numbers);
		bins[b][1] = seep_unpack_next(numbers);
	}
	return end;
}

bool seep_load_snapshot_next_state(struct seep_load_series *series, struct seep_load_state *state)
{
	struct seep_unpack *numbers = &series->numbers;

	while (has_next(series)) {
		state->site = seep_unpack_next(numbers);
		state->born_blocks = seep_unpack_next(numbers);
		state->born_bytes = seep_unpack_next(numbers);
		state->died_blocks = seep_unpack_next(numbers);
		state->died_bytes = seep_unpack_next(numbers);
		state->moved_blocks = seep_unpack_next(numbers);
		state->early_blocks = seep_unpack_next(numbers);
		state->early_bytes = seep_unpack_next(numbers);
		take_ages(numbers, state->ages);
		state->n_bins = take_bins(numbers, state->bins);
		if (is_taken(series))
			return true;
	}
	return false;
}

bool seep_load_snapshot_next_frees(struct seep_load_series *series, struct seep_load_frees *frees)
{
	while (has_next(series)) {
		frees->site = seep_unpack_next(&series->numbers);
		frees->node = seep_unpack_next(&series->numbers);
		take_ages(&series->numbers, frees->ages);
		if (is_taken(series))
			return true;
	}
	return false;
}

bool seep_load_snapshot_next_samples(struct seep_load_series *series,
				     struct seep_load_samples *samples)
{
	while (has_next(series)) {
		samples->site = seep_unpack_next(&series->numbers);
		samples->n_bins = take_bins(&series->numbers, samples->bins);
		if (is_taken(series))
			return true;
	}
	return false;
}

static void take_sizes(struct seep_unpack *numbers, struct seep_moves *moves)
{
	size_t b = take_count(numbers, SEEP_TRACE_SIZE_BINS);
	size_t end = b + take_count(numbers, SEEP_TRACE_SIZE_BINS - b);

	for (; b < end; b++) {
		struct seep_moves_bin *bin = &moves->bins[b];

		bin->firsts = seep_unpack_next(numbers);
		bin->finals = seep_unpack_next(numbers);
		bin->final_bytes = seep_unpack_next(numbers);
		bin->largest_bytes = seep_unpack_next(numbers);
		bin->growths = seep_unpack_next(numbers);
		bin->moves = seep_unpack_next(numbers);
		bin->copied_bytes = seep_unpack_next(numbers);
		if (bin->largest_bytes > moves->largest_bytes)
			moves->largest_bytes = bin->largest_bytes;
	}
}

static void take_peaks(struct seep_unpack *numbers, struct seep_moves *moves)
{
	size_t i;

	moves->events_per_peak = (int64_t)1 << take_count(numbers, 32);
	moves->n_peaks = take_count(numbers, SEEP_TRACE_PEAK_BINS);
	for (i = 0; i < moves->n_peaks; i++)
		moves->peaks[i] = seep_unpack_next(numbers);
}

bool seep_load_snapshot_next_moves(struct seep_load_series *series, struct seep_load_moves *from)
{
	struct seep_unpack *numbers = &series->numbers;
	struct seep_moves *moves = &from->moves;

	while (has_next(series)) {
		memset(moves, 0, sizeof(*moves));
		from->site = seep_unpack_next(numbers);
		moves->chains = seep_unpack_next(numbers);
		moves->growths = seep_unpack_next(numbers);
		moves->moves = seep_unpack_next(numbers);
		moves->replaced = seep_unpack_next(numbers);
		moves->copied_bytes = seep_unpack_next(numbers);
		moves->unit_bytes = seep_unpack_next(numbers);
		moves->first_bytes = seep_unpack_next(numbers);
		moves->grown_bytes = seep_unpack_next(numbers);
		from->last_event = seep_unpack_next(numbers);
		moves->live_chains = seep_unpack_next(numbers);
		moves->live_bytes = seep_unpack_next(numbers);
		take_sizes(numbers, moves);
		take_peaks(numbers, moves);
		if (is_taken(series))
			return true;
	}
	return false;
}
