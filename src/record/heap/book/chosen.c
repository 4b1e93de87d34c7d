/* SPDX-License-Identifier: MIT */
#include "record/heap/book/chosen.h"

#include "os/lock.h"
#include "os/mmap.h"

#define CHAINS ((uint32_t)1 << 14)
#define CHUNK_ENTRIES ((uint32_t)1 << 16)
#define CHUNKS_MAX ((uint32_t)1 << 12)

static struct {
	struct seep_lock lock;
	uint32_t *chains;        /* number of the first entry, 0 none */
	struct seep_chosen **chunks;
	uint32_t used;           /* entries ever handed out, and entry 0 */
	uint32_t free;           /* chain of those given back */
} table;

bool seep_chosen_init(void)
{
	if (table.chains)
		return true;
	table.chunks = seep_mmap_new(CHUNKS_MAX * sizeof(*table.chunks));
	table.used = 1;
	if (table.chunks)
		table.chains = seep_mmap_new(CHAINS * sizeof(*table.chains));
	return table.chains != NULL;
}

static struct seep_chosen *entry_of(uint32_t number)
{
	return &table.chunks[number / CHUNK_ENTRIES][number % CHUNK_ENTRIES];
}

static uint32_t *chain_of(const void *block)
{
	return &table.chains[((uintptr_t)block >> 4) * 0x9e3779b97f4a7c15u >> 50];
}

static bool enter(bool inside)
{
	if (inside)
		return seep_lock_try(&table.lock);
	seep_lock_take(&table.lock);
	return true;
}

/* The number of an entry that is free; 0 if there is no memory. */
static uint32_t find_free(void)
{
	uint32_t number = table.free, chunk = table.used / CHUNK_ENTRIES;

	if (number) {
		table.free = entry_of(number)->next;
		return number;
	}
	if (chunk == CHUNKS_MAX)
		return 0;
	if (!table.chunks[chunk])
		__atomic_store_n(&table.chunks[chunk],
				 seep_mmap_new(CHUNK_ENTRIES * sizeof(**table.chunks)),
				 __ATOMIC_RELEASE);
	if (!table.chunks[chunk])
		return 0;
	number = table.used;
	__atomic_store_n(&table.used, number + 1, __ATOMIC_RELEASE);
	return number;
}

/* A scan takes an entry for complete when it has a site. */
bool seep_chosen_put(const struct seep_chosen *chosen, bool inside)
{
	uint32_t *chain = chain_of(chosen->block), number;
	struct seep_chosen *entry;

	if (!enter(inside))
		return false;
	number = find_free();
	if (number) {
		entry = entry_of(number);
		entry->block = chosen->block;
		entry->bytes = chosen->bytes;
		entry->weight = chosen->weight;
		entry->event = chosen->event;
		entry->next = *chain;
		__atomic_store_n(&entry->site, chosen->site, __ATOMIC_RELEASE);
		__atomic_store_n(chain, number, __ATOMIC_RELEASE);
	}
	seep_lock_give(&table.lock);
	return number != 0;
}

static bool unlink_entry(uint32_t *from, const void *block, struct seep_chosen *chosen)
{
	uint32_t number;

	for (; (number = *from) != 0; from = &entry_of(number)->next) {
		struct seep_chosen *entry = entry_of(number);

		if (entry->block != block)
			continue;
		*chosen = *entry;
		__atomic_store_n(&entry->site, 0, __ATOMIC_RELEASE);
		__atomic_store_n(from, entry->next, __ATOMIC_RELEASE);
		entry->next = table.free;
		table.free = number;
		return true;
	}
	return false;
}

bool seep_chosen_take(const void *block, struct seep_chosen *chosen, bool inside)
{
	uint32_t *chain = chain_of(block);
	bool found;

	if (!__atomic_load_n(chain, __ATOMIC_ACQUIRE) || !enter(inside))
		return false;
	found = unlink_entry(chain, block, chosen);
	seep_lock_give(&table.lock);
	return found;
}

void seep_chosen_scan(void (*visit)(const struct seep_chosen *chosen, void *context), void *context)
{
	uint32_t n = __atomic_load_n(&table.used, __ATOMIC_ACQUIRE), i;

	for (i = 1; i < n; i++) {
		const struct seep_chosen *entry = entry_of(i);
		uint32_t site = __atomic_load_n(&entry->site, __ATOMIC_ACQUIRE);
		struct seep_chosen seen;

		if (!site)
			continue;
		seen = *entry;
		seen.site = site;
		visit(&seen, context);
	}
}

uint64_t seep_chosen_own_bytes(void)
{
	return table.chains ? (uint64_t)__atomic_load_n(&table.used, __ATOMIC_RELAXED) *
			      sizeof(struct seep_chosen) + CHAINS * sizeof(*table.chains) : 0;
}

void seep_chosen_forked(void)
{
	seep_lock_renew(&table.lock);
}
