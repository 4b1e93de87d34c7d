/* SPDX-License-Identifier: MIT */
/*
 * From a malloc to the books and back:
 *
 *	malloc:  stack ---> hash ---> site = (hash, phase) ---> tally of this thread: born
 *	                                      \---> live entry: site, event, bytes (live.h)
 *	free:    live entry ---> site, age ---> tally of this thread: died, ages
 *	                                \---> for a sample: pair = (site, freeing stack), ages
 *
 * Only its own thread writes to a tally, so there are no locks and no atomic additions.  A tally
 * may show more deaths than births, since the thread that frees counts the death: only the sum
 * over all threads means something.
 *
 * A free in a signal handler that has interrupted this file cannot use the thread's tally.  It
 * counts in the stray record, with atomic additions (seep_account_stray_deaths).
 */
#include "record/heap/book/account.h"

#include "os/mmap.h"
#include "record/event_clock.h"
#include "record/heap/ages.h"
#include "record/heap/book/chosen.h"
#include "record/heap/python/python.h"
#include "record/heap/python/python_code.h"
#include "record/heap/stack/flat.h"
#include "record/heap/stack/nodes.h"
#include "record/heap/stack/walk.h"
#include "record/heap/thread.h"

#include <stdatomic.h>
#include <string.h>

#define FREES_MAX ((uint32_t)1 << 16)
#define FREES_OF_FEW (FREES_MAX / 8) /* the others are for sites where more than a few blocks die */
#define PAIRS_PER_SITE 16 /* if there are more stacks that free its blocks, none is the owner */

struct seep_account_table seep_account_sites;
struct seep_account_table seep_account_frees;

/*
 * Heads of ages.h, per pair of site and freeing stack.  Shared by all threads: only sampled frees
 * come here.
 */
static uint32_t *free_ages;
static unsigned char *n_pairs; /* per site */

static _Atomic uint64_t missed;

bool seep_account_init(void)
{
	free_ages = seep_mmap_new(FREES_MAX * sizeof(*free_ages));
	n_pairs = seep_mmap_new(SEEP_SITES_MAX);
	return free_ages && n_pairs && seep_ages_init() &&
	       seep_pairs_init(&seep_account_sites.pairs, SEEP_SITES_MAX) &&
	       seep_recall_init(&seep_account_sites.recall) &&
	       seep_pairs_init(&seep_account_frees.pairs, FREES_MAX) &&
	       seep_recall_init(&seep_account_frees.recall);
}

/* The number of the stack with this hash; if it is new, it gets the node of this stack. */
static inline uint32_t number(struct seep_thread *thread, const void *frame_address,
			      struct seep_account_table *table, uint64_t hash, uint64_t other)
{
	uint32_t id = seep_recall_find(&table->recall, seep_recall_key(hash, other));

	return __builtin_expect(id != 0, 1)
		? id : seep_account_add_number(thread, frame_address, table, hash, other);
}

static inline uint64_t site_key(uint64_t hash, uint32_t phase)
{
	return seep_recall_key(hash, (uint64_t)phase << 32 | SEEP_MEMORY_HEAP);
}

/* The result may have SEEP_SITE_DULL set. */
static inline __attribute__((always_inline)) uint32_t find_site_of(struct seep_thread *thread,
								   const void *frame_address,
								   uint64_t hash, uint32_t phase)
{
	struct seep_recent_site *recent = seep_thread_recent(thread, hash, phase);

	if (__builtin_expect(recent->hash != hash || recent->phase != phase, 0)) {
		recent->hash = hash;
		recent->phase = phase;
		recent->site = number(thread, frame_address, &seep_account_sites, hash,
				      (uint64_t)phase << 32 | SEEP_MEMORY_HEAP);
	}
	return recent->site;
}

/* The hash of the whole stack. */
static inline __attribute__((always_inline)) uint64_t capture(struct seep_thread *thread,
							      const void *frame_address)
{
	uint64_t hash = seep_walk_capture(thread, frame_address);

	return seep_python_is_on() ? hash ^ seep_python_hash_walked(thread) : hash;
}

static inline __attribute__((always_inline)) uint32_t find_site(struct seep_thread *thread,
								const void *frame_address)
{
	uint64_t hash = capture(thread, frame_address);

	return find_site_of(thread, frame_address, hash, seep_event_clock_phase());
}

/* Does not use the recent sites of the thread, which are for the heap: this is called rarely. */
uint32_t seep_account_site(struct seep_thread *thread, enum seep_memory_kind kind,
			   const void *frame_address)
{
	uint64_t hash = capture(thread, frame_address);

	return number(thread, frame_address, &seep_account_sites, hash,
		      (uint64_t)seep_event_clock_phase() << 32 | (uint64_t)kind);
}

/* Atomic, since stamps on other threads read these without a lock. */
static void add_live(struct seep_thread *thread, int64_t bytes, int64_t blocks)
{
	__atomic_store_n(&thread->live_bytes, thread->live_bytes + bytes, __ATOMIC_RELAXED);
	__atomic_store_n(&thread->live_blocks, thread->live_blocks + blocks, __ATOMIC_RELAXED);
}

/* False if there is no memory. */
static bool count_birth(struct seep_thread *thread, uint32_t site, size_t bytes)
{
	uint64_t *place = seep_thread_place(thread, site);
	struct seep_tally *tally;

	if (!place)
		return false;
	/* Elsewhere, flat.h leads to a tally. */
	if (seep_python_is_on() && (!*place || *place & 1) && seep_few_add_birth(place, bytes))
		return true;
	tally = seep_thread_tally(thread, site);
	if (!tally)
		return false;
	tally->born_blocks++;
	tally->born_bytes += bytes;
	return true;
}

static inline __attribute__((always_inline)) void enter(struct seep_thread *thread,
							const void *block, size_t bytes,
							uint32_t found)
{
	struct seep_live_block live = {
		.site = found & ~SEEP_SITE_DULL,
		.event = seep_event_clock_birth(),
		.bytes = bytes,
	};

	if (!live.site || !seep_live_put(thread, block, &live)) {
		thread->dropped++;
		return;
	}
	if (!count_birth(thread, live.site, bytes)) {
		seep_live_take(thread, block);
		thread->dropped++;
		return;
	}
	add_live(thread, (int64_t)bytes, 1);
	thread->last_site = found; /* with SEEP_SITE_DULL, so that it never equals a site */
	thread->last_bytes = bytes;
	thread->last_block = block;
}

void seep_account_enter(struct seep_thread *thread, const void *block, size_t bytes, uint32_t site)
{
	enter(thread, block, bytes, site);
}

static inline struct seep_tally *tally_of(struct seep_thread *thread, uint32_t found)
{
	uint32_t site = found & ~SEEP_SITE_DULL;

	return site ? seep_thread_tally(thread, site) : NULL;
}

void seep_account_birth(const void *block, size_t bytes, const void *frame_address)
{
	struct seep_thread *thread = seep_thread_get();

	if (!thread) {
		seep_account_count_missed();
		return;
	}
	enter(thread, block, bytes, find_site(thread, frame_address));
}

void seep_account_birth_anew(struct seep_thread *thread, const void *block, size_t bytes,
			     const void *frame_address)
{
	uint32_t phase = seep_event_clock_phase(), found;
	struct seep_tally *tally;
	uint64_t hash;

	if (!seep_flat_is_worth_it(thread)) {
		seep_account_birth(block, bytes, frame_address);
		return;
	}
	hash = seep_walk_capture_frames(thread, frame_address);
	if (seep_python_is_on()) {
		seep_flat_add_hash(thread, frame_address, phase, hash);
		hash ^= seep_python_hash_checked(thread);
	}
	found = find_site_of(thread, frame_address, hash, phase);
	if (!seep_python_is_on()) {
		tally = tally_of(thread, found);
		if (tally)
			seep_flat_add(thread, frame_address, phase, found, tally);
	}
	enter(thread, block, bytes, found);
}

struct seep_account_place seep_account_find_python(struct seep_thread *thread, uint64_t hash)
{
	uint32_t phase = seep_event_clock_phase();
	struct seep_account_place place = {0};
	struct seep_recent_site *recent;
	uint64_t *count;

	hash ^= seep_python_is_on() ? seep_python_hash(thread) : 0;
	recent = seep_thread_recent(thread, hash, phase);
	if (recent->hash != hash || recent->phase != phase) {
		place.site = seep_recall_find(&seep_account_sites.recall, site_key(hash, phase));
		if (!place.site)
			return place;
		recent->hash = hash;
		recent->phase = phase;
		recent->site = place.site;
	}
	place.site = recent->site;
	count = seep_thread_place(thread, place.site & ~SEEP_SITE_DULL);
	place.tally = count ? seep_few_tally(*count) : NULL;
	return place;
}

uint32_t seep_account_site_here(const void *frame_address)
{
	struct seep_thread *thread = seep_thread_get();

	return thread ? find_site(thread, frame_address) & ~SEEP_SITE_DULL : 0;
}

void seep_account_add(uint32_t site, uint64_t bytes, uint64_t n)
{
	struct seep_thread *thread = seep_thread_get();
	struct seep_tally *tally = thread ? seep_thread_tally(thread, site) : NULL;

	if (!tally)
		return;
	tally->born_blocks += n;
	tally->born_bytes += n * bytes;
	add_live(thread, (int64_t)(n * bytes), (int64_t)n);
}

struct seep_live_block seep_account_leave(const void *block, bool inside)
{
	return seep_live_take(inside ? NULL : seep_thread_get(), block);
}

void seep_account_stay(const void *block, const struct seep_live_block *live, bool inside)
{
	struct seep_thread *thread = inside ? NULL : seep_thread_get();

	/* A tiny block needs a free entry, but chains of entries must not be touched inside. */
	if ((!thread && live->bytes < seep_live_two_slots) || !seep_live_put(thread, block, live))
		seep_account_stray_death(live);
	else if (live->event & SEEP_LIVE_GROWN)
		seep_live_mark(block, live->site);
}

/* The interpreter may be between two states here: see seep_python_hash_checked. */
static uint64_t capture_free(struct seep_thread *thread, const void *frame_address)
{
	uint64_t hash;

	if (!seep_python_is_on())
		return seep_walk_capture(thread, frame_address);
	hash = seep_walk_capture_frames(thread, frame_address);
	return hash ^ seep_python_hash_checked(thread);
}

__attribute__((noinline)) void seep_account_count_free(struct seep_thread *thread, uint32_t site,
						       unsigned int bin, const void *frame_address)
{
	uint64_t hash = capture_free(thread, frame_address);
	uint64_t key = seep_recall_key(hash, site);
	uint32_t pair = seep_recall_find(&seep_account_frees.recall, key), n;

	if (!pair) {
		if (__atomic_load_n(&n_pairs[site], __ATOMIC_RELAXED) >= PAIRS_PER_SITE)
			return;
		n = seep_pairs_count(&seep_account_frees.pairs);
		pair = seep_account_add_number(thread, frame_address, &seep_account_frees, hash,
					       site);
		if (pair >= n) /* not one that was there, by its lines */
			__atomic_fetch_add(&n_pairs[site], 1, __ATOMIC_RELAXED);
	}
	if (pair)
		__atomic_fetch_add(seep_ages_add(&free_ages[pair], bin), 1, __ATOMIC_RELAXED);
}

static uint32_t age_of(const struct seep_live_block *live)
{
	return seep_event_clock_age(live->event, seep_event_clock_event());
}

/* False: it takes a tally to count this. */
static bool count_one_of_few(struct seep_thread *thread, const struct seep_live_block *live,
			     unsigned int bin, const void *frame_address)
{
	uint64_t *place = seep_thread_place(thread, live->site);

	if (!place || seep_few_tally(*place) || !seep_python_is_on() ||
	    !seep_few_add_death(place, live->bytes, bin))
		return false;
	if (seep_pairs_count(&seep_account_frees.pairs) < FREES_OF_FEW)
		seep_account_count_free(thread, live->site, bin, frame_address);
	add_live(thread, -(int64_t)live->bytes, -1);
	return true;
}

static inline __attribute__((always_inline)) void die(struct seep_thread *thread,
						      const struct seep_live_block *live,
						      uint64_t n, const void *frame_address)
{
	unsigned int bin = seep_account_age_bin(age_of(live));
	struct seep_tally *tally;

	if (n == 1 && count_one_of_few(thread, live, bin, frame_address))
		return;
	tally = seep_thread_tally(thread, live->site);
	if (!tally) {
		seep_account_stray_deaths(live, n);
		return;
	}
	if (bin < SEEP_YOUNG_AGES)
		tally->ages[bin] += n;
	else
		*seep_ages_add(&tally->old_ages, bin) += n;
	if (__builtin_expect(seep_account_is_sampled(tally->died_blocks / n), 0))
		seep_account_count_free(thread, live->site, bin, frame_address);
	tally->died_blocks += n;
	tally->died_bytes += n * live->bytes;
	add_live(thread, -(int64_t)(n * live->bytes), -(int64_t)n);
}

void seep_account_deaths(const struct seep_live_block *live, uint64_t n,
			 const void *frame_address)
{
	struct seep_thread *thread = seep_thread_get();

	if (thread)
		die(thread, live, n, frame_address);
	else
		seep_account_stray_deaths(live, n);
}

void seep_account_free(const void *block, const void *frame_address)
{
	struct seep_thread *thread = seep_thread_get();
	struct seep_live_block live = seep_live_take(thread, block);

	if (!live.site)
		return;
	if (!thread) {
		seep_account_stray_death(&live);
		return;
	}
	/* A larger block was just allocated at the same site: it may replace this one. */
	if (__builtin_expect(live.site == thread->last_site && live.bytes < thread->last_bytes, 0))
		seep_chains_replaced(thread, &live);
	die(thread, &live, 1, frame_address);
}

void seep_account_return(const void *block, size_t bytes, const struct seep_live_block *live,
			 enum seep_chains_way way)
{
	struct seep_thread *thread = seep_thread_get();
	struct seep_tally *tally = thread ? seep_thread_tally(thread, live->site) : NULL;
	struct seep_live_block back = *live;

	back.bytes = bytes;
	if (!tally || !seep_live_put(thread, block, &back)) {
		seep_account_stray_death(live);
		seep_account_count_missed();
		return;
	}
	if (bytes > live->bytes)
		tally->born_bytes += bytes - live->bytes;
	else
		tally->died_bytes += live->bytes - bytes;
	tally->moved_blocks++;
	if (bytes > live->bytes || live->event & SEEP_LIVE_GROWN)
		seep_chains_resized(thread, block, bytes, live, way);
	add_live(thread, (int64_t)bytes - (int64_t)live->bytes, 0);
}

/*
 * Called if the thread was interrupted anywhere in the functions above, or if there is no memory
 * for its record.  The totals are right in any case.
 */
void seep_account_stray_deaths(const struct seep_live_block *live, uint64_t n)
{
	struct seep_thread *stray = seep_thread_stray();
	unsigned int bin = seep_account_age_bin(age_of(live));
	struct seep_tally *tally;

	__atomic_fetch_sub(&stray->live_bytes, (int64_t)(n * live->bytes), __ATOMIC_RELAXED);
	__atomic_fetch_sub(&stray->live_blocks, (int64_t)n, __ATOMIC_RELAXED);
	tally = seep_thread_tally(stray, live->site);
	if (!tally)
		return;
	__atomic_fetch_add(seep_ages_add(&tally->old_ages, bin), n, __ATOMIC_RELAXED);
	__atomic_fetch_add(&tally->died_blocks, n, __ATOMIC_RELAXED);
	__atomic_fetch_add(&tally->died_bytes, n * live->bytes, __ATOMIC_RELAXED);
}

void seep_account_stray_death(const struct seep_live_block *live)
{
	seep_account_stray_deaths(live, 1);
}

void seep_account_count_dropped(void)
{
	struct seep_thread *thread = seep_thread_get();

	if (thread)
		thread->dropped++;
	else
		seep_account_count_missed();
}

void seep_account_count_missed(void)
{
	atomic_fetch_add_explicit(&missed, 1, memory_order_relaxed);
}

static uint64_t table_bytes(const struct seep_account_table *table)
{
	return seep_pairs_own_bytes(&table->pairs) + seep_recall_own_bytes(&table->recall);
}

int64_t seep_account_own_bytes(void)
{
	return (int64_t)(seep_live_own_bytes() + seep_chosen_own_bytes() +
			 seep_nodes_own_bytes() + table_bytes(&seep_account_sites) +
			 table_bytes(&seep_account_frees) + seep_chains_own_bytes() +
			 seep_python_code_own_bytes() +
			 seep_pairs_count(&seep_account_sites.pairs) * sizeof(uint64_t) +
			 seep_thread_tally_bytes() +
			 seep_pairs_count(&seep_account_frees.pairs) * sizeof(*free_ages) +
			 seep_ages_own_bytes());
}

void seep_account_losses(struct seep_account_losses *losses)
{
	const struct seep_thread *thread;

	losses->missed = atomic_load_explicit(&missed, memory_order_relaxed);
	losses->dropped = losses->lost_walks = 0;
	for (thread = seep_thread_first(); thread; thread = thread->next) {
		losses->dropped += __atomic_load_n(&thread->dropped, __ATOMIC_RELAXED);
		losses->lost_walks += __atomic_load_n(&thread->lost_walks, __ATOMIC_RELAXED);
	}
}

void seep_account_free_ages(uint32_t pair, uint64_t *ages)
{
	memset(ages, 0, SEEP_TRACE_AGE_BINS * sizeof(*ages));
	seep_ages_sum(&free_ages[pair], ages);
}

void seep_account_forked(void)
{
	seep_lock_renew(&seep_account_sites.pairs.lock);
	seep_lock_renew(&seep_account_sites.recall.lock);
	seep_lock_renew(&seep_account_frees.pairs.lock);
	seep_lock_renew(&seep_account_frees.recall.lock);
	seep_nodes_forked();
	seep_python_code_forked();
}
