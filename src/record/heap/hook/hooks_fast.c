/* SPDX-License-Identifier: MIT */
/*
 * The common case of malloc, calloc, realloc and free: every block is tracked and is the
 * C library's, the stack was captured before (flat.h), and the block is booked in one word
 * (live.h).  Each is one function, with no call but that of the allocator.
 *
 * The same for Python's allocators (real_pymem.h).  pymalloc's blocks of up to 16 bytes are that
 * close together, and have an entry (tiny.h).
 *
 * Blocks of another allocator, 16 bytes apart, would need a second family of these functions, with
 * the entries of tiny.h; all that decides about the family is seep_sample_way.
 *
 * Whatever is out of the ordinary goes the long way (hooks.c): before anything has been changed,
 * or, if a block has arrived, before any of it has been booked.
 *
 * This file is built with frame pointers: the walk starts at the hook's frame.
 */
#include "record/heap/hook/hooks.h"

#include "record/event_clock.h"
#include "record/guard.h"
#include "record/heap/ages.h"
#include "record/heap/book/account.h"
#include "record/heap/book/live.h"
#include "record/heap/real/real_pymem.h"
#include "record/heap/stack/flat.h"
#include "record/heap/stack/unwind.h"
#include "record/heap/thread.h"

#define FAST static inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)

#ifdef SEEP_FLAT_CHECK
/* tests/real/walk_check.c holds each stack that is found against backtrace(). */
void seep_flat_check(struct seep_thread *thread, const void *frame_address, uint64_t hash);
#else
#define seep_flat_check(thread, frame_address, hash) ((void)0)
#endif

/* Not atomic, but one instruction each: other threads read the old number or the new one. */
FAST void add_live(struct seep_thread *thread, uint64_t bytes, int64_t blocks)
{
	thread->live_bytes += (int64_t)bytes;
	thread->live_blocks += blocks;
}

/* No block is above 2^47; such an address may be taken for another one here. */
FAST struct seep_live_region *region_of(const void *block)
{
	uintptr_t i = (uintptr_t)block >> SEEP_LIVE_REGION_BITS & (SEEP_LIVE_REGIONS - 1);

	return __atomic_load_n(&seep_live_directory[i], __ATOMIC_ACQUIRE);
}

FAST size_t slot_of(const void *block)
{
	return ((uintptr_t)block & (((uintptr_t)1 << SEEP_LIVE_REGION_BITS) - 1)) >>
	       SEEP_LIVE_SHIFT;
}

/* A page of slots that was never written must be counted first. */
FAST bool is_touched(const struct seep_live_region *region, size_t slot)
{
	return __atomic_load_n(&region->touched[slot >> 10], __ATOMIC_RELAXED);
}

/* least: smaller blocks have one slot only. */
FAST void arrive(struct seep_thread *thread, const void *block, size_t bytes, size_t least,
		 const void *frame)
{
	struct seep_live_block live = {.event = seep_event_clock_birth()};
	struct seep_live_region *region;
	struct seep_account_place place;
	const struct seep_flat *flat;
	size_t slot = slot_of(block);

	if (UNLIKELY(!block))
		return;
	seep_guard = SEEP_GUARD_OWN;
	seep_hooks_arrived = block;
	if (UNLIKELY(seep_hooks_has_ticked() || !seep_unwind_is_epoch(thread->flats.epoch) ||
		     bytes >= SEEP_LIVE_SIZE_LARGE))
		goto anew;
	flat = seep_flat_find(&thread->flats, frame, seep_event_clock_phase());
	region = region_of(block);
	if (UNLIKELY(!flat || !region || !is_touched(region, slot)))
		goto anew;
	seep_flat_check(thread, frame, flat->stack);
	place.tally = flat->tally;
	place.site = flat->site;
	if (UNLIKELY(!place.site)) {
		place = seep_account_find_python(thread, flat->hash);
		if (UNLIKELY(!place.site))
			goto anew;
		if (UNLIKELY(!place.tally)) {
			seep_hooks_arrive_again(thread, block, bytes, place.site);
			return;
		}
	}
	live.site = place.site & ~SEEP_SITE_DULL;
	if (UNLIKELY(bytes < least)) {
		live.bytes = bytes;
		if (!seep_live_put_odd(thread, &region->slots[slot], &live))
			goto anew;
	} else {
		seep_live_store_pair(&region->slots[slot], seep_live_pack(&live, bytes));
	}
	place.tally->born_blocks++;
	place.tally->born_bytes += bytes;
	add_live(thread, bytes, 1);
	thread->flats.hits++;
	thread->last_site = place.site;
	thread->last_bytes = bytes;
	thread->last_block = block;
	seep_guard = SEEP_GUARD_OUT;
	return;
anew:
	seep_hooks_arrive_anew(thread, block, bytes, frame);
}

FAST bool is_open(const struct seep_thread *thread)
{
	return LIKELY(thread && seep_guard == SEEP_GUARD_OUT);
}

void *seep_hooks_fast_malloc(size_t bytes)
{
	struct seep_thread *thread = seep_thread_self;
	void *block;

	if (!is_open(thread))
		return seep_hooks_malloc(bytes);
	block = seep_real.malloc(bytes);
	arrive(thread, block, bytes, 0, HERE);
	return block;
}

void *seep_hooks_fast_calloc(size_t n, size_t size)
{
	struct seep_thread *thread = seep_thread_self;
	void *block;

	if (!is_open(thread))
		return seep_hooks_calloc(n, size);
	block = seep_real.calloc(n, size);
	arrive(thread, block, n * size, 0, HERE);
	return block;
}

/* Where a death of this age is counted; NULL if there is no such place yet. */
FAST uint64_t *age_counter(struct seep_tally *tally, uint32_t age)
{
	if (age < SEEP_YOUNG_AGES)
		return &tally->ages[age];
	return seep_ages_find(&tally->old_ages, seep_account_age_bin(age));
}

/* A block in the books. */
struct found {
	uint32_t *slot;
	uint64_t pair;           /* what was there */
	struct seep_live_block live; /* event without SEEP_LIVE_GROWN */
	struct seep_tally *tally;
};

/* False: the long way must look for it. */
FAST bool find(struct seep_thread *thread, const void *block, struct found *found)
{
	struct seep_live_region *region = region_of(block);
	const uint64_t *chunk;

	if (UNLIKELY(!region || seep_hooks_has_ticked()))
		return false;
	found->slot = &region->slots[slot_of(block)];
	found->pair = seep_live_load_pair(found->slot);
	/* Whether the second slot has 11 or 00 above does not matter here. */
	if (UNLIKELY((uint32_t)found->pair >> 30 != 1))
		return false;
	found->live = seep_live_unpack(found->pair);
	chunk = thread->counts[found->live.site / SEEP_CHUNK_SITES];
	if (UNLIKELY(!chunk))
		return false;
	found->tally = seep_few_tally(chunk[found->live.site % SEEP_CHUNK_SITES]);
	return LIKELY(found->tally != NULL);
}

/* False: nothing was done. */
FAST bool leave(struct seep_thread *thread, const void *block)
{
	struct found found;
	uint64_t *counter;

	if (!find(thread, block, &found))
		return false;
	if (UNLIKELY(found.live.bytes == SEEP_LIVE_SIZE_LARGE || seep_event_clock.coarse))
		return false;
	/* It may have been replaced by a larger one: see seep_account_free. */
	if (UNLIKELY(found.live.site == thread->last_site && found.live.bytes < thread->last_bytes))
		return false;
	counter = age_counter(found.tally, (seep_event_clock_event() - found.live.event) &
					   SEEP_LIVE_EVENT_MASK);
	if (UNLIKELY(!counter || seep_account_is_sampled(found.tally->died_blocks)))
		return false;
	seep_guard = SEEP_GUARD_OWN;
	seep_live_store_pair(found.slot, 0);
	++*counter;
	found.tally->died_blocks++;
	found.tally->died_bytes += found.live.bytes;
	add_live(thread, -found.live.bytes, -1);
	seep_guard = SEEP_GUARD_OUT;
	return true;
}

void seep_hooks_fast_free(void *block)
{
	struct seep_thread *thread = seep_thread_self;

	if (is_open(thread) && leave(thread, block))
		seep_real.free(block);
	else
		seep_hooks_free(block);
}

/* Where a block was moved to, or where it has stayed; NULL: the long way must enter it. */
FAST uint32_t *slot_for(const void *moved, size_t bytes, size_t least)
{
	struct seep_live_region *region = region_of(moved);
	size_t slot = slot_of(moved);

	return LIKELY(region && bytes - least < SEEP_LIVE_SIZE_LARGE - least &&
		      is_touched(region, slot)) ? &region->slots[slot] : NULL;
}

/* As seep_account_return. */
FAST void come_back(struct seep_thread *thread, uint32_t *slot, size_t bytes,
		    struct found *old, enum seep_chains_way way)
{
	uint64_t kept = old->pair & ~(uint64_t)SEEP_LIVE_SIZE_LARGE;
	bool was_grown = !(kept >> 62), is_grown = was_grown || bytes > old->live.bytes;

	seep_guard = SEEP_GUARD_OWN;
	seep_live_store_pair(slot, (is_grown ? kept & ~((uint64_t)3 << 62) : kept) | bytes);
	if (bytes > old->live.bytes)
		old->tally->born_bytes += bytes - old->live.bytes;
	else
		old->tally->died_bytes += old->live.bytes - bytes;
	old->tally->moved_blocks++;
	add_live(thread, bytes - old->live.bytes, 0);
	if (is_grown) {
		old->live.event |= was_grown ? SEEP_LIVE_GROWN : 0;
		seep_chains_grown(thread, bytes, &old->live, way);
	}
	seep_guard = SEEP_GUARD_OUT;
}

FAST void *call_realloc(const struct seep_real_pymem *python, void *block, size_t bytes)
{
	void *moved;

	if (!python)
		return seep_real.realloc(block, bytes);
	seep_guard = SEEP_GUARD_REAL;
	moved = python->realloc(python->context, block, bytes);
	seep_guard = SEEP_GUARD_OUT;
	return moved;
}

/* Small blocks, which have no pages of their own; bytes is not 0. */
FAST void *resize(struct seep_thread *thread, const struct seep_real_pymem *python, void *block,
		  size_t bytes, struct found *old)
{
	size_t least = python ? SEEP_LIVE_PYMEM_LEAST : 0;
	enum seep_chains_way way;
	uint32_t *slot;
	void *moved;

	seep_live_store_pair(old->slot, 0);
	moved = call_realloc(python, block, bytes);
	if (UNLIKELY(!moved)) {
		seep_live_store_pair(old->slot, old->pair);
		return NULL;
	}
	way = moved == block ? SEEP_CHAINS_IN_PLACE : SEEP_CHAINS_COPIED;
	slot = slot_for(moved, bytes, least);
	if (LIKELY(slot != NULL)) {
		come_back(thread, slot, bytes, old, way);
	} else {
		if (!(old->pair >> 62))
			old->live.event |= SEEP_LIVE_GROWN;
		seep_hooks_return_anew(moved, bytes, &old->live, way);
	}
	return moved;
}

void *seep_hooks_fast_realloc(void *block, size_t bytes)
{
	struct seep_thread *thread = seep_thread_self;
	struct found old;

	if (UNLIKELY(!is_open(thread)))
		return seep_hooks_realloc(block, bytes, false);
	if (!block) {
		block = seep_real.realloc(NULL, bytes);
		arrive(thread, block, bytes, 0, HERE);
		return block;
	}
	if (UNLIKELY(!bytes || !find(thread, block, &old) ||
		     old.live.bytes >= SEEP_HOOKS_OWN_PAGES_LEAST))
		return seep_hooks_realloc(block, bytes, false);
	return resize(thread, NULL, block, bytes, &old);
}

void *seep_hooks_fast_pymem_malloc(void *domain, size_t bytes)
{
	const struct seep_real_pymem *python = domain;
	struct seep_thread *thread = seep_thread_self;
	void *block;

	if (!is_open(thread))
		return seep_hooks_pymem_malloc(domain, bytes);
	seep_guard = SEEP_GUARD_REAL;
	block = python->malloc(python->context, bytes);
	seep_guard = SEEP_GUARD_OUT;
	arrive(thread, block, bytes, SEEP_LIVE_PYMEM_LEAST, HERE);
	return block;
}

void *seep_hooks_fast_pymem_calloc(void *domain, size_t n, size_t size)
{
	const struct seep_real_pymem *python = domain;
	struct seep_thread *thread = seep_thread_self;
	void *block;

	if (!is_open(thread))
		return seep_hooks_pymem_calloc(domain, n, size);
	seep_guard = SEEP_GUARD_REAL;
	block = python->calloc(python->context, n, size);
	seep_guard = SEEP_GUARD_OUT;
	arrive(thread, block, n * size, SEEP_LIVE_PYMEM_LEAST, HERE);
	return block;
}

void *seep_hooks_fast_pymem_realloc(void *domain, void *block, size_t bytes)
{
	struct seep_thread *thread = seep_thread_self;
	struct found old;

	if (UNLIKELY(!is_open(thread)))
		return seep_hooks_pymem_realloc(domain, block, bytes);
	if (!block)
		return seep_hooks_fast_pymem_malloc(domain, bytes);
	if (UNLIKELY(!bytes || !find(thread, block, &old) ||
		     old.live.bytes >= SEEP_HOOKS_OWN_PAGES_LEAST))
		return seep_hooks_pymem_realloc(domain, block, bytes);
	return resize(thread, domain, block, bytes, &old);
}

void seep_hooks_fast_pymem_free(void *domain, void *block)
{
	const struct seep_real_pymem *python = domain;
	struct seep_thread *thread = seep_thread_self;

	if (!block)
		return;
	if (UNLIKELY(!is_open(thread) || !leave(thread, block))) {
		seep_hooks_pymem_free(domain, block);
		return;
	}
	seep_guard = SEEP_GUARD_REAL;
	python->free(python->context, block);
	seep_guard = SEEP_GUARD_OUT;
}
