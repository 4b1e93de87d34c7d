/* SPDX-License-Identifier: MIT */
/*
 * The live blocks, kept in a shadow of the heap.
 *
 * Every granule of address space in which at most one block can start has an
 * 8-byte slot; the slots of a region of 32 MiB are one lazily mapped array, found
 * through a flat directory:
 *
 *	address  ->  directory[address >> 25]  ->  slots[(address & mask) >> shift]
 *
 * The slot of a block belongs to whoever owns the block, and the allocator's
 * own synchronisation hands it over with the block: no lock, no atomic
 * read-modify-write, no probing.  That holds because a slot is written after the
 * real malloc and cleared before the real free.  Scanning the slots lists the
 * survivors with their addresses.
 *
 *	slot:  site 20 | birth event 26 | size 18
 *
 * A size that does not fit is kept in the following slot, which is the block's
 * own, too (such a block is large); its site field is 0, so nobody takes it for a
 * block.  Birth events wrap: ages up to 2^26 events are exact.
 */
#ifndef SEEP_RECORD_HEAP_LIVE_H
#define SEEP_RECORD_HEAP_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEP_LIVE_REGION_BITS 25
#define SEEP_LIVE_REGIONS ((size_t)1 << (47 - SEEP_LIVE_REGION_BITS))
#define SEEP_LIVE_SIZE_BITS 18
#define SEEP_LIVE_EVENT_BITS 26
#define SEEP_LIVE_SIZE_MASK (((uint64_t)1 << SEEP_LIVE_SIZE_BITS) - 1)
#define SEEP_LIVE_EVENT_MASK (((uint32_t)1 << SEEP_LIVE_EVENT_BITS) - 1)

struct seep_live_block {
	uint32_t site;           /* 0: not tracked */
	uint32_t event;          /* of its birth, modulo 2^26 */
	uint64_t bytes;          /* as asked for */
};

#define SEEP_LIVE_PAGES_MAX 4096u

struct seep_live_region {
	unsigned char touched[SEEP_LIVE_PAGES_MAX]; /* per page of slots: was it ever written */
	uint64_t slots[];
};

extern struct seep_live_region **seep_live_directory;
extern unsigned int seep_live_shift; /* log2 of the granule */

/* granule_shift: 5 for the C library's malloc (no two blocks start within 32 bytes), else 4. */
bool seep_live_init(unsigned int granule_shift);

struct seep_live_region *seep_live_add_region(uintptr_t address);

/* Large blocks; see above. */
bool seep_live_put_large(uintptr_t address, uint64_t slot, uint64_t bytes);
uint64_t seep_live_take_large(uintptr_t address);

static inline uint64_t *seep_live_slot(struct seep_live_region *region, uintptr_t address)
{
	uintptr_t mask = ((uintptr_t)1 << SEEP_LIVE_REGION_BITS) - 1;

	return &region->slots[(address & mask) >> seep_live_shift];
}

static inline struct seep_live_region *seep_live_region_of(uintptr_t address)
{
	if (__builtin_expect(address >> 47 != 0, 0))
		return NULL;
	return __atomic_load_n(&seep_live_directory[address >> SEEP_LIVE_REGION_BITS],
			       __ATOMIC_ACQUIRE);
}

/* Enters a block.  False if there was no memory for its slot. */
static inline bool seep_live_put(const void *block, const struct seep_live_block *live)
{
	uintptr_t address = (uintptr_t)block;
	struct seep_live_region *region = seep_live_region_of(address);
	uint64_t slot = (uint64_t)live->site << 44 |
			(uint64_t)(live->event & SEEP_LIVE_EVENT_MASK) << SEEP_LIVE_SIZE_BITS;
	uint64_t *at;
	unsigned char *touched;

	if (__builtin_expect(!region, 0)) {
		region = seep_live_add_region(address);
		if (!region)
			return false;
	}
	if (__builtin_expect(live->bytes >= SEEP_LIVE_SIZE_MASK, 0))
		return seep_live_put_large(address, slot | SEEP_LIVE_SIZE_MASK, live->bytes);
	at = seep_live_slot(region, address);
	touched = &region->touched[(size_t)(at - region->slots) >> 9];
	if (__builtin_expect(!__atomic_load_n(touched, __ATOMIC_RELAXED), 0))
		__atomic_store_n(touched, 1, __ATOMIC_RELAXED);
	__atomic_store_n(at, slot | live->bytes, __ATOMIC_RELAXED);
	return true;
}

/* Takes a block out; site 0 if it was never entered. */
static inline struct seep_live_block seep_live_take(const void *block)
{
	struct seep_live_block live = {0};
	uintptr_t address = (uintptr_t)block;
	struct seep_live_region *region = seep_live_region_of(address);
	uint64_t *at, slot;

	if (__builtin_expect(!region, 0))
		return live;
	at = seep_live_slot(region, address);
	slot = __atomic_load_n(at, __ATOMIC_RELAXED);
	if (!slot)
		return live;
	__atomic_store_n(at, 0, __ATOMIC_RELAXED);
	live.site = (uint32_t)(slot >> 44);
	live.event = (uint32_t)(slot >> SEEP_LIVE_SIZE_BITS) & SEEP_LIVE_EVENT_MASK;
	live.bytes = slot & SEEP_LIVE_SIZE_MASK;
	if (__builtin_expect(live.bytes == SEEP_LIVE_SIZE_MASK, 0))
		live.bytes = seep_live_take_large(address);
	return live;
}

/*
 * Calls visit for every live block.  Blocks that come and go meanwhile may be
 * seen or not; each is seen whole.
 */
void seep_live_scan(void (*visit)(const struct seep_live_block *block, void *context),
		    void *context);

void seep_live_forked(void);

#endif
