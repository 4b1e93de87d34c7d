/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of the program: the last snapshot, the probe and the exit. */
#include "third.h"

#define PROBE_WORTH (1 << 20)

/* As the tracker bins them: at most 64, each of a power of two of events. */
static int64_t events_per_bin(size_t n)
{
	int64_t width = 1;

	while ((int64_t)n / width >= (int64_t)SEEP_TRACE_COHORT_BINS)
		width *= 2;
	return width;
}

static void fill_bins(struct third *p, struct seep_cohorts *to, const struct third_site *from)
{
	size_t e, last = 0;

	for (e = 0; e < p->n; e++)
		if (from->live_blocks[e])
			last = (size_t)((int64_t)e / to->events_per_bin) + 1;
	to->n_bins = last;
	to->live_blocks = seep_arena_array(&p->c->fake.arena, last, sizeof(uint64_t));
	to->live_bytes = seep_arena_array(&p->c->fake.arena, last, sizeof(uint64_t));
	if (p->mean_sample > 0) {
		to->samples = seep_arena_array(&p->c->fake.arena, last, sizeof(uint64_t));
		to->variance = seep_arena_array(&p->c->fake.arena, last, sizeof(double));
	}
	for (e = 0; e < p->n; e++) {
		size_t bin = (size_t)((int64_t)e / to->events_per_bin);

		if (!from->live_blocks[e])
			continue;
		to->live_blocks[bin] += from->live_blocks[e];
		to->live_bytes[bin] += from->live_bytes[e];
		if (to->samples) {
			to->samples[bin] += from->samples[e];
			to->variance[bin] += from->variance[e];
		}
	}
}

static struct seep_stack make_stack(struct third *p, uint64_t leaf)
{
	uint64_t *pcs = seep_arena_array(&p->c->fake.arena, 3, sizeof(*pcs));

	pcs[0] = 0x401000 + 64 * leaf;
	pcs[1] = 0x402000 + 64 * (leaf / 4);
	pcs[2] = 0x400800;
	return (struct seep_stack){
		.pcs = pcs, .n_pcs = 3,
		.modules = seep_arena_array(&p->c->fake.arena, 3, sizeof(uint32_t)),
	};
}

static void fill_freed(struct third *p, struct seep_site *to, const struct third_site *from)
{
	size_t i;

	if (!from->died_blocks)
		return;
	to->n_freed_by = 1;
	to->freed_by = seep_arena_array(&p->c->fake.arena, 1, sizeof(*to->freed_by));
	to->freed_by->stack = make_stack(p, 5000 + to->id);
	for (i = 0; i < SEEP_TRACE_AGE_BINS; i++) {
		to->freed_by->ages[i] = from->freed[i];
		to->freed_by->blocks += from->freed[i];
	}
}

static void fill_site(struct third *p, struct seep_site *to, const struct third_site *from)
{
	to->kind = from->kind;
	to->after_stamp = from->phase;
	to->stack = make_stack(p, to->id);
	to->born_blocks = from->born_blocks;
	to->born_bytes = from->born_bytes;
	to->died_blocks = from->died_blocks;
	to->died_bytes = from->died_bytes;
	to->moved_blocks = from->moved_blocks;
	memcpy(to->ages, from->ages, sizeof(to->ages));
	to->cohorts.events_per_bin = events_per_bin(p->n);
	to->cohorts.early_blocks = from->early_blocks;
	to->cohorts.early_bytes = from->early_bytes;
	fill_bins(p, &to->cohorts, from);
	if (from->moves && from->moves->growths) {
		to->moves = from->moves;
		while (to->moves->n_peaks < SEEP_TRACE_PEAK_BINS &&
		       to->moves->n_peaks <= (p->n / (size_t)to->moves->events_per_peak))
			to->moves->n_peaks++;
		while (to->moves->n_peaks && !to->moves->peaks[to->moves->n_peaks - 1])
			to->moves->n_peaks--;
	}
	fill_freed(p, to, from);
}

/* Sites that never had a tracked block are not in a trace. */
static void fill_sites(struct third *p)
{
	struct seep_run *run = &p->c->fake.run;
	size_t i;

	run->sites = seep_arena_array(&p->c->fake.arena, p->n_sites, sizeof(*run->sites));
	for (i = 0; i < p->n_sites; i++) {
		if (!p->sites[i].born_blocks)
			continue;
		run->sites[run->n_sites].id = (uint32_t)i + 1;
		fill_site(p, &run->sites[run->n_sites++], &p->sites[i]);
	}
}

static struct seep_site *find_site(struct seep_run *run, uint32_t site)
{
	size_t i;

	for (i = 0; i < run->n_sites; i++)
		if (run->sites[i].id == site + 1)
			return &run->sites[i];
	return NULL;
}

/* Chains that live, and what is free in units that are nearly empty. */
static void look_at_blocks(struct third *p)
{
	size_t i;

	for (i = 0; i < p->n_blocks; i++) {
		const struct third_block *block = &p->blocks[i];
		const struct third_unit *unit = NULL;
		struct seep_site *site;

		if (!block->alive || !block->weight)
			continue;
		site = find_site(&p->c->fake.run, block->site);
		if (block->grown && site->moves) {
			site->moves->live_chains++;
			site->moves->live_bytes += block->bytes;
		}
		if (block->unit != THIRD_NONE)
			unit = &p->heap.units[block->unit];
		if (!unit || unit->bytes > THIRD_UNIT / 4 || p->mean_sample > 0)
			continue;
		site->pinned_bytes += (THIRD_UNIT - unit->bytes) / unit->blocks;
		site->pinning_blocks++;
	}
}

static void ask_allocator(struct third *p)
{
	struct seep_probe *probe = &p->c->fake.run.probe;
	int64_t shake = (int64_t)(p->jitter * noise_uniform(p->noise) / THIRD_PAGE) * THIRD_PAGE;

	probe->done = true;
	probe->at_end = true;
	probe->event = p->event;
	probe->allocator = p->heap.name;
	probe->heap_resident_bytes = third_heap_resident(&p->heap);
	probe->live_bytes = p->mean_sample > 0 ? p->live_bytes : p->real_bytes;
	probe->asked = probe->heap_resident_bytes - probe->live_bytes > PROBE_WORTH;
	probe->rss_before_bytes = third_rss(p) - (6 << 20) - p->file_bytes;
	probe->rss_after_bytes = probe->rss_before_bytes;
	if (probe->asked)
		probe->rss_after_bytes -= p->heap.free_pages * THIRD_PAGE - shake;
}

static void fill_counters(struct third *p)
{
	size_t i;

	for (i = 0; i < p->n_counters; i++)
		fake_counter(&p->c->fake, p->counters[i].name, p->counters[i].values);
}

void third_close(struct third *p)
{
	struct seep_run *run = &p->c->fake.run;

	run->path = "third.seep";
	run->exe = "third";
	run->event_source = SEEP_EVENTS_API;
	run->complete = run->has_exit = run->last_ended = true;
	run->wall_ns = p->event_start_ns + 2000000;
	fill_counters(p);
	if (!run->has_heap)
		return;
	third_anchor(p, SEEP_ANCHOR_FINAL);
	fake_snapshot(&p->c->fake);
	run->snapshot_t_ns = p->event_start_ns + 1000000;
	run->live_bytes = run->end_live_bytes = p->live_bytes;
	run->live_blocks = p->live_blocks;
	run->tracker_bytes = (uint64_t)p->tracker_base;
	if (p->mean_sample > 0)
		run->sampling = (struct seep_sampling){ .mean_bytes = (uint64_t)p->mean_sample,
							.event = SEEP_EVENT_NONE };
	fill_sites(p);
	ask_allocator(p);
	look_at_blocks(p);
}
