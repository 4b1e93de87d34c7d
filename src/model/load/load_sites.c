/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sites and their survivors, from the last complete snapshot.  The packed data is unpacked twice:
 * to find out how much there is, and to store it.
 */
#include "base/sort.h"
#include "model/load/load_snapshot.h"

#include <string.h>

#define SITE_BYTES_LEAST ((size_t)1 << 30)
#define SITE_BYTES_PER_BYTE 4
#define FREED_BY_USUAL 64 /* stacks that free blocks of a site */

void seep_load_sites_add(struct seep_load *load, const struct seep_rec_sites *sites)
{
	const struct seep_rec_site *from = (const void *)(sites + 1);
	uint64_t last = (uint64_t)sites->first + sites->count;
	uint32_t i;

	if (!sites->count || !seep_load_plausible(load, last, sizeof(*from)))
		return;
	for (i = 0; i < sites->count; i++) {
		struct seep_rec_site *site = seep_table_at(&load->sites, sites->first + i);

		*site = from[i];
		if (site->phase < SEEP_PHASE_NONE && !seep_load_name_exists(load, site->phase))
			site->phase = 0;
	}
}

/* Takes memory from the budget for sites.  When that is used up, data is left out and counted. */
static bool afford(struct seep_load *load, size_t bytes)
{
	if (bytes > load->site_bytes_left) {
		load->sites_dropped++;
		return false;
	}
	load->site_bytes_left -= bytes;
	return true;
}

/*
 * The number of early bins.  A bin is early if it starts before the first event of the run, even
 * if it extends beyond it: all bins are equally wide, and blocks born that early say nothing
 * about growth.  In a run without events, all bins are early.
 */
static size_t count_early_bins(const struct seep_load *load, const struct seep_cohorts *cohorts,
			       size_t n)
{
	uint64_t first = load->source->head->first_event;
	size_t b;

	for (b = 0; b < n && !(load->run->n_events && first > load->events_before); b++)
		first += (uint64_t)cohorts->events_per_bin;
	return b;
}

static size_t merge_early_bins(const struct seep_load *load, struct seep_cohorts *cohorts,
			       const struct seep_load_state *state)
{
	size_t early = count_early_bins(load, cohorts, state->n_bins), b;

	for (b = 0; b < early; b++) {
		cohorts->early_blocks += state->bins[b][0];
		cohorts->early_bytes += state->bins[b][1];
	}
	cohorts->first_event = (int64_t)load->source->head->first_event +
			       (int64_t)early * cohorts->events_per_bin - 1 - load->events_before;
	return early;
}

/* How many of n bins start at an event that the run has; at least 1 if n is not 0. */
static size_t bins_within(struct seep_cohorts *cohorts, size_t n, int64_t n_events)
{
	int64_t within;

	if (cohorts->first_event >= n_events) {
		cohorts->first_event = n_events - 1;
		return 1;
	}
	within = (n_events - 1 - cohorts->first_event) / cohorts->events_per_bin + 1;
	return n < (uint64_t)within ? n : (size_t)within;
}

/*
 * In a damaged trace, the last events may be missing although blocks were born in them.  These
 * blocks go into the last bin, so that every bin starts at an event of the run.
 */
static void fill_bins(struct seep_load *load, struct seep_cohorts *cohorts,
		      const struct seep_load_state *state, size_t skip)
{
	size_t b, to;

	cohorts->n_bins = bins_within(cohorts, state->n_bins - skip,
				      seep_run_marked(load->run));
	if (!afford(load, 2 * cohorts->n_bins * sizeof(uint64_t))) {
		cohorts->n_bins = 0;
		return;
	}
	cohorts->live_blocks = seep_arena_array(load->arena, cohorts->n_bins, sizeof(uint64_t));
	cohorts->live_bytes = seep_arena_array(load->arena, cohorts->n_bins, sizeof(uint64_t));
	for (b = skip; b < state->n_bins; b++) {
		to = b - skip < cohorts->n_bins ? b - skip : cohorts->n_bins - 1;
		cohorts->live_blocks[to] += state->bins[b][0];
		cohorts->live_bytes[to] += state->bins[b][1];
	}
}

static void fill_cohorts(struct seep_load *load, struct seep_cohorts *cohorts,
			 const struct seep_load_state *state)
{
	uint32_t events_per_bin = load->source->head->events_per_bin;
	size_t skip;

	cohorts->early_blocks = state->early_blocks;
	cohorts->early_bytes = state->early_bytes;
	cohorts->events_per_bin = events_per_bin ? events_per_bin : 1;
	skip = merge_early_bins(load, cohorts, state);
	if (skip < state->n_bins)
		fill_bins(load, cohorts, state, skip);
	else
		cohorts->first_event = 0;
}

static void fill_site(struct seep_load *load, struct seep_site *site,
		      const struct seep_load_state *state)
{
	const struct seep_rec_site *known = load->sites.items;

	*site = (struct seep_site){ .id = (uint32_t)state->site };
	site->kind = known[state->site].kind;
	site->after_stamp = known[state->site].phase;
	site->born_blocks = state->born_blocks;
	site->born_bytes = state->born_bytes;
	site->died_blocks = state->died_blocks;
	site->died_bytes = state->died_bytes;
	site->moved_blocks = state->moved_blocks;
	memcpy(site->ages, state->ages, sizeof(site->ages));
	fill_cohorts(load, &site->cohorts, state);
}

/*
 * Gives each site in the snapshot its index; places maps ids to index + 1.  Returns the number of
 * sites.  A site whose id is too large for the file is left out.
 */
static size_t find_sites(struct seep_load *load, struct seep_table *places)
{
	struct seep_load_series series = seep_load_snapshot_series(&load->source->states);
	struct seep_load_state state;
	size_t n = 0;

	while (seep_load_snapshot_next_state(&series, &state)) {
		uint32_t *place;

		if (!seep_load_plausible(load, state.site, sizeof(struct seep_rec_site)))
			continue;
		seep_table_at(&load->sites, state.site);
		place = seep_table_at(places, seep_load_merge_id(load, state.site));
		if (!*place && afford(load, sizeof(struct seep_site)))
			*place = (uint32_t)++n;
	}
	load->damaged += series.damaged;
	return n;
}

static struct seep_site *find_site(const struct seep_load *load, const struct seep_table *places,
				   uint64_t id)
{
	uint32_t place;

	id = seep_load_merge_id(load, id);
	place = id < places->n ? ((const uint32_t *)places->items)[id] : 0;

	return place ? &load->run->sites[place - 1] : NULL;
}

/* If a site has two states, the last one counts, unless they are parts of it. */
static void build_states(struct seep_load *load, const struct seep_table *places)
{
	struct seep_load_series series = seep_load_snapshot_series(&load->source->states);
	bool *filled = seep_arena_array(&load->scratch, load->run->n_sites, sizeof(*filled));
	struct seep_load_state state;

	while (seep_load_snapshot_next_state(&series, &state)) {
		struct seep_site *site = find_site(load, places, state.site), part;

		if (site && load->merged && filled[site - load->run->sites]) {
			fill_site(load, &part, &state);
			seep_load_merge_add(load, site, &part);
		} else if (site) {
			fill_site(load, site, &state);
			site->id = (uint32_t)seep_load_merge_id(load, state.site);
			filled[site - load->run->sites] = true;
		}
	}
}

/* Uses the bins of the states; later samples go into the last bin, as in fill_bins. */
static void fill_samples(struct seep_load *load, struct seep_cohorts *cohorts,
			 const struct seep_load_samples *from)
{
	size_t n = cohorts->n_bins, b = count_early_bins(load, cohorts, from->n_bins), at;

	if (!n || !afford(load, n * (sizeof(uint64_t) + sizeof(double))))
		return;
	if (!load->merged || !cohorts->samples) {
		cohorts->samples = seep_arena_array(load->arena, n, sizeof(*cohorts->samples));
		cohorts->variance = seep_arena_array(load->arena, n, sizeof(*cohorts->variance));
	}
	for (at = 0; b < from->n_bins; b++, at++) {
		size_t to = at < n ? at : n - 1;

		cohorts->samples[to] += from->bins[b][0];
		cohorts->variance[to] += (double)from->bins[b][1] * (double)from->bins[b][1];
	}
}

static void build_samples(struct seep_load *load, const struct seep_table *places)
{
	struct seep_load_series series = seep_load_snapshot_series(&load->source->samples);
	struct seep_load_samples samples;

	while (seep_load_snapshot_next_samples(&series, &samples)) {
		struct seep_site *site = find_site(load, places, samples.site);

		if (site)
			fill_samples(load, &site->cohorts, &samples);
	}
	load->damaged += series.damaged;
}

/* The peaks start before the run's first event, where events have no number. */
static void fill_events(const struct seep_load *load, struct seep_moves *moves, uint64_t last)
{
	int64_t n = seep_run_marked(load->run);

	moves->first_event = -1 - (int64_t)load->events_before;
	moves->last_event = last <= UINT32_MAX ? seep_load_event(load, (uint32_t)last) : n - 1;
	if (moves->last_event >= n)
		moves->last_event = n - 1;
}

static void build_moves(struct seep_load *load, const struct seep_table *places)
{
	struct seep_load_series series = seep_load_snapshot_series(&load->source->moves);
	struct seep_load_moves from;

	while (seep_load_snapshot_next_moves(&series, &from)) {
		struct seep_site *site = find_site(load, places, from.site);

		if (!site || !from.moves.growths || !afford(load, sizeof(from.moves)))
			continue;
		fill_events(load, &from.moves, from.last_event);
		if (load->merged && site->moves) {
			seep_load_merge_moves(site->moves, &from.moves);
			continue;
		}
		site->moves = seep_arena_array(load->arena, 1, sizeof(*site->moves));
		*site->moves = from.moves;
	}
	load->damaged += series.damaged;
}

/* Everything about the sites in one snapshot, except the stacks that free their blocks. */
static void build_moment(struct seep_load *load, const struct seep_table *places)
{
	build_states(load, places);
	build_samples(load, places);
	build_moves(load, places);
}

static uint64_t live_bytes(const struct seep_site *site)
{
	return site->born_bytes > site->died_bytes ? site->born_bytes - site->died_bytes : 0;
}

static int by_live_bytes(const void *a, const void *b)
{
	uint64_t one = live_bytes(*(struct seep_site *const *)a);
	uint64_t two = live_bytes(*(struct seep_site *const *)b);

	return (one < two) - (one > two);
}

/* Sites that hold most come first, in case there is not enough memory for all stacks. */
static void build_stacks(struct seep_load *load)
{
	const struct seep_rec_site *known = load->sites.items;
	struct seep_run *run = load->run;
	struct seep_site **order;
	size_t i;

	order = seep_arena_array(&load->scratch, run->n_sites, sizeof(struct seep_site *));
	for (i = 0; i < run->n_sites; i++)
		order[i] = &run->sites[i];
	seep_sort_stable(order, run->n_sites, sizeof(*order), by_live_bytes, &load->scratch);
	for (i = 0; i < run->n_sites; i++)
		order[i]->stack = seep_load_stacks_get(load, known[order[i]->id].node);
}

static int by_blocks(const void *a, const void *b)
{
	const struct seep_freed_by *one = a, *two = b;

	return (one->blocks < two->blocks) - (one->blocks > two->blocks);
}

static void count_frees(struct seep_load *load, const struct seep_table *places)
{
	struct seep_load_series series = seep_load_snapshot_series(&load->source->frees);
	struct seep_load_frees frees;

	while (seep_load_snapshot_next_frees(&series, &frees)) {
		struct seep_site *site = find_site(load, places, frees.site);

		if (site && afford(load, sizeof(struct seep_freed_by)))
			site->n_freed_by++;
	}
	load->damaged += series.damaged;
}

/* The same stack may free the blocks of several parts of a site.  It is among the first then. */
static struct seep_freed_by *find_freed(const struct seep_load *load, const struct seep_site *site,
					const struct seep_stack *stack)
{
	size_t i;

	for (i = 0; load->merged && i < site->n_freed_by && i < FREED_BY_USUAL; i++)
		if (site->freed_by[i].stack.pcs == stack->pcs &&
		    site->freed_by[i].stack.n_pcs == stack->n_pcs)
			return &site->freed_by[i];
	return NULL;
}

/* room: how many more each site can take, as counted before. */
static void add_frees(struct seep_load *load, struct seep_site *site, size_t *room,
		      const struct seep_load_frees *frees)
{
	uint32_t node = frees->node <= UINT32_MAX ? (uint32_t)frees->node : 0;
	struct seep_freed_by *freed;
	struct seep_stack stack;
	size_t i;

	if (!*room)
		return;
	--*room;
	stack = seep_load_stacks_get(load, node);
	freed = find_freed(load, site, &stack);
	if (!freed)
		freed = &site->freed_by[site->n_freed_by++];
	freed->stack = stack;
	for (i = 0; i < SEEP_TRACE_AGE_BINS; i++) {
		freed->ages[i] += frees->ages[i];
		freed->blocks += frees->ages[i];
	}
}

static void build_frees(struct seep_load *load, const struct seep_table *places)
{
	struct seep_load_series series = seep_load_snapshot_series(&load->source->frees);
	struct seep_run *run = load->run;
	size_t *rooms = seep_arena_array(&load->scratch, run->n_sites, sizeof(*rooms)), i;
	struct seep_load_frees frees;

	count_frees(load, places);
	for (i = 0; i < run->n_sites; i++) {
		struct seep_site *site = &run->sites[i];

		rooms[i] = site->n_freed_by;
		site->freed_by = seep_arena_array(load->arena, rooms[i], sizeof(*site->freed_by));
		site->n_freed_by = 0;
	}
	while (seep_load_snapshot_next_frees(&series, &frees)) {
		struct seep_site *site = find_site(load, places, frees.site);

		if (site)
			add_frees(load, site, &rooms[site - run->sites], &frees);
	}
	for (i = 0; i < run->n_sites; i++)
		seep_sort_stable(run->sites[i].freed_by, run->sites[i].n_freed_by,
				 sizeof(struct seep_freed_by), by_blocks, &load->scratch);
}

/* The moment that the survivors belong to. */
static void fill_moment(struct seep_load *load)
{
	const struct seep_rec_snapshot *head = load->source->head;
	struct seep_run *run = load->run;

	run->snapshot_event = seep_load_event(load, head->event);
	if (run->snapshot_event >= seep_run_marked(run))
		run->snapshot_event = seep_run_marked(run) - 1;
	run->snapshot_t_ns = head->t_ns;
	run->snapshot_final = load->source->flags & SEEP_SNAPSHOT_FINAL;
	run->live_blocks = head->live_blocks;
	run->live_bytes = head->live_bytes;
}


static void fill_totals(struct seep_run *run, const struct seep_rec_snapshot *head)
{
	run->has_heap = true;
	run->missed = head->missed;
	run->dropped = head->dropped;
	run->lost_walks = head->lost_walks;
	run->tracker_bytes = head->tracker_bytes;
	run->end_live_bytes = head->live_bytes;
}

void seep_load_sites_build(struct seep_load *load)
{
	struct seep_table places = SEEP_TABLE(&load->scratch, uint32_t);
	struct seep_run *run = load->run;

	if (!load->last)
		return;
	load->site_bytes_left = SITE_BYTES_LEAST + load->file_bytes * SITE_BYTES_PER_BYTE;
	load->source = load->last;
	seep_load_merge_begin(load);
	fill_totals(run, load->last->head);
	run->n_sites = find_sites(load, &places);
	run->sites = seep_arena_array(load->arena, run->n_sites, sizeof(*run->sites));
	build_moment(load, &places);
	/* The last snapshot has all sites.  Those to be judged are as in an earlier one. */
	load->source = seep_load_snapshot_judged(load);
	run->cleaned_up = load->source != load->last;
	if (run->cleaned_up)
		build_moment(load, &places);
	fill_moment(load);
	run->collected_event = seep_load_event(load, load->source->head->collected);
	if (run->collected_event > run->snapshot_event)
		run->collected_event = SEEP_EVENT_NONE;
	run->collected_sites = load->source->flags & SEEP_SNAPSHOT_OVER;
	seep_load_stacks_begin(load);
	build_stacks(load);
	load->source = load->last;
	build_frees(load, &places);
}
