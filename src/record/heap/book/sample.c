/* SPDX-License-Identifier: MIT */
/*
 * The way of a block under sampling (sample.h has the idea):
 *
 *	malloc   step < 0 ---> the clock; next step, or, if there is none:
 *	                 seep_sample_draw: chosen under the old mean, new countdown
 *	         birth: weight w ---> entry in chosen.h, filter of its page + 1, w births
 *	free     filter of its page is 0 ---> not chosen, done
 *	         else take the entry ---> filter - 1, w deaths
 *
 * The second half of the file watches the tracker's own memory and starts sampling, or raises
 * the mean, before that memory reaches its ceiling (act_on_ceiling).
 */
#include "record/heap/book/sample.h"
#include "record/heap/book/live.h"

#include "os/clock.h"
#include "os/digits.h"
#include "os/lock.h"
#include "os/mmap.h"
#include "os/silence.h"
#include "record/event_clock.h"
#include "record/heap/book/account.h"
#include "record/heap/book/poisson.h"
#include "record/heap/real/real.h"
#include "record/heap/real/real_pymem.h"
#include "record/heap/thread.h"
#include "record/recording.h"
#include "record/listen.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FULL 255u                      /* a counter that reaches this stays there */
#define LEVELS 32u
#define LOOKS 8u                       /* how often the kernel is asked before the ceiling */
#define RAISE 4u
#define STEP_LEAST 64                  /* bytes; the shortest step but 0, and the longest */
#define STEP_MAX 8192
#define PAGE_BYTES ((uint64_t)4096)

uint32_t seep_sample_mode, seep_sample_way;
__thread struct seep_sample_thread seep_sample_self __attribute__((tls_model("initial-exec")));

unsigned char *seep_sample_filter;

static struct {
	uint64_t mean;           /* of the next countdowns */
	unsigned char *marks;    /* the filter, even while seep_sample_filter is NULL */
	uint64_t seed;
	uint32_t threads;        /* number of threads that have drawn */
	uint32_t n;              /* number of means so far */
	uint32_t written, generation; /* how many are in the trace, and in which one */
	struct seep_rec_sampling levels[LEVELS];
} sample;

static struct {
	uint64_t bytes;          /* 0: no ceiling */
	uint64_t next;           /* size of the tables at which to act next */
	uint64_t beside;         /* our resident bytes that the tables do not count */
	bool is_near;            /* the next act is to sample (less), not to look again */
	struct seep_lock lock;
} ceiling;

static unsigned char *mark_of(const void *block)
{
	uintptr_t page = (uintptr_t)block >> SEEP_SAMPLE_PAGE_BITS;

	return &sample.marks[page % SEEP_SAMPLE_FILTER_BYTES];
}

static void add_mark(const void *block, int step)
{
	unsigned char *mark = mark_of(block), old = __atomic_load_n(mark, __ATOMIC_RELAXED);

	while (old != FULL &&
	       !__atomic_compare_exchange_n(mark, &old, (unsigned char)(old + step), true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static uint64_t make_seed(void)
{
	return seep_poisson_mix((uint64_t)seep_clock_mono_ns()) ^
	       seep_poisson_mix((uint64_t)seep_syscall(SYS_getpid) << 32 ^
				(uintptr_t)&seep_sample_self);
}

bool seep_sample_init(void)
{
	if (!sample.marks)
		sample.marks = seep_mmap_new(SEEP_SAMPLE_FILTER_BYTES);
	return sample.marks && seep_chosen_init();
}

static void set_mean(uint64_t mean, uint32_t reason)
{
	struct seep_rec_sampling *level = &sample.levels[sample.n];

	level->mean_bytes = mean < SEEP_POISSON_MEAN_MAX ? mean : SEEP_POISSON_MEAN_MAX;
	level->t_ns = seep_recording_now();
	level->event = seep_event_clock_event();
	level->reason = reason;
	__atomic_store_n(&sample.mean, level->mean_bytes, __ATOMIC_RELEASE);
	__atomic_store_n(&sample.n, sample.n + 1, __ATOMIC_RELEASE);
}

void seep_sample_choose_way(bool is_tracking)
{
	uint32_t way = SEEP_SAMPLE_WAY_LONG;

	if (seep_sample_mode == SEEP_SAMPLE_PLAIN)
		way = SEEP_SAMPLE_WAY_PASS;
	else if (is_tracking && seep_sample_mode == SEEP_SAMPLE_OFF && seep_real.from_libc)
		way = SEEP_SAMPLE_WAY_FAST;
	__atomic_store_n(&seep_sample_way, way, __ATOMIC_RELEASE);
}

static void switch_on(void)
{
	bool plain = seep_real.from_libc && !seep_real_pymem_on && !seep_live_has_pools;

	sample.seed = make_seed();
	__atomic_store_n(&seep_sample_mode, plain ? SEEP_SAMPLE_PLAIN : SEEP_SAMPLE_CAREFUL,
			 __ATOMIC_RELEASE);
	seep_sample_choose_way(true);
}

/* Blocks of the pool must never reach the real free. */
static void mark_pool(void)
{
	const char *pool = seep_real_pool_start();
	size_t page;

	for (page = 0; page < seep_real_pool_bytes(); page += (size_t)1 << SEEP_SAMPLE_PAGE_BITS)
		add_mark(pool + page, 1);
}

void seep_sample_start(uint64_t mean)
{
	mark_pool();
	if (seep_real.from_libc)
		seep_sample_filter = sample.marks;
	set_mean(mean, SEEP_SAMPLING_ASKED);
	switch_on();
}

static void seed_thread(struct seep_sample_thread *self)
{
	uint64_t n = __atomic_add_fetch(&sample.threads, 1, __ATOMIC_RELAXED);

	self->random = seep_poisson_mix(sample.seed + n * 0xd6e8feb86659fd93u) | 1;
}

/*
 * Several steps should end in each time slice, but a step should not be so short that its end
 * costs much.  A thread that allocates little looks at the clock for every block.
 */
static void choose_step(struct seep_sample_thread *self)
{
	uint64_t now = seep_listen_now(), passed = now - self->tick;

	if (passed)
		self->step /= passed < STEP_MAX ? (int64_t)passed : STEP_MAX;
	else if (self->step < STEP_MAX)
		self->step = self->step ? 2 * self->step : STEP_LEAST;
	self->tick = now;
}

/* The countdown goes on; it may be over, with left still below 0. */
static void begin_step(struct seep_sample_thread *self)
{
	int64_t all = self->left + self->later;

	choose_step(self);
	self->left = all < self->step ? all : self->step;
	self->later = all - self->left;
}

static void begin_countdown(struct seep_sample_thread *self)
{
	self->mean = __atomic_load_n(&sample.mean, __ATOMIC_ACQUIRE);
	self->left = 0;
	self->later = (int64_t)seep_poisson_draw(seep_poisson_next(&self->random), self->mean);
	begin_step(self);
}

/*
 * A thread switches to a new mean when its countdown ends: the block that ended it was
 * chosen under the old mean.
 */
__attribute__((noinline)) bool seep_sample_draw(size_t bytes)
{
	struct seep_sample_thread *self = &seep_sample_self;

	if (!self->random) {
		seed_thread(self);
		begin_countdown(self);
		seep_sample_count(bytes);
	}
	if (self->left < 0)
		begin_step(self);
	if (self->left >= 0)
		return false;
	self->due = self->mean;
	begin_countdown(self);
	return true;
}

void seep_sample_birth(const void *block, size_t bytes, const void *frame_address)
{
	struct seep_sample_thread *self = &seep_sample_self;
	struct seep_chosen chosen = {.block = block, .bytes = bytes};

	/* Sampling began while this block was being allocated: it was tracked with certainty. */
	if (!self->due) {
		seep_account_birth(block, bytes, frame_address);
		return;
	}
	chosen.event = seep_event_clock_birth();
	chosen.weight = seep_poisson_weight(bytes, self->due, seep_poisson_next(&self->random));
	chosen.site = seep_account_site_here(frame_address);
	if (!chosen.site || !seep_chosen_put(&chosen, false)) {
		seep_account_count_dropped();
		return;
	}
	add_mark(block, 1);
	seep_account_add(chosen.site, bytes, chosen.weight);
	seep_sample_watch_ceiling();
}

void seep_sample_watch(const void *block)
{
	if (seep_sample_filter)
		add_mark(block, 1);
}

void seep_sample_unwatch(const void *block)
{
	if (seep_sample_filter)
		add_mark(block, -1);
}

bool seep_sample_leave(const void *block, struct seep_chosen *chosen, bool inside)
{
	if (!__atomic_load_n(mark_of(block), __ATOMIC_RELAXED) ||
	    !seep_chosen_take(block, chosen, inside))
		return false;
	add_mark(block, -1);
	return true;
}

void seep_sample_end(const struct seep_chosen *chosen, const void *frame_address)
{
	struct seep_live_block live = {.site = chosen->site, .event = chosen->event,
				       .bytes = chosen->bytes};

	if (frame_address)
		seep_account_deaths(&live, chosen->weight, frame_address);
	else
		seep_account_stray_deaths(&live, chosen->weight);
}

void seep_sample_stay(const struct seep_chosen *chosen, bool inside)
{
	if (seep_chosen_put(chosen, inside))
		add_mark(chosen->block, 1);
	else
		seep_sample_end(chosen, NULL);
}

void seep_sample_set_ceiling(uint64_t bytes)
{
	ceiling.bytes = bytes;
	ceiling.next = bytes / LOOKS;
}

/* So that sampling as much memory as is live now would take half of the room. */
static uint64_t first_mean(uint64_t room)
{
	int64_t bytes, blocks;
	uint64_t samples = room / 2 / sizeof(struct seep_chosen) + 1;

	seep_thread_totals(&bytes, &blocks);
	return (bytes > 0 ? (uint64_t)bytes : 0) / samples + PAGE_BYTES;
}

/* False: nothing more can be done. */
static bool sample_less(uint64_t room)
{
	if (sample.n == LEVELS || sample.mean == SEEP_POISSON_MEAN_MAX || !seep_sample_init())
		return false;
	set_mean(sample.n ? sample.mean * RAISE : first_mean(room), SEEP_SAMPLING_CEILING);
	if (seep_sample_mode == SEEP_SAMPLE_OFF)
		switch_on();
	return true;
}

/* Only before sampling starts: later, pages that free has only read would count as resident. */
static void look_beside(uint64_t tables)
{
	uint64_t resident = seep_mmap_resident_bytes();

	ceiling.beside = resident > tables ? resident - tables : 0;
}

/*
 *	tables and beside:  0 ... 1/8 ...... 7/8 ..... half of the rest .... half of that ... bytes
 *	                         look  look     sample      sample less         still less
 */
static void act_on_ceiling(uint64_t tables)
{
	uint64_t step = ceiling.bytes / LOOKS, own, room;

	if (!ceiling.is_near)
		look_beside(tables);
	own = tables + ceiling.beside;
	room = own < ceiling.bytes ? ceiling.bytes - own : 0;
	if (!ceiling.is_near && room > step) {
		ceiling.next = tables + (room > 2 * step ? step : room - step);
		return;
	}
	ceiling.is_near = true;
	ceiling.next = sample_less(room) ? (uint64_t)seep_account_own_bytes() + room / 2 +
					   PAGE_BYTES : UINT64_MAX;
}

void seep_sample_watch_ceiling(void)
{
	uint64_t tables;

	if (!ceiling.bytes)
		return;
	tables = (uint64_t)seep_account_own_bytes();
	if (tables < __atomic_load_n(&ceiling.next, __ATOMIC_RELAXED) ||
	    !seep_lock_try(&ceiling.lock))
		return;
	if (tables >= ceiling.next)
		act_on_ceiling(tables);
	seep_lock_give(&ceiling.lock);
}

void seep_sample_forked(void)
{
	seep_lock_renew(&ceiling.lock);
	seep_chosen_forked();
}

static void note_ceiling(void)
{
	static const char end[] = " KiB; from then on blocks were sampled";
	char text[128] = "the tracker's own memory came close to its ceiling of ";

	seep_digits_append(text, (uint32_t)(ceiling.bytes >> 10));
	memcpy(text + strlen(text), end, sizeof(end));
	seep_recording_note(text, SEEP_NOTE_INFO);
}

static void write_level(const struct seep_rec_sampling *level, bool first)
{
	seep_recording_write(SEEP_REC_SAMPLING, 0, level, sizeof(*level), NULL, 0);
	if (first && level->reason == SEEP_SAMPLING_CEILING)
		note_ceiling();
}

void seep_sample_write_new(void)
{
	uint32_t n = __atomic_load_n(&sample.n, __ATOMIC_ACQUIRE), i;

	if (sample.generation != seep_recording_generation())
		sample.written = 0;
	sample.generation = seep_recording_generation();
	for (i = sample.written; i < n; i++)
		write_level(&sample.levels[i],
			    !i || sample.levels[i - 1].reason != SEEP_SAMPLING_CEILING);
	sample.written = n;
}
