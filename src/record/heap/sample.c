/* SPDX-License-Identifier: MIT */
#include "record/heap/sample.h"

#include "os/clock.h"
#include "os/map.h"
#include "record/clock.h"
#include "record/heap/account.h"
#include "record/heap/poisson.h"
#include "record/heap/real.h"
#include "record/heap/thread.h"
#include "record/recording.h"

#include <unistd.h>

#define FILTER_BYTES ((size_t)1 << 24) /* 64 GiB of heap before two pages share a byte */
#define FULL 255u                      /* a byte that has been here stays */

uint32_t seep_sample_mode;
__thread struct seep_sample_thread seep_sample_self __attribute__((tls_model("initial-exec")));

static unsigned char look_always = FULL;
unsigned char *seep_sample_filter = &look_always;
uintptr_t seep_sample_filter_mask;

/* A level's mean is complete before its number is. */
static struct {
	uint32_t level;          /* of blocks from now on */
	struct level {
		uint64_t mean;   /* 0: every block is tracked */
		uint32_t *aliases; /* by site; none at level 0 */
		int64_t t_ns;
		uint32_t event, reason;
	} levels[SEEP_SAMPLE_LEVELS];
	uint32_t *bases;         /* by alias */
	uint64_t seed;
	uint32_t threads;
	uint32_t written, generation; /* levels that are in which trace */
} sample;

/* The pool's blocks must never go to the real free unseen. */
static void mark_pool(void)
{
	const char *pool = seep_real_pool_start();
	size_t page;

	for (page = 0; page < seep_real_pool_bytes(); page += (size_t)1 << SEEP_SAMPLE_PAGE_BITS)
		seep_sample_mark(pool + page);
}

static uint64_t make_seed(void)
{
	return seep_poisson_mix((uint64_t)seep_clock_mono_ns()) ^
	       seep_poisson_mix((uint64_t)getpid() << 32 ^ (uintptr_t)&seep_sample_self);
}

static void switch_on(void)
{
	sample.seed = make_seed();
	__atomic_store_n(&seep_sample_mode, seep_real.from_libc ? SEEP_SAMPLE_PLAIN
								: SEEP_SAMPLE_CAREFUL,
			 __ATOMIC_RELEASE);
}

static void begin_level(uint32_t n, uint64_t mean, uint32_t reason)
{
	struct level *level = &sample.levels[n];

	level->mean = mean < SEEP_POISSON_MEAN_MAX ? mean : SEEP_POISSON_MEAN_MAX;
	level->t_ns = seep_recording_now();
	level->event = seep_clock_event();
	level->reason = reason;
	__atomic_store_n(&sample.level, n, __ATOMIC_RELEASE);
}

bool seep_sample_start(uint64_t mean)
{
	unsigned char *filter = seep_map_new(FILTER_BYTES);

	if (!filter)
		return false;
	seep_sample_filter = filter;
	seep_sample_filter_mask = FILTER_BYTES - 1;
	mark_pool();
	begin_level(0, mean, SEEP_SAMPLING_ASKED);
	switch_on();
	return true;
}

static uint64_t mean_of(uint32_t level)
{
	return sample.levels[level].mean;
}

static void seed_thread(struct seep_sample_thread *self)
{
	uint64_t n = __atomic_add_fetch(&sample.threads, 1, __ATOMIC_RELAXED);

	self->random = seep_poisson_mix(sample.seed + n * 0xd6e8feb86659fd93u) | 1;
}

static void begin_countdown(struct seep_sample_thread *self)
{
	self->level = __atomic_load_n(&sample.level, __ATOMIC_ACQUIRE);
	self->left = (int64_t)seep_poisson_draw(seep_poisson_next(&self->random),
						mean_of(self->level));
}

/*
 * A thread goes over to a new level when its countdown ends: the block that ended it was
 * chosen under the old one.
 */
__attribute__((noinline)) bool seep_sample_draw(size_t bytes)
{
	struct seep_sample_thread *self = &seep_sample_self;

	if (!self->random) {
		seed_thread(self);
		begin_countdown(self);
		if (!seep_sample_count(bytes))
			return false;
	}
	self->due = self->level;
	begin_countdown(self);
	return true;
}

static unsigned char *byte_of(const void *block)
{
	return &seep_sample_filter[(uintptr_t)block >> SEEP_SAMPLE_PAGE_BITS &
				   seep_sample_filter_mask];
}

static void add(unsigned char *byte, int step)
{
	unsigned char old = __atomic_load_n(byte, __ATOMIC_RELAXED);

	while (old != FULL &&
	       !__atomic_compare_exchange_n(byte, &old, (unsigned char)(old + step), true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void seep_sample_mark(const void *block)
{
	add(byte_of(block), 1);
}

void seep_sample_unmark(const void *block)
{
	add(byte_of(block), -1);
}

static uint32_t level_of(uint32_t site)
{
	return (uint32_t)(seep_account_sites.items[site].b >> SEEP_SAMPLE_LEVEL_SHIFT) &
	       (SEEP_SAMPLE_LEVELS - 1);
}

uint32_t seep_sample_alias(uint32_t site, uint32_t level)
{
	const uint32_t *aliases = __atomic_load_n(&sample.levels[level].aliases, __ATOMIC_ACQUIRE);

	return aliases ? __atomic_load_n(&aliases[site], __ATOMIC_ACQUIRE) : 0;
}

uint32_t seep_sample_site(uint32_t site, uint32_t level)
{
	const struct seep_intern_item *item = &seep_account_sites.items[site];
	uint32_t alias;

	if (!level || !site)
		return site;
	alias = seep_sample_alias(site, level);
	if (alias)
		return alias;
	alias = seep_intern_add(&seep_account_sites, item->a,
				item->b | (uint64_t)level << SEEP_SAMPLE_LEVEL_SHIFT,
				seep_account_sites.values[site]);
	if (!alias)
		return 0;
	__atomic_store_n(&sample.bases[alias], site, __ATOMIC_RELEASE);
	__atomic_store_n(&sample.levels[level].aliases[site], alias, __ATOMIC_RELEASE);
	return alias;
}

uint32_t seep_sample_find_base(uint32_t site)
{
	return level_of(site) ? __atomic_load_n(&sample.bases[site], __ATOMIC_ACQUIRE) : site;
}

uint64_t seep_sample_weigh(uintptr_t address, const struct seep_live_block *live)
{
	uint64_t mean = mean_of(level_of(live->site)), key;

	if (!mean)
		return 1;
	key = (uint64_t)(address >> seep_live_shift) << 24 ^ (live->event & SEEP_LIVE_EVENT_MASK);
	return seep_poisson_weight(live->bytes, mean, seep_poisson_mix(key));
}

static void write_level(const struct level *level)
{
	struct seep_rec_sampling sampling = {
		.t_ns = level->t_ns,
		.mean_bytes = level->mean,
		.event = level->event,
		.reason = level->reason,
	};

	seep_recording_write(SEEP_REC_SAMPLING, 0, &sampling, sizeof(sampling), NULL, 0);
}

void seep_sample_write_new(void)
{
	uint32_t last = __atomic_load_n(&sample.level, __ATOMIC_ACQUIRE);

	if (seep_sample_mode == SEEP_SAMPLE_OFF)
		return;
	if (sample.generation != seep_recording_generation()) {
		sample.generation = seep_recording_generation();
		sample.written = 0;
	}
	for (; sample.written <= last; sample.written++)
		if (sample.levels[sample.written].mean)
			write_level(&sample.levels[sample.written]);
}
