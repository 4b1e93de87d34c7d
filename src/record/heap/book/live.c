/* SPDX-License-Identifier: MIT */
/*
 * live.h describes the shadow and has the common case inline.  Here is the rest: making regions,
 * tiny and large blocks, marks, and the scan.
 *
 * A scan runs while other threads enter and remove blocks.  It reads a pair of slots in one load
 * and believes it only if both tags fit.  A large block has its size in two more slots, so the
 * first pair is read again after the size: if it has changed, the block is skipped.
 */
#include "record/heap/book/live.h"

#include "os/lock.h"
#include "os/mmap.h"
#include "record/heap/book/sample.h"
#include "record/heap/book/tiny.h"

#define REGION_BYTES ((uintptr_t)1 << SEEP_LIVE_REGION_BITS)
#define PAGE_SLOTS 1024u
#define SPARE_SLOTS 4u
#define WATCHED_LEAST 64u /* bytes of four slots */
#define SKIP 8u /* slots that are looked at together */
#define TAG(slot) ((slot) >> 30)
#define NUMBER(slot) ((slot) & 0x3fffffffu)
#define SITE(second) (NUMBER(second) >> 10)

struct seep_live_region **seep_live_directory;
uint64_t seep_live_two_slots;
bool seep_live_has_pools;

/* The regions that exist, so that a scan need not read the whole directory. */
static struct {
	struct seep_lock lock;
	uint32_t *regions;       /* index into the directory */
	uint32_t n;
	uint64_t pages;          /* pages of slots that were ever written */
} made;

bool seep_live_init(bool libc)
{
	/* The C library starts no two blocks within 32 bytes, so each of them has two slots. */
	seep_live_two_slots = libc ? 0 : 32;
	seep_live_directory = seep_mmap_new(SEEP_LIVE_REGIONS * sizeof(*seep_live_directory));
	made.regions = seep_mmap_new(SEEP_LIVE_REGIONS * sizeof(*made.regions));
	return seep_live_directory && made.regions && seep_tiny_init();
}

void seep_live_expect_pymem(void)
{
	if (!seep_live_two_slots)
		seep_live_two_slots = SEEP_LIVE_PYMEM_LEAST;
}

void seep_live_expect_pools(void)
{
	seep_live_two_slots = 32;
	seep_live_has_pools = true;
}

static size_t region_slots(void)
{
	return REGION_BYTES >> SEEP_LIVE_SHIFT;
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
		region = seep_mmap_new(sizeof(*region) +
				       (region_slots() + SPARE_SLOTS) * sizeof(region->slots[0]));
		__atomic_store_n(&seep_live_directory[i], region, __ATOMIC_RELEASE);
		if (region) {
			made.regions[made.n] = (uint32_t)i;
			__atomic_store_n(&made.n, made.n + 1, __ATOMIC_RELEASE);
		}
	}
	seep_lock_give(&made.lock);
	return region;
}

static uint64_t pack_size(uint64_t bytes)
{
	return SEEP_LIVE_TAG_MASK | (bytes >> 30 & 0x3fffffff) << 32 | (bytes & 0x3fffffff);
}

bool seep_live_put_odd(struct seep_thread *thread, uint32_t *slot,
		       const struct seep_live_block *live)
{
	uint32_t number;

	if (live->bytes >= SEEP_LIVE_SIZE_LARGE) {
		seep_live_store_pair(slot + 2, pack_size(live->bytes));
		seep_live_store_pair(slot, seep_live_pack(live, SEEP_LIVE_SIZE_LARGE));
		return true;
	}
	number = seep_tiny_add(thread, live);
	if (!number)
		return false;
	__atomic_store_n(slot, (uint32_t)2 << 30 | number, __ATOMIC_RELAXED);
	return true;
}

bool seep_live_watch(const void *block)
{
	struct seep_live_region *region = seep_live_region_of((uintptr_t)block);
	uint32_t *slot = region ? seep_live_slot(region, (uintptr_t)block) : NULL;
	uint64_t pair = slot ? seep_live_load_pair(slot) : 0, bytes = pair & 0xffff;

	if ((pair & SEEP_LIVE_TAG_MASK) != SEEP_LIVE_TAG_PAIR || bytes < WATCHED_LEAST)
		return false;
	if (bytes == SEEP_LIVE_SIZE_LARGE)
		return true;
	/* As a large block: its size is elsewhere, and it is not found by the short way. */
	seep_live_store_pair(slot + 2, pack_size(bytes));
	seep_live_store_pair(slot, pair | SEEP_LIVE_SIZE_LARGE);
	return true;
}

/* Also reads the mark of a block that has grown, which the inline seep_live_unpack ignores. */
static struct seep_live_block unpack(uint64_t pair)
{
	struct seep_live_block live = seep_live_unpack(pair);

	if (!(pair >> 62))
		live.event |= SEEP_LIVE_GROWN;
	return live;
}

/* 0 if there is no size: the block has gone, and another one may start there. */
static uint64_t large_bytes(const uint32_t *slot)
{
	uint64_t size = seep_live_load_pair(slot + 2);

	if ((size & SEEP_LIVE_TAG_MASK) != SEEP_LIVE_TAG_MASK)
		return 0;
	return (size >> 32 & 0x3fffffff) << 30 | (size & 0x3fffffff);
}

struct seep_live_block seep_live_take_odd(struct seep_thread *thread, uint32_t *slot)
{
	struct seep_live_block live = {0};
	uint32_t first = __atomic_load_n(slot, __ATOMIC_RELAXED);

	if (TAG(first) == 2) {
		live = seep_tiny_take(thread, NUMBER(first));
		__atomic_store_n(slot, 0, __ATOMIC_RELAXED);
	} else if (TAG(first) == 1) {
		live = unpack(seep_live_load_pair(slot));
		seep_live_store_pair(slot, 0);
		if (live.bytes == SEEP_LIVE_SIZE_LARGE) {
			live.bytes = large_bytes(slot);
			seep_live_store_pair(slot + 2, 0);
		}
	}
	return live;
}

static bool mark_second(uint32_t *second, uint32_t site)
{
	uint32_t value = __atomic_load_n(second, __ATOMIC_RELAXED);

	if (SITE(value) != site)
		return false;
	return TAG(value) == 0 ||
	       (TAG(value) == 3 &&
		__atomic_compare_exchange_n(second, &value, NUMBER(value), false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

bool seep_live_mark(const void *block, uint32_t site)
{
	struct seep_live_region *region = seep_live_region_of((uintptr_t)block);
	uint32_t *slot, first;

	if (!region)
		return false;
	slot = seep_live_slot(region, (uintptr_t)block);
	first = __atomic_load_n(slot, __ATOMIC_RELAXED);
	if (TAG(first) == 2)
		return seep_tiny_mark(NUMBER(first), site);
	return TAG(first) == 1 && mark_second(slot + 1, site);
}

/* What a slot says when seen from outside, while its owner may be changing it. */
static struct seep_live_block look(const uint32_t *slot)
{
	struct seep_live_block live = {0};
	uint32_t first = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	uint64_t pair;

	if (TAG(first) == 2)
		return seep_tiny_look(NUMBER(first));
	if (TAG(first) != 1)
		return live;
	pair = seep_live_load_pair(slot);
	if (TAG((uint32_t)pair) != 1 || (pair >> 62 && pair >> 62 != 3))
		return live;
	live = unpack(pair); /* site is 0 if the second slot is empty */
	if (live.bytes == SEEP_LIVE_SIZE_LARGE) {
		live.bytes = large_bytes(slot);
		/* The block may have gone between the two loads, which must stay two. */
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (!live.bytes || (seep_live_load_pair(slot) ^ pair) << 2)
			live.site = 0;
	}
	return live;
}

/* Whether SKIP slots hold nothing: most of a heap that has shrunk. */
static inline bool is_empty(const uint32_t *slots)
{
	return !(seep_live_load_pair(slots) | seep_live_load_pair(slots + 2) |
		 seep_live_load_pair(slots + 4) | seep_live_load_pair(slots + 6));
}

static void scan_page(const uint32_t *slots, uintptr_t address, seep_live_visit *visit,
		      void *context)
{
	size_t i = 0;

	while (i < PAGE_SLOTS) {
		struct seep_live_block live;

		if (!slots[i]) {
			i += i % SKIP || !is_empty(&slots[i]) ? 1 : SKIP;
			continue;
		}
		live = look(&slots[i]);
		if (live.site)
			visit(&live, address + (i << SEEP_LIVE_SHIFT), context);
		/* The second slot of a pair is no block. */
		i += live.site && TAG(slots[i]) == 1 ? 2 : 1;
	}
}

/* The lowest of n regions whose index is at least this; UINT32_MAX: none. */
static uint32_t find_region(uint32_t least, uint32_t n)
{
	uint32_t found = UINT32_MAX, i;

	for (i = 0; i < n; i++)
		if (made.regions[i] >= least && made.regions[i] < found)
			found = made.regions[i];
	return found;
}

void seep_live_scan(seep_live_visit *visit, void *context)
{
	uint32_t n = __atomic_load_n(&made.n, __ATOMIC_ACQUIRE), i;
	size_t pages = region_slots() / PAGE_SLOTS, page;

	for (i = find_region(0, n); i != UINT32_MAX; i = find_region(i + 1, n)) {
		const struct seep_live_region *region = seep_live_directory[i];
		uintptr_t start = (uintptr_t)i << SEEP_LIVE_REGION_BITS;

		for (page = 0; page < pages; page++)
			if (__atomic_load_n(&region->touched[page], __ATOMIC_RELAXED))
				scan_page(&region->slots[page * PAGE_SLOTS],
					  start + (page * PAGE_SLOTS << SEEP_LIVE_SHIFT), visit,
					  context);
	}
}

/* Looks at one page of slots after the other and skips regions that do not exist. */
bool seep_live_was_in(uintptr_t start, uintptr_t end)
{
	uintptr_t step = (uintptr_t)PAGE_SLOTS << SEEP_LIVE_SHIFT;

	start -= start % step;
	while (start < end) {
		if (!seep_live_region_of(start)) {
			start = (start | (REGION_BYTES - 1)) + 1;
			continue;
		}
		if (seep_live_may_hold((const void *)start))
			return true;
		start += step;
	}
	return false;
}

void seep_live_touch(unsigned char *touched)
{
	if (__atomic_exchange_n(touched, 1, __ATOMIC_RELAXED))
		return;
	__atomic_fetch_add(&made.pages, 1, __ATOMIC_RELAXED);
	seep_sample_watch_ceiling();
}

uint64_t seep_live_own_bytes(void)
{
	uint64_t heads = __atomic_load_n(&made.n, __ATOMIC_RELAXED);

	return __atomic_load_n(&made.pages, __ATOMIC_RELAXED) * PAGE_SLOTS * sizeof(uint32_t) +
	       heads * SEEP_LIVE_PAGES_MAX + seep_tiny_own_bytes();
}

void seep_live_forked(void)
{
	seep_lock_renew(&made.lock);
	seep_tiny_forked();
}
