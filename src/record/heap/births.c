/* SPDX-License-Identifier: MIT */
#include "record/heap/births.h"

#include "os/mmap.h"

#include <string.h>

#define BINS SEEP_TRACE_COHORT_BINS
#define ALL_BINS (BINS + 2)
#define ROW ((uint32_t)1 << 31)
#define CHAIN_MAX 4u
#define SPARE 65536u /* slots for blocks that come while they are counted, and for mappings */

/* Five blocks of one site may make four slots, two for early and grown ones, and a row. */
static uint32_t slots_for(uint32_t sites, uint64_t blocks)
{
	uint64_t by_sites = (uint64_t)sites * (ALL_BINS + CHAIN_MAX + 2) + 1;
	uint64_t by_blocks = blocks * (ALL_BINS + CHAIN_MAX + 2) / (CHAIN_MAX + 1) + SPARE;
	uint64_t most = by_sites < by_blocks ? by_sites : by_blocks;

	return most < ROW ? (uint32_t)most : ROW;
}

bool seep_births_init(struct seep_births *births, uint32_t sites, uint64_t blocks, bool sampled)
{
	uint32_t max = slots_for(sites, blocks);
	size_t sure_bytes = sampled ? max * sizeof(*births->sure) : 0;
	size_t counts_bytes = max * sizeof(*births->counts);
	size_t links_bytes = max * sizeof(*births->links);
	unsigned char *map;

	births->bytes = sure_bytes + counts_bytes + links_bytes + sites * sizeof(*births->heads);
	map = seep_mmap_scratch(births->bytes);
	if (!map)
		return false;
	births->sure = sampled ? (struct seep_births_sure *)(void *)map : NULL;
	births->counts = (struct seep_births_count *)(void *)(map + sure_bytes);
	births->links = (struct seep_births_link *)(void *)(map + sure_bytes + counts_bytes);
	births->heads = (uint32_t *)(void *)(map + sure_bytes + counts_bytes + links_bytes);
	births->n = 1;
	births->max = max;
	return true;
}

void seep_births_release(struct seep_births *births)
{
	seep_mmap_drop(births->sure ? (void *)births->sure : (void *)births->counts,
		       births->bytes);
}

static uint32_t take(struct seep_births *births, uint32_t n)
{
	uint32_t slot = births->n;

	if (births->max - slot < n)
		return 0;
	births->n += n;
	return slot;
}

/* Moves a chain into a row. */
static uint32_t make_row(struct seep_births *births, uint32_t site)
{
	uint32_t row = take(births, ALL_BINS), slot;

	if (!row)
		return 0;
	for (slot = births->heads[site]; slot; slot = births->links[slot].next) {
		births->counts[row + births->links[slot].bin] = births->counts[slot];
		if (births->sure)
			births->sure[row + births->links[slot].bin] = births->sure[slot];
	}
	births->heads[site] = ROW | row;
	return row;
}

uint32_t seep_births_slot(struct seep_births *births, uint32_t site, uint32_t bin)
{
	uint32_t head = births->heads[site], slot, n = 0;

	if (head & ROW)
		return (head & ~ROW) + bin;
	for (slot = head; slot; slot = births->links[slot].next) {
		if (births->links[slot].bin == bin)
			return slot;
		n += births->links[slot].bin < BINS;
	}
	if (n == CHAIN_MAX && bin < BINS) {
		slot = make_row(births, site);
		return slot ? slot + bin : 0;
	}
	slot = take(births, 1);
	if (slot) {
		births->links[slot] = (struct seep_births_link){head, bin};
		births->heads[site] = slot;
	}
	return slot;
}

void seep_births_list(const struct seep_births *births, uint32_t site, uint32_t slots[BINS])
{
	uint32_t head = births->heads[site], bin;

	if (head & ROW) {
		for (bin = 0; bin < BINS; bin++)
			slots[bin] = (head & ~ROW) + bin;
		return;
	}
	memset(slots, 0, BINS * sizeof(*slots));
	for (; head; head = births->links[head].next)
		if (births->links[head].bin < BINS)
			slots[births->links[head].bin] = head;
}

struct seep_births_count seep_births_look(const struct seep_births *births, uint32_t site,
					  uint32_t bin)
{
	uint32_t slot = births->heads[site];

	if (slot & ROW)
		return births->counts[(slot & ~ROW) + bin];
	while (slot && births->links[slot].bin != bin)
		slot = births->links[slot].next;
	return births->counts[slot];
}

bool seep_births_has_events(const struct seep_births *births, uint32_t site)
{
	uint32_t slot = births->heads[site];

	if (slot & ROW)
		return true;
	while (slot && births->links[slot].bin >= BINS)
		slot = births->links[slot].next;
	return slot;
}
