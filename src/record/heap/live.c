/* SPDX-License-Identifier: MIT */
#include "record/heap/live.h"

#include "os/lock.h"
#include "os/map.h"

#define REGION_BYTES ((uintptr_t)1 << SEEP_LIVE_REGION_BITS)
#define PAGE_SLOTS 512u

struct seep_live_region **seep_live_directory;
unsigned int seep_live_shift;

/* The regions in the order of their making, so that a scan need not read the whole directory. */
static struct {
	struct seep_lock lock;
	uint32_t *regions;       /* index into the directory */
	uint32_t n;
} made;

bool seep_live_init(unsigned int granule_shift)
{
	seep_live_shift = granule_shift;
	seep_live_directory = seep_map_new(SEEP_LIVE_REGIONS * sizeof(*seep_live_directory));
	made.regions = seep_map_new(SEEP_LIVE_REGIONS * sizeof(*made.regions));
	return seep_live_directory && made.regions;
}

static struct seep_live_region *make_region(void)
{
	size_t slots = REGION_BYTES >> seep_live_shift;

	return seep_map_new(sizeof(struct seep_live_region) + slots * sizeof(uint64_t));
}

struct seep_live_region *seep_live_add_region(uintptr_t address)
{
	size_t i = address >> SEEP_LIVE_REGION_BITS;
	struct seep_live_region *region;

	if (i >= SEEP_LIVE_REGIONS)
		return NULL;
	seep_lock_take(&made.lock);
	region = seep_live_directory[i];
	if (!region) {
		region = make_region();
		__atomic_store_n(&seep_live_directory[i], region, __ATOMIC_RELEASE);
		if (region) {
			made.regions[made.n] = (uint32_t)i;
			__atomic_store_n(&made.n, made.n + 1, __ATOMIC_RELEASE);
		}
	}
	seep_lock_give(&made.lock);
	return region;
}

static void store(struct seep_live_region *region, uintptr_t address, uint64_t word)
{
	uint64_t *at = seep_live_slot(region, address);

	__atomic_store_n(&region->touched[(size_t)(at - region->slots) / PAGE_SLOTS], 1,
			 __ATOMIC_RELAXED);
	__atomic_store_n(at, word, __ATOMIC_RELEASE);
}

static struct seep_live_region *ensure_region(uintptr_t address)
{
	struct seep_live_region *region = seep_live_region_of(address);

	return region ? region : seep_live_add_region(address);
}

bool seep_live_put_large(uintptr_t address, uint64_t slot, uint64_t bytes)
{
	uintptr_t following = address + ((uintptr_t)1 << seep_live_shift);
	struct seep_live_region *first = ensure_region(address);
	struct seep_live_region *second = ensure_region(following);

	if (!first || !second)
		return false;
	store(second, following, bytes & (((uint64_t)1 << 44) - 1));
	store(first, address, slot);
	return true;
}

uint64_t seep_live_take_large(uintptr_t address)
{
	uintptr_t following = address + ((uintptr_t)1 << seep_live_shift);
	struct seep_live_region *region = seep_live_region_of(following);
	uint64_t bytes;

	if (!region)
		return 0;
	bytes = __atomic_load_n(seep_live_slot(region, following), __ATOMIC_ACQUIRE);
	store(region, following, 0);
	return bytes;
}

/* The size of a large block whose slot is at slots[i] of region number r. */
static uint64_t large_bytes(uint32_t r, const struct seep_live_region *region, size_t i)
{
	size_t slots = REGION_BYTES >> seep_live_shift;

	if (i + 1 < slots)
		return __atomic_load_n(&region->slots[i + 1], __ATOMIC_ACQUIRE);
	region = __atomic_load_n(&seep_live_directory[r + 1], __ATOMIC_ACQUIRE);
	return region ? __atomic_load_n(&region->slots[0], __ATOMIC_ACQUIRE) : 0;
}

static void scan_page(uint32_t r, const struct seep_live_region *region, size_t first,
		      void (*visit)(const struct seep_live_block *, void *), void *context)
{
	struct seep_live_block live;
	size_t i;

	for (i = first; i < first + PAGE_SLOTS; i++) {
		uint64_t slot = __atomic_load_n(&region->slots[i], __ATOMIC_ACQUIRE);

		live.site = (uint32_t)(slot >> 44);
		if (!live.site)
			continue;
		live.event = (uint32_t)(slot >> SEEP_LIVE_SIZE_BITS) & SEEP_LIVE_EVENT_MASK;
		live.bytes = slot & SEEP_LIVE_SIZE_MASK;
		if (live.bytes == SEEP_LIVE_SIZE_MASK)
			live.bytes = large_bytes(r, region, i);
		visit(&live, context);
	}
}

void seep_live_scan(void (*visit)(const struct seep_live_block *block, void *context),
		    void *context)
{
	uint32_t n = __atomic_load_n(&made.n, __ATOMIC_ACQUIRE), i;
	size_t pages = (REGION_BYTES >> seep_live_shift) / PAGE_SLOTS, page;

	for (i = 0; i < n; i++) {
		uint32_t r = made.regions[i];
		const struct seep_live_region *region = seep_live_directory[r];

		for (page = 0; page < pages; page++)
			if (__atomic_load_n(&region->touched[page], __ATOMIC_RELAXED))
				scan_page(r, region, page * PAGE_SLOTS, visit, context);
	}
}

void seep_live_forked(void)
{
	seep_lock_renew(&made.lock);
}
