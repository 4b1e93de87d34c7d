/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "held.h"

#include <string.h>

struct held_lot {
	struct held_lot *next;
	struct held_site *site;
	int64_t birth;
	uint64_t blocks;
	double size;
	bool in_heap;            /* though it is large */
};

static struct seep_run *run_of(struct held *h)
{
	return &h->c->fake.run;
}

struct held_site *held_site(struct held *h, uint32_t kind, size_t place)
{
	struct held_site *site = seep_arena_alloc(&h->arena, sizeof(*site));

	h->sites = seep_arena_grow(&h->arena, h->sites, h->n_sites, &h->site_room,
				   sizeof(struct held_site *));
	h->sites[h->n_sites++] = site;
	site->id = (uint32_t)h->n_sites;
	site->kind = kind;
	site->phase = place;
	site->resident = 1;
	site->blocks = seep_arena_array(&h->arena, h->n, sizeof(uint64_t));
	site->bytes = seep_arena_array(&h->arena, h->n, sizeof(uint64_t));
	return site;
}

struct held_site *held_site_somewhere(struct held *h)
{
	return held_site(h, SEEP_MEMORY_HEAP, 1 + held_pick(h, h->n_phases - 1));
}

/* What of the memory changes with so many more blocks of a size. */
static void weigh(struct held *h, const struct held_site *site, double blocks, double size,
		  bool in_heap)
{
	struct held_memory *memory = &h->memory;
	double pages = ceil(size / HELD_PAGE) * HELD_PAGE;

	if (site->kind != SEEP_MEMORY_HEAP) {
		memory->non_heap_bytes += blocks * size;
		memory->non_heap_resident += blocks * size * site->resident;
		return;
	}
	h->live_blocks += (int64_t)blocks;
	h->live_bytes += llround(blocks * size);
	if (size >= HELD_LARGE && !in_heap)
		memory->large += blocks * pages;
	else
		memory->used += blocks * (size + 16);
	held_memory_settle(h);
}

static void bury(struct held *h, struct held_site *site, int64_t birth, uint64_t blocks,
		 uint64_t bytes)
{
	uint64_t age = (uint64_t)(h->event - birth);
	size_t bin = 0;

	while (age >> bin)
		bin++;
	site->ages[bin] += blocks;
	site->died_blocks += blocks;
	site->died_bytes += bytes;
	if (birth == HELD_EARLY) {
		site->early_blocks -= blocks;
		site->early_bytes -= bytes;
	} else {
		site->blocks[birth] -= blocks;
		site->bytes[birth] -= bytes;
	}
}

static void die(struct held *h, struct held_lot *lots)
{
	for (; lots; lots = lots->next) {
		bury(h, lots->site, lots->birth, lots->blocks,
		     lots->blocks * (uint64_t)lots->size);
		weigh(h, lots->site, -(double)lots->blocks, lots->size, lots->in_heap);
	}
}

static void schedule(struct held *h, struct held_lot lot, double life)
{
	bool ended = h->phase != SIZE_MAX && h->phase >= h->n_phases;
	struct held_lot **list, *kept;
	int64_t death;

	/* For who comes after the end of the event, the next begin is the first moment. */
	if (life >= 0 && life < 1 && ended)
		life = 1;
	death = h->event + (int64_t)life;
	if (life < 0 || death < 0 || death >= (int64_t)h->n)
		return;
	list = life < 1 ? &h->at_end[death] : &h->at_begin[death];
	kept = seep_arena_alloc(&h->arena, sizeof(*kept));
	*kept = lot;
	kept->next = *list;
	*list = kept;
}

static void give_birth(struct held *h, struct held_lot lot, double life)
{
	struct held_site *site = lot.site;
	uint64_t bytes = lot.blocks * (uint64_t)lot.size;

	if (!lot.blocks)
		return;
	lot.birth = h->event;
	site->born_blocks += lot.blocks;
	site->born_bytes += bytes;
	if (h->event == HELD_EARLY) {
		site->early_blocks += lot.blocks;
		site->early_bytes += bytes;
	} else {
		site->blocks[h->event] += lot.blocks;
		site->bytes[h->event] += bytes;
	}
	weigh(h, site, (double)lot.blocks, lot.size, lot.in_heap);
	schedule(h, lot, life);
}

void held_alloc(struct held *h, struct held_site *site, uint64_t blocks, double size, double life)
{
	struct held_lot lot = { .site = site, .blocks = blocks, .size = floor(fmax(size, 1)) };

	give_birth(h, lot, life);
}

void held_alloc_heap(struct held *h, struct held_site *site, double size, double life)
{
	struct held_lot lot = { .site = site, .blocks = 1, .size = floor(size), .in_heap = true };

	give_birth(h, lot, life);
}

void held_free(struct held *h, struct held_site *site, int64_t birth, uint64_t blocks,
	       double bytes)
{
	if (!blocks)
		return;
	bury(h, site, birth, blocks, (uint64_t)bytes);
	weigh(h, site, -(double)blocks, bytes / (double)blocks, false);
}

/* A large block is remapped, which moves no pages; a small one leaves a hole that is used again. */
void held_grow(struct held *h, struct held_site *site, int64_t birth, double bytes)
{
	uint64_t more = (uint64_t)bytes;

	site->moved_blocks++;
	site->born_bytes += more;
	if (birth == HELD_EARLY)
		site->early_bytes += more;
	else
		site->bytes[birth] += more;
	h->live_bytes += (int64_t)more;
	h->memory.large += (double)more;
	held_memory_settle(h);
}

uint64_t held_blocks(const struct held_site *site)
{
	return site->born_blocks - site->died_blocks;
}

double held_bytes(const struct held_site *site)
{
	return (double)(site->born_bytes - site->died_bytes);
}

void held_add_holes(struct held *h, double bytes)
{
	h->memory.holes_bytes += bytes;
	held_memory_settle(h);
}

/* --- the event loop */

/* The rest of a phase: the stamp that ends it comes next, and adds a millisecond of its own. */
static void pass_time(struct held *h, size_t place, double part)
{
	double ns = fmax(h->now_event_ns * part * held_between(h, .7, 1.3), 2000);

	if (h->meanwhile)
		h->meanwhile(h, place, ns);
	h->c->fake.now_ns += (int64_t)ns - 1000000;
}

static void complete_stamp(struct held *h)
{
	struct seep_run *run = run_of(h);
	struct seep_stamp *stamp = &run->stamps[run->n_stamps - 1];

	stamp->vm_bytes = stamp->rss_bytes + (int64_t)(64 * HELD_MB + h->memory.non_heap_bytes -
						      h->memory.non_heap_resident);
	if (!run->has_heap)
		return;
	stamp->live_blocks = h->live_blocks;
	stamp->tracker_bytes = (int64_t)(640 * HELD_KB) +
			       h->live_blocks * 8 / HELD_PAGE * HELD_PAGE;
}

static void count(struct held *h)
{
	size_t i;

	for (i = 0; i < h->n_counters; i++)
		if (h->count_means[i] > 0)
			h->counts[i][h->event] = (double)held_poisson(
				h, h->count_means[i] * h->load[h->event]);
}

bool held_next(struct held *h)
{
	struct seep_run *run = run_of(h);

	if (h->event + 1 == (int64_t)h->n)
		return false;
	if (h->event >= 0)
		pass_time(h, h->n_phases - !h->ends, h->phase_parts[h->n_phases]);
	h->event++;
	h->phase = SIZE_MAX;
	h->now_event_ns = h->event_ns * h->load[h->event] *
			  exp(h->spread * noise_normal(h->noise));
	held_memory_turn(h);
	fake_begin(&h->c->fake, h->live_bytes, (int64_t)held_memory_rss(h));
	run->events[h->event].index = h->event - h->index_from;
	complete_stamp(h);
	held_memory_anchor(h);
	count(h);
	die(h, h->at_begin[h->event]);
	return true;
}

/* Passes the stamp that begins the next phase; false if there is none. */
bool held_phase(struct held *h)
{
	h->phase++;
	if (h->phase == h->n_phases) {
		die(h, h->at_end[h->event]);
		if (!h->ends)
			return false;
		pass_time(h, h->phase - 1, h->phase_parts[h->phase - 1]);
		fake_end(&h->c->fake, h->live_bytes, (int64_t)held_memory_rss(h));
		complete_stamp(h);
	} else if (h->phase > h->n_phases) {
		return false;
	} else if (h->phase > 0) {
		pass_time(h, h->phase - 1, h->phase_parts[h->phase - 1]);
		fake_stamp(&h->c->fake, h->phase_ids[h->phase], 0, h->live_bytes,
			   (int64_t)held_memory_rss(h));
		complete_stamp(h);
	}
	held_background_act(h);
	return true;
}

size_t held_counter(struct held *h, const char *name)
{
	h->counters[h->n_counters] = name;
	h->counts[h->n_counters] = seep_arena_array(&h->arena, h->n, sizeof(double));
	return h->n_counters++;
}

/* --- what is true */

void held_truth(struct held *h, unsigned int kinds, double bytes_per_event)
{
	h->c->truth = (struct score_truth){ .kinds = kinds, .bytes_per_event = bytes_per_event };
}

void held_truth_leak(struct held *h, double bytes_per_event)
{
	held_truth(h, SCORE_KIND(SEEP_KIND_LEAK), bytes_per_event);
	h->c->truth.leaks = true;
}

void held_planted(struct held *h, const struct held_site *site)
{
	h->c->truth.site = site->id;
	h->c->truth.phase = NULL;
	if (site->phase > 0 && site->phase < h->n_phases)
		h->c->truth.phase = h->phase_names[site->phase];
}

/* --- the end */

static void fill_cohorts(struct held *h, struct seep_cohorts *cohorts,
			 const struct held_site *from)
{
	size_t width = 1, n = h->n, e;

	while ((h->n + width - 1) / width > SEEP_TRACE_COHORT_BINS)
		width *= 2;
	cohorts->events_per_bin = (int64_t)width;
	cohorts->early_blocks = from->early_blocks;
	cohorts->early_bytes = from->early_bytes;
	while (n && !from->blocks[n - 1])
		n--;
	if (!n)
		return;
	cohorts->n_bins = (n + width - 1) / width;
	cohorts->live_blocks = seep_arena_array(&h->c->fake.arena, cohorts->n_bins,
						sizeof(uint64_t));
	cohorts->live_bytes = seep_arena_array(&h->c->fake.arena, cohorts->n_bins,
					       sizeof(uint64_t));
	for (e = 0; e < n; e++) {
		cohorts->live_blocks[e / width] += from->blocks[e];
		cohorts->live_bytes[e / width] += from->bytes[e];
	}
}

static uint32_t name_of_phase(const struct held *h, size_t place)
{
	return place < h->n_phases ? h->phase_ids[place] : SEEP_PHASE_BETWEEN;
}

static void fill_site(struct held *h, struct seep_site *site, const struct held_site *from)
{
	site->id = from->id;
	site->kind = from->kind;
	site->after_stamp = name_of_phase(h, from->phase);
	site->born_blocks = from->born_blocks;
	site->born_bytes = from->born_bytes;
	site->died_blocks = from->died_blocks;
	site->died_bytes = from->died_bytes;
	site->moved_blocks = from->moved_blocks;
	site->pinned_bytes = from->pinned_bytes;
	site->pinning_blocks = from->pinning_blocks;
	memcpy(site->ages, from->ages, sizeof(site->ages));
	fill_cohorts(h, &site->cohorts, from);
}

/* A trace has them in the order of a table: in none. */
static void shuffle_sites(struct held *h)
{
	size_t i;

	for (i = h->n_sites; i > 1; i--) {
		size_t j = held_pick(h, i);
		struct held_site *site = h->sites[j];

		h->sites[j] = h->sites[i - 1];
		h->sites[i - 1] = site;
	}
}

static void fill_sites(struct held *h)
{
	struct seep_run *run = run_of(h);
	size_t i;

	shuffle_sites(h);
	run->sites = seep_arena_array(&h->c->fake.arena, h->n_sites, sizeof(*run->sites));
	for (i = 0; i < h->n_sites; i++)
		if (h->sites[i]->born_blocks)
			fill_site(h, &run->sites[run->n_sites++], h->sites[i]);
	fake_snapshot(&h->c->fake);
	run->live_blocks = h->live_blocks;
	run->live_bytes = run->end_live_bytes = h->live_bytes;
}

void held_close(struct held *h)
{
	struct seep_run *run = run_of(h);
	size_t i;

	for (i = 0; i < h->n_counters; i++)
		fake_counter(&h->c->fake, h->counters[i], h->counts[i]);
	if (run->has_heap) {
		held_memory_probe(h);
		fill_sites(h);
		run->tracker_bytes = (uint64_t)run->stamps[run->n_stamps - 1].tracker_bytes;
	}
	run->wall_ns = h->c->fake.now_ns + 1000;
	run->last_ended = h->ends;
	seep_arena_release(&h->arena);
}
