/* SPDX-License-Identifier: MIT */
#include "record/heap/book/holdings.h"

#include "os/lock.h"
#include "os/mmap.h"
#include "record/event_clock.h"
#include "record/heap/ages.h"
#include "record/heap/book/account.h"
#include "record/heap/stack/walk.h"
#include "record/heap/thread.h"

#define HELD_MAX ((uint32_t)1 << 18) /* four times what the kernel lets a process map */

struct held {
	uint64_t bytes;
	uint32_t site;           /* 0: unused */
	uint32_t event;
	uint32_t parts;
	uint32_t next;           /* of the unused ones */
};

static struct {
	struct seep_lock lock;
	bool closed;
	struct held *items;      /* items[0] is none */
	uint32_t n, unused;
	int64_t bytes;
	uint64_t dropped;
} books;

bool seep_holding_init(void)
{
	books.items = seep_mmap_new(HELD_MAX * sizeof(*books.items));
	books.n = 1;
	return books.items;
}

uint32_t seep_holding_site(enum seep_memory_kind kind, const void *frame_address)
{
	struct seep_thread *thread = seep_thread_get();
	uint32_t site;

	if (!thread) {
		seep_account_count_missed();
		return 0;
	}
	site = seep_account_site(thread, kind, frame_address);
	if (!site)
		thread->dropped++;
	return site;
}

bool seep_holding_enter(void)
{
	seep_lock_take(&books.lock);
	if (!books.closed)
		return true;
	seep_lock_give(&books.lock);
	return false;
}

void seep_holding_leave(void)
{
	seep_lock_give(&books.lock);
}

/*
 * These sites are counted in the stray record.  Only this file counts them, under its lock, and
 * the record outlives every thread: so a stack can be counted at the very end of its thread.
 */
static struct seep_tally *tally_of(uint32_t site)
{
	static struct seep_tally none;
	struct seep_tally *tally = seep_thread_tally(seep_thread_stray(), site);

	return tally ? tally : &none;
}

static void add_bytes(int64_t bytes)
{
	__atomic_store_n(&books.bytes, books.bytes + bytes, __ATOMIC_RELAXED);
}

uint32_t seep_holding_begin(uint32_t site, uint64_t bytes)
{
	uint32_t id = books.unused;
	struct seep_tally *tally = tally_of(site);

	if (id)
		books.unused = books.items[id].next;
	else if (books.n < HELD_MAX)
		id = books.n++;
	if (!id) {
		books.dropped++;
		return 0;
	}
	books.items[id] = (struct held){
		.site = site, .event = seep_event_clock_here(), .bytes = bytes, .parts = 1,
	};
	tally->born_blocks++;
	tally->born_bytes += bytes;
	add_bytes((int64_t)bytes);
	return id;
}

static void put_away(uint32_t id)
{
	books.items[id] = (struct held){.next = books.unused};
	books.unused = id;
}

void seep_holding_undo(uint32_t id)
{
	struct seep_tally *tally = tally_of(books.items[id].site);

	tally->born_blocks--;
	tally->born_bytes -= books.items[id].bytes;
	add_bytes(-(int64_t)books.items[id].bytes);
	put_away(id);
}

void seep_holding_grow(uint32_t id, uint64_t bytes)
{
	books.items[id].bytes += bytes;
	tally_of(books.items[id].site)->born_bytes += bytes;
	add_bytes((int64_t)bytes);
}

void seep_holding_count_move(uint32_t id)
{
	tally_of(books.items[id].site)->moved_blocks++;
}

void seep_holding_split(uint32_t id)
{
	books.items[id].parts++;
}

void seep_holding_shrink(uint32_t id, uint64_t bytes)
{
	books.items[id].bytes -= bytes;
	tally_of(books.items[id].site)->died_bytes += bytes;
	add_bytes(-(int64_t)bytes);
}

static void die(const struct held *held, const void *frame_address)
{
	struct seep_thread *thread = frame_address ? seep_thread_get() : NULL;
	struct seep_tally *tally = tally_of(held->site);
	unsigned int bin = seep_account_age_bin(seep_event_clock_event() - held->event);

	++*seep_ages_add(&tally->old_ages, bin);
	if (thread && seep_account_is_sampled(tally->died_blocks))
		seep_account_count_free(thread, held->site, bin, frame_address);
	tally->died_blocks++;
}

void seep_holding_release(uint32_t id, uint64_t bytes, const void *frame_address)
{
	seep_holding_shrink(id, bytes);
	if (--books.items[id].parts)
		return;
	die(&books.items[id], frame_address);
	put_away(id);
}

void seep_holding_count_dropped(void)
{
	books.dropped++;
}

uint64_t seep_holding_dropped(void)
{
	return __atomic_load_n(&books.dropped, __ATOMIC_RELAXED);
}

int64_t seep_holding_bytes(void)
{
	return __atomic_load_n(&books.bytes, __ATOMIC_RELAXED);
}

void seep_holding_scan(void (*visit)(const struct seep_live_block *block, void *context),
		       void *context)
{
	uint32_t id;

	if (!seep_holding_enter())
		return;
	for (id = 1; id < books.n; id++) {
		struct seep_live_block live = {.site = books.items[id].site,
					       .event = books.items[id].event,
					       .bytes = books.items[id].bytes};

		if (live.site)
			visit(&live, context);
	}
	seep_holding_leave();
}

uint64_t seep_holding_own_bytes(void)
{
	return __atomic_load_n(&books.n, __ATOMIC_RELAXED) * sizeof(struct held);
}

bool seep_holding_forked(void)
{
	if (seep_lock_try(&books.lock)) {
		seep_lock_give(&books.lock);
	} else {
		books.closed = true;
		seep_account_count_missed();
		seep_lock_renew(&books.lock);
	}
	return !books.closed;
}
