/* SPDX-License-Identifier: MIT */
/*
 * The live blocks, kept in a shadow of the heap.
 *
 * Every granule of 16 bytes, in which at most one block can start, has a
 * 4-byte slot; the slots of a region of 32 MiB are one lazily mapped array, found
 * through a flat directory:
 *
 *	address  ->  directory[address >> 25]  ->  slots[(address & mask) >> 4]
 *
 * The slots of a block belong to the thread that owns the block, and the allocator's
 * own synchronisation hands them over with the block: no lock, no atomic
 * read-modify-write, no probing.  That holds because a slot is written after the
 * real malloc and cleared before the real free.  Scanning the slots lists the
 * survivors with their addresses.
 *
 * A block that spans two granules or more has two slots to itself, which are
 * written and read as one word.  All blocks of the C library do: no two start within 32
 * bytes.  The slot of a smaller block holds the number of
 * an entry in a table (tiny.h).  The two top bits of a slot say what it is:
 *
 *	00  nothing        01  first of two        11  second of two, or size of a large block
 *	10  number of a tiny entry
 *
 *	two slots:  site 20 | birth event 24 | size 16
 *
 * A size that does not fit is in the next two slots.  Birth events wrap: ages
 * up to 2^24 events are exact.  A block that has grown (chains.h) has 00 instead of 11 in its
 * second slot, which is still not 0 since it holds the site.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_LIVE_H
#define SEEP_RECORD_HEAP_BOOK_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEP_LIVE_REGION_BITS 25
#define SEEP_LIVE_SHIFT 4 /* log2 of the granule */
#define SEEP_LIVE_REGIONS ((size_t)1 << (47 - SEEP_LIVE_REGION_BITS))
#define SEEP_LIVE_EVENT_MASK 0xffffffu /* of seep_event_now.birth */
#define SEEP_LIVE_SIZE_LARGE 0xffffu
#define SEEP_LIVE_PAGES_MAX 4096u /* more than there are, so that the slots start at a page */

#define SEEP_LIVE_GROWN ((uint32_t)1 << 31) /* in seep_live_block.event, when read */

#define SEEP_LIVE_TAG_PAIR ((uint64_t)3 << 62 | (uint64_t)1 << 30)
#define SEEP_LIVE_TAG_MASK ((uint64_t)3 << 62 | (uint64_t)3 << 30)

struct seep_thread;

struct seep_live_block {
	uint32_t site;           /* 0: not tracked */
	uint32_t event;          /* of its birth, see seep_event_now.birth; SEEP_LIVE_GROWN */
	uint64_t bytes;          /* as asked for */
};

struct seep_live_region {
	unsigned char touched[SEEP_LIVE_PAGES_MAX]; /* per page of slots: was it ever written */
	uint32_t slots[];        /* and a few more, for a pair that starts in the last one */
};

extern struct seep_live_region **seep_live_directory;
extern uint64_t seep_live_two_slots; /* blocks of this size on have two slots */

/* Python's pymalloc starts blocks of at least this size at least 32 bytes apart. */
#define SEEP_LIVE_PYMEM_LEAST ((size_t)17)

/*
 * libc: blocks come from the C library's malloc and start at least 32 bytes apart; otherwise
 * at least 16 bytes.
 */
bool seep_live_init(bool libc);

/* Some blocks come from pymalloc. */
void seep_live_expect_pymem(void);

/* Some are pieces of other blocks, and at least 16 bytes apart. */
void seep_live_expect_pools(void);
extern bool seep_live_has_pools;

__attribute__((cold)) struct seep_live_region *seep_live_add_region(uintptr_t address);

/* Marks a page of slots as written. */
__attribute__((cold)) void seep_live_touch(unsigned char *touched);

/* The odd ones: tiny and large blocks. */
__attribute__((noinline)) bool seep_live_put_odd(struct seep_thread *thread, uint32_t *slot,
						 const struct seep_live_block *live);
__attribute__((noinline)) struct seep_live_block seep_live_take_odd(struct seep_thread *thread,
								    uint32_t *slot);

/* Two neighbouring slots as one word.  The compiler makes one load or store of it. */
static inline uint64_t seep_live_load_pair(const uint32_t *slot)
{
	uint64_t pair;

	__builtin_memcpy(&pair, slot, sizeof(pair));
	return pair;
}

static inline void seep_live_store_pair(uint32_t *slot, uint64_t pair)
{
	__builtin_memcpy(slot, &pair, sizeof(pair));
}

/* 60 bits, 30 above the tag of each slot. */
static inline uint64_t seep_live_pack(const struct seep_live_block *live, uint64_t size)
{
	uint64_t value = (uint64_t)live->site << 40 |
			 (uint64_t)(live->event & SEEP_LIVE_EVENT_MASK) << 16 | size;

	return SEEP_LIVE_TAG_PAIR | (value >> 30) << 32 | (value & 0x3fffffff);
}

static inline struct seep_live_block seep_live_unpack(uint64_t pair)
{
	uint64_t value = (pair >> 32 & 0x3fffffff) << 30 | (pair & 0x3fffffff);
	struct seep_live_block live = {
		.site = (uint32_t)(value >> 40),
		.event = (uint32_t)(value >> 16) & SEEP_LIVE_EVENT_MASK,
		.bytes = value & 0xffff,
	};

	return live;
}

static inline uint32_t *seep_live_slot(struct seep_live_region *region, uintptr_t address)
{
	uintptr_t mask = ((uintptr_t)1 << SEEP_LIVE_REGION_BITS) - 1;

	return &region->slots[(address & mask) >> SEEP_LIVE_SHIFT];
}

static inline struct seep_live_region *seep_live_region_of(uintptr_t address)
{
	if (__builtin_expect(address >> 47 != 0, 0))
		return NULL;
	return __atomic_load_n(&seep_live_directory[address >> SEEP_LIVE_REGION_BITS],
			       __ATOMIC_ACQUIRE);
}

/* Enters a block.  False if there was no memory for it. */
static inline bool seep_live_put(struct seep_thread *thread, const void *block,
				 const struct seep_live_block *live)
{
	struct seep_live_region *region = seep_live_region_of((uintptr_t)block);
	unsigned char *touched;
	uint32_t *slot;

	if (__builtin_expect(!region, 0)) {
		region = seep_live_add_region((uintptr_t)block);
		if (!region)
			return false;
	}
	slot = seep_live_slot(region, (uintptr_t)block);
	touched = &region->touched[(size_t)(slot - region->slots) >> 10];
	if (__builtin_expect(!__atomic_load_n(touched, __ATOMIC_RELAXED), 0))
		seep_live_touch(touched);
	if (live->bytes - seep_live_two_slots >= SEEP_LIVE_SIZE_LARGE - seep_live_two_slots)
		return seep_live_put_odd(thread, slot, live);
	seep_live_store_pair(slot, seep_live_pack(live, live->bytes));
	return true;
}

/* False: certainly not.  Does not touch pages of slots that were never written. */
static inline bool seep_live_may_hold(const void *block)
{
	const struct seep_live_region *region = seep_live_region_of((uintptr_t)block);
	uintptr_t offset = (uintptr_t)block & (((uintptr_t)1 << SEEP_LIVE_REGION_BITS) - 1);

	return region && __atomic_load_n(&region->touched[offset >> SEEP_LIVE_SHIFT >> 10],
					 __ATOMIC_RELAXED);
}

/* Takes a block out; site 0 if it was never entered.  thread may be NULL (in a signal handler). */
static inline struct seep_live_block seep_live_take(struct seep_thread *thread, const void *block)
{
	struct seep_live_block live = {0};
	struct seep_live_region *region = seep_live_region_of((uintptr_t)block);
	uint32_t *slot;
	uint64_t pair;

	if (__builtin_expect(!region, 0))
		return live;
	slot = seep_live_slot(region, (uintptr_t)block);
	pair = seep_live_load_pair(slot);
	if (__builtin_expect((pair & SEEP_LIVE_TAG_MASK) == SEEP_LIVE_TAG_PAIR, 1)) {
		live = seep_live_unpack(pair);
		if (__builtin_expect(live.bytes != SEEP_LIVE_SIZE_LARGE, 1)) {
			seep_live_store_pair(slot, 0);
			return live;
		}
	}
	return seep_live_take_odd(thread, slot);
}

/*
 * Marks a block of this site as one that has grown; false if there is none.  Another thread
 * may remove the block meanwhile, or enter another one there.  Only the tag of one slot changes, by
 * a compare-and-exchange: at worst another block of this site is marked.
 */
bool seep_live_mark(const void *block, uint32_t site);

/*
 * From now on the block goes the long way when it leaves.  False if there is none.  The caller
 * keeps it from being freed meanwhile.
 */
bool seep_live_watch(const void *block);

/*
 * Calls visit for every live block, in the order of addresses.  The address is the start of the
 * block's granule.  Blocks that come and go meanwhile may be seen or not.
 */
typedef void seep_live_visit(const struct seep_live_block *block, uintptr_t address,
			     void *context);
void seep_live_scan(seep_live_visit *visit, void *context);

/* Whether a block ever began in this range, or close to it. */
bool seep_live_was_in(uintptr_t start, uintptr_t end);

/* Bytes of slots and entries in use, or that once were. */
uint64_t seep_live_own_bytes(void);

void seep_live_forked(void);

#endif
