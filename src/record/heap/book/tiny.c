/* SPDX-License-Identifier: MIT */
#include "record/heap/book/tiny.h"

#include "os/lock.h"
#include "os/mmap.h"
#include "record/heap/book/sample.h"
#include "record/heap/thread.h"

#define CHUNK_ENTRIES ((uint32_t)1 << 16)
#define CHUNKS_MAX ((uint32_t)1 << 14)
#define BATCH 512u
#define GROWN ((uint64_t)1 << 19)

/*
 * An entry in use: site 20 | event 24 | grown 1 | size 19, site never 0.  A free one: the
 * number of the next in its chain, which is below 2^30, so the site is 0.
 */
static struct {
	struct seep_lock lock;
	uint64_t **chunks;
	uint32_t used;           /* entries ever handed out, and entry 0 */
	uint32_t chain;          /* free entries of all */
} table;

bool seep_tiny_init(void)
{
	table.chunks = seep_mmap_new(CHUNKS_MAX * sizeof(*table.chunks));
	table.used = 1;
	return table.chunks != NULL;
}

static uint64_t *entry_of(uint32_t number)
{
	return &table.chunks[number / CHUNK_ENTRIES][number % CHUNK_ENTRIES];
}

/* Puts entries that were never used into the common chain; false if there is no memory. */
static bool add_fresh(void)
{
	uint32_t chunk = table.used / CHUNK_ENTRIES, i;

	if (chunk >= CHUNKS_MAX)
		return false;
	if (!table.chunks[chunk])
		__atomic_store_n(&table.chunks[chunk],
				 seep_mmap_new(CHUNK_ENTRIES * sizeof(**table.chunks)),
				 __ATOMIC_RELEASE);
	if (!table.chunks[chunk])
		return false;
	for (i = 0; i < BATCH && table.used / CHUNK_ENTRIES == chunk; i++) {
		*entry_of(table.used) = table.chain;
		table.chain = table.used;
		__atomic_store_n(&table.used, table.used + 1, __ATOMIC_RELAXED);
	}
	return true;
}

static void refill(struct seep_thread *thread)
{
	uint32_t n, number;

	seep_lock_take(&table.lock);
	for (n = 0; n < BATCH && (table.chain || (!n && add_fresh())); n++) {
		number = table.chain;
		table.chain = (uint32_t)*entry_of(number);
		*entry_of(number) = thread->tiny_chain;
		thread->tiny_chain = number;
		thread->n_tiny++;
	}
	seep_lock_give(&table.lock);
	seep_sample_watch_ceiling();
}

static void give_back(struct seep_thread *thread)
{
	uint32_t n, number;

	seep_lock_take(&table.lock);
	for (n = 0; n < BATCH; n++) {
		number = thread->tiny_chain;
		thread->tiny_chain = (uint32_t)*entry_of(number);
		*entry_of(number) = table.chain;
		table.chain = number;
		thread->n_tiny--;
	}
	seep_lock_give(&table.lock);
}

uint32_t seep_tiny_add(struct seep_thread *thread, const struct seep_live_block *live)
{
	uint32_t number;

	if (!thread->tiny_chain)
		refill(thread);
	number = thread->tiny_chain;
	if (!number)
		return 0;
	thread->tiny_chain = (uint32_t)*entry_of(number);
	thread->n_tiny--;
	__atomic_store_n(entry_of(number), (uint64_t)live->site << 44 |
			 (uint64_t)(live->event & SEEP_LIVE_EVENT_MASK) << 20 | live->bytes,
			 __ATOMIC_RELEASE);
	return number;
}

static struct seep_live_block unpack(uint64_t entry)
{
	struct seep_live_block live = {
		.site = (uint32_t)(entry >> 44),
		.event = (uint32_t)(entry >> 20) & SEEP_LIVE_EVENT_MASK,
		.bytes = entry & (GROWN - 1),
	};

	if (entry & GROWN)
		live.event |= SEEP_LIVE_GROWN;
	return live;
}

struct seep_live_block seep_tiny_take(struct seep_thread *thread, uint32_t number)
{
	struct seep_live_block live = unpack(*entry_of(number));

	if (!thread) {
		__atomic_store_n(entry_of(number), 0, __ATOMIC_RELAXED);
		return live;
	}
	__atomic_store_n(entry_of(number), thread->tiny_chain, __ATOMIC_RELAXED);
	/* In this order: a handler may interrupt us here and never return. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->tiny_chain = number;
	if (++thread->n_tiny >= 2 * BATCH)
		give_back(thread);
	return live;
}

bool seep_tiny_mark(uint32_t number, uint32_t site)
{
	uint64_t entry = __atomic_load_n(entry_of(number), __ATOMIC_RELAXED);

	return entry >> 44 == site &&
	       __atomic_compare_exchange_n(entry_of(number), &entry, entry | GROWN, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

struct seep_live_block seep_tiny_look(uint32_t number)
{
	return unpack(__atomic_load_n(entry_of(number), __ATOMIC_ACQUIRE));
}

uint64_t seep_tiny_own_bytes(void)
{
	return (uint64_t)__atomic_load_n(&table.used, __ATOMIC_RELAXED) * sizeof(**table.chunks);
}

void seep_tiny_forked(void)
{
	seep_lock_renew(&table.lock);
}
