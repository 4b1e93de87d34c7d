/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "third.h"

#include <assert.h>

static uint32_t between_slot(const struct third *p)
{
	return p->named + 1;
}

uint32_t third_last_slot(const struct third *p)
{
	return p->named;
}

/* --- sites */

static uint32_t phase_of(const struct third *p, uint32_t slot)
{
	return slot <= p->named ? p->names[slot] : SEEP_PHASE_BETWEEN;
}

uint32_t third_outside(struct third *p, uint32_t slot, uint32_t kind, double resident_part)
{
	struct seep_arena *arena = &p->c->fake.arena;
	struct third_site *site;

	assert(slot <= p->named || p->has_end);
	p->sites = seep_arena_grow(arena, p->sites, p->n_sites, &p->site_room, sizeof(*p->sites));
	site = &p->sites[p->n_sites];
	*site = (struct third_site){
		.slot = slot, .kind = kind, .phase = phase_of(p, slot),
		.resident_part = resident_part,
		.live_blocks = seep_arena_array(arena, p->n, sizeof(uint64_t)),
		.live_bytes = seep_arena_array(arena, p->n, sizeof(uint64_t)),
		.samples = seep_arena_array(arena, p->n, sizeof(uint64_t)),
		.variance = seep_arena_array(arena, p->n, sizeof(double)),
	};
	return (uint32_t)p->n_sites++;
}

uint32_t third_site(struct third *p, uint32_t slot)
{
	return third_outside(p, slot, SEEP_MEMORY_HEAP, 0);
}

/* --- blocks */

static uint32_t new_block(struct third *p)
{
	uint32_t number = p->spare_block;

	if (number != THIRD_NONE) {
		p->spare_block = p->blocks[number].next;
		return number;
	}
	p->blocks = seep_arena_grow(&p->c->fake.arena, p->blocks, p->n_blocks, &p->block_room,
				    sizeof(*p->blocks));
	return (uint32_t)p->n_blocks++;
}

/* Of a block that is tracked with probability q, 1 / q in the mean, as a whole number. */
static uint32_t draw_weight(struct third *p, uint64_t bytes)
{
	double q;

	if (p->mean_sample <= 0)
		return 1;
	q = 1 - exp(-(double)bytes / p->mean_sample);
	if (!third_chance(p, q))
		return 0;
	return (uint32_t)(1 / q + noise_uniform(p->noise));
}

/* What a block adds to the survivors of its birth, or takes from them. */
static void count_living(struct third_site *site, const struct third_block *block, bool comes)
{
	uint64_t sign = comes ? 1 : (uint64_t)-1, all = block->weight * block->bytes;

	if (block->birth == SEEP_EVENT_NONE) {
		site->early_blocks += sign * block->weight;
		site->early_bytes += sign * all;
		return;
	}
	site->live_blocks[block->birth] += sign * block->weight;
	site->live_bytes[block->birth] += sign * all;
	site->samples[block->birth] += sign;
	site->variance[block->birth] += (comes ? 1 : -1) * (double)(all - block->bytes) *
					(double)all;
}

static void count_level(struct third *p, const struct third_block *block, int64_t sign)
{
	const struct third_site *site = &p->sites[block->site];
	int64_t bytes = sign * (int64_t)block->bytes;

	if (site->kind != SEEP_MEMORY_HEAP) {
		p->held_bytes += bytes;
		p->held_resident += site->resident_part * (double)bytes;
		return;
	}
	p->real_bytes += bytes;
	p->live_bytes += bytes * block->weight;
	p->live_blocks += sign * block->weight;
	if (p->live_blocks > p->most_blocks)
		p->most_blocks = p->live_blocks;
}

uint32_t third_alloc(struct third *p, uint32_t number, double bytes)
{
	struct third_site *site = &p->sites[number];
	uint32_t at;
	struct third_block *block;

	if (p->event >= 0)
		third_go(p, site->slot);
	assert(p->event < 0 ? site->phase == 0 : p->slot == site->slot);
	at = new_block(p);
	block = &p->blocks[at];
	*block = (struct third_block){ .bytes = bytes < 1 ? 1 : (uint64_t)bytes, .site = number,
				       .birth = p->event, .alive = true, .unit = THIRD_NONE };
	block->weight = site->kind == SEEP_MEMORY_HEAP ? draw_weight(p, block->bytes) : 1;
	if (site->kind == SEEP_MEMORY_HEAP)
		third_heap_put(p, block);
	count_level(p, block, 1);
	if (!block->weight)
		return at;
	site->born_blocks += block->weight;
	site->born_bytes += block->weight * block->bytes;
	count_living(site, block, true);
	if (site->kind == SEEP_MEMORY_HEAP) {
		p->last_site = number;
		p->last_block = at;
	}
	return at;
}

/* The tracker takes it for a growing block if a larger one was born there just before. */
static void see_replaced(struct third *p, const struct third_block *block)
{
	struct third_block *last;

	if (p->last_site != block->site || p->mean_sample > 0)
		return;
	last = &p->blocks[p->last_block];
	if (!last->alive || last == block || last->bytes <= block->bytes)
		return;
	p->last_site = THIRD_NONE;
	third_chain_on(p, block->site, block, last->bytes, true, true);
	last->grown = true;
}

static bool is_stack_known(uint64_t nth)
{
	return nth < 4 || ((nth * 0x9e3779b97f4a7c15u) >> 58) == 0;
}

static void count_death(struct third *p, const struct third_block *block)
{
	struct third_site *site = &p->sites[block->site];
	int64_t age = p->event - block->birth;
	size_t bin = 0;

	while (age >> bin)
		bin++;
	site->ages[bin] += block->weight;
	if (is_stack_known(site->died_blocks / block->weight))
		site->freed[bin]++;
	site->died_blocks += block->weight;
	site->died_bytes += block->weight * block->bytes;
	count_living(site, block, false);
}

void third_free(struct third *p, uint32_t number)
{
	struct third_block *block = &p->blocks[number];

	assert(block->alive);
	if (block->weight && p->sites[block->site].kind == SEEP_MEMORY_HEAP)
		see_replaced(p, block);
	if (block->weight)
		count_death(p, block);
	count_level(p, block, -1);
	if (p->sites[block->site].kind == SEEP_MEMORY_HEAP)
		third_heap_take(p, block);
	block->alive = false;
	block->next = p->spare_block;
	p->spare_block = number;
}

/* realloc: it keeps its birth. */
void third_resize(struct third *p, uint32_t number, double bytes)
{
	struct third_block *block = &p->blocks[number], old = *block;
	struct third_site *site = &p->sites[block->site];

	count_level(p, block, -1);
	count_living(site, block, false);
	third_heap_take(p, block);
	block->bytes = (uint64_t)bytes;
	third_heap_put(p, block);
	count_living(site, block, true);
	count_level(p, block, 1);
	site->moved_blocks++;
	if (block->bytes > old.bytes)
		site->born_bytes += block->bytes - old.bytes;
	else
		site->died_bytes += old.bytes - block->bytes;
	if (block->bytes > old.bytes || old.grown) {
		third_chain_on(p, block->site, &old, block->bytes, false, third_chance(p, .6));
		block->grown = true;
	}
}

/* --- time */

static uint32_t *due_list(struct third *p, int64_t event, uint32_t slot)
{
	return &p->due[(size_t)event * (THIRD_SLOTS + 1) + slot];
}

/* In a slot that has begun already it is freed at once; past the end, never. */
void third_due(struct third *p, uint32_t block, int64_t event, uint32_t slot)
{
	uint32_t *first;

	if (event >= (int64_t)p->n)
		return;
	if (event < p->event || (event == p->event && slot <= p->slot)) {
		third_free(p, block);
		return;
	}
	first = due_list(p, event, slot);
	p->blocks[block].next = *first;
	*first = block;
}

static void enter_slot(struct third *p, uint32_t slot)
{
	uint32_t *first = due_list(p, p->event, slot), block, next;

	p->slot = slot;
	for (block = *first; block != THIRD_NONE; block = next) {
		next = p->blocks[block].next;
		third_free(p, block);
	}
	third_background_enter(p);
}

void third_go(struct third *p, uint32_t slot)
{
	assert(p->slot <= slot);
	while (p->slot < slot) {
		uint32_t next = p->slot + 1;
		double part = (double)next / (p->named + 2);

		if (next <= p->named)
			third_stamp(p, p->names[next], 0, part);
		else
			third_stamp(p, 0, SEEP_STAMP_END, part);
		enter_slot(p, next);
	}
}

bool third_next(struct third *p)
{
	if (p->event >= 0) {
		third_go(p, p->has_end ? between_slot(p) : p->named);
		p->event_start_ns += (int64_t)(p->seconds[p->event] * 1e9);
	}
	if (p->event + 1 == (int64_t)p->n)
		return false;
	p->event++;
	third_heap_decay(&p->heap);
	third_stamp(p, 0, SEEP_STAMP_BEGIN, 0);
	if (p->last_anchor < 0 || p->event - p->last_anchor >= (p->event + 1) / 16) {
		third_anchor(p, SEEP_ANCHOR_BEGIN);
		p->last_anchor = p->event;
	}
	enter_slot(p, 0);
	return true;
}

/* --- the begin */

double *third_counter(struct third *p, const char *name)
{
	struct third_counter *counter = &p->counters[p->n_counters++];

	assert(p->n_counters <= THIRD_COUNTERS);
	counter->name = name;
	counter->values = seep_arena_array(&p->c->fake.arena, p->n, sizeof(double));
	return counter->values;
}

static void name_slots(struct third *p)
{
	static const char *const words[] = {
		"parse", "route", "query", "merge", "render", "reply", "flush",
	};
	uint32_t k;

	p->named = (uint32_t)(p->wishes & THIRD_PHASES ? 2 + third_pick(p, 6) : third_pick(p, 6));
	p->has_end = p->wishes & THIRD_HAS_END || third_chance(p, .6);
	for (k = 1; k <= p->named; k++)
		p->names[k] = fake_name(&p->c->fake, words[k - 1]);
}

static void fill_seconds(struct third *p)
{
	double mean = third_log(p, 1e-3, 2), spread = third_between(p, .02, .6);
	size_t e;

	p->seconds = seep_arena_array(&p->c->fake.arena, p->n, sizeof(double));
	for (e = 0; e < p->n; e++)
		p->seconds[e] = third_lopsided(p, mean, spread);
}

static void choose_allocator(struct third *p)
{
	struct third_heap *heap = &p->heap;
	double u = noise_uniform(p->noise);

	heap->name = u < .7 ? "glibc" : u < .85 ? "jemalloc" : "tcmalloc";
	heap->returns_large = !(p->wishes & THIRD_KEEPS_PAGES) && u < .7;
	heap->decay = p->wishes & THIRD_KEEPS_PAGES || u < .7 ? 0 : third_between(p, .02, .3);
}

struct third *third_open(struct score_case *c, size_t n, struct noise *noise,
			 unsigned int wishes)
{
	struct third *p;
	size_t i;

	memset(c, 0, sizeof(*c));
	fake_init(&c->fake, !(wishes & THIRD_NO_HEAP));
	p = seep_arena_alloc(&c->fake.arena, sizeof(*p));
	p->c = c;
	p->noise = noise;
	p->n = n;
	p->wishes = wishes;
	p->event = SEEP_EVENT_NONE;
	p->last_anchor = -1;
	p->last_site = p->spare_block = THIRD_NONE;
	p->mean_sample = wishes & THIRD_SAMPLED ? floor(third_log(p, 256, 8192)) : 0;
	p->due = seep_arena_array(&c->fake.arena, n * (THIRD_SLOTS + 1), sizeof(*p->due));
	for (i = 0; i < n * (THIRD_SLOTS + 1); i++)
		p->due[i] = THIRD_NONE;
	name_slots(p);
	fill_seconds(p);
	choose_allocator(p);
	third_fill_wander(p);
	third_background_open(p);
	return p;
}
