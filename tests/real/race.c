/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tracker's books under ThreadSanitizer.
 *
 * The tracker itself cannot be preloaded into such a program, which has a malloc
 * of its own.  So this is a program with the books inside and no hooks: threads
 * do what the hooks would do, with blocks that are addresses and nothing else.
 * They come from an allocator with a mutex and are handed from thread to thread
 * under a mutex, as by any real one: the slots of the shadow rely on that.  Main
 * marks events, stamps and snapshots meanwhile; so do half of the threads, which also take over
 * each other's events.  Threads come and go.
 *
 * Races that are meant to be are in race.supp, each with its reason; any other
 * fails the test.  So do books that are wrong at the end.
 */
#include "record/guard.h"
#include "record/heap.h"
#include "record/heap/book/account.h"
#include "record/heap/book/due.h"
#include "record/heap/book/snapshot.h"
#include "record/heap/real/real.h"
#include "record/heap/real/real_pymem.h"
#include "record/heap/stack/unwind.h"
#include "record/heap/stack/nodes.h"
#include "record/heap/thread.h"
#include "record/recording.h"
#include "record/stamp.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCKS 20000u
#define STRIDE 128u /* room for four slots, so that a block may say that it is large */
#define SHARED 500u
#define THREADS 4
#define WAVES 6
#define STEPS 4000
#define EVENT_STEPS 50 /* of a thread */

#define NOINLINE __attribute__((noinline))
#define HERE __builtin_frame_address(0)

static struct {
	pthread_mutex_t lock;
	char *start;
	uint32_t free[BLOCKS], n_free;
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
	pthread_mutex_t lock;
	void *blocks[SHARED];
	int64_t born, died, live_bytes;
	size_t bytes[SHARED];
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- What the tracker has and this program has not */

void seep_heap_ensure_started(void)
{
}

bool seep_heap_totals(struct seep_heap_totals *totals)
{
	seep_thread_totals(&totals->live_bytes, &totals->live_blocks);
	totals->tracker_bytes = seep_account_own_bytes();
	return true;
}

void seep_heap_thread_begins(void)
{
	seep_thread_get();
}

void seep_heap_event_begun(int64_t t_ns)
{
	seep_due_consider(t_ns);
}

void seep_heap_snapshot_at(uint32_t events)
{
	(void)events;
}

void seep_heap_work_over(bool said)
{
	(void)said;
}

void seep_heap_garbage_gone(void)
{
}

void seep_heap_probe_now(void)
{
}

void seep_heap_events_over(uint32_t events)
{
	(void)events;
}

void seep_heap_calibrate(void)
{
}

bool seep_heap_is_calibrating(void)
{
	return false;
}

void seep_heap_forked(void)
{
}

void seep_heap_stop(void)
{
}

bool seep_heap_take_over(void)
{
	return false;
}

struct seep_real seep_real = {.from_libc = true};
bool seep_real_pymem_on;

uint64_t seep_real_pool_blocks(void)
{
	return 0;
}

const void *seep_real_pool_start(void)
{
	return NULL;
}

size_t seep_real_pool_bytes(void)
{
	return 0;
}

/*
 * The tracker maps memory by plain system calls.  ThreadSanitizer must hear of it,
 * or it takes what one thread read there before for a race with the next user.
 */
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
	long a[6];
	va_list list;
	int i;

	va_start(list, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_mmap)
		return (long)mmap((void *)a[0], (size_t)a[1], (int)a[2], (int)a[3], (int)a[4],
				  (off_t)a[5]);
	if (number == SYS_munmap)
		return munmap((void *)a[0], (size_t)a[1]);
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* --- An allocator */

static void make_heap(void)
{
	uint32_t i;

	heap.start = mmap(NULL, (size_t)BLOCKS * STRIDE, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (heap.start == MAP_FAILED)
		abort();
	for (i = 0; i < BLOCKS; i++)
		heap.free[heap.n_free++] = i;
}

static void *allocate(void)
{
	void *block;

	pthread_mutex_lock(&heap.lock);
	if (!heap.n_free)
		abort();
	block = heap.start + (size_t)heap.free[--heap.n_free] * STRIDE;
	pthread_mutex_unlock(&heap.lock);
	return block;
}

static void release(void *block)
{
	pthread_mutex_lock(&heap.lock);
	heap.free[heap.n_free++] = (uint32_t)((size_t)((char *)block - heap.start) / STRIDE);
	pthread_mutex_unlock(&heap.lock);
}

/* --- The hooks, as in hooks.c */

NOINLINE static void *bear(size_t bytes)
{
	void *block = allocate();

	seep_guard = SEEP_GUARD_OWN;
	seep_account_birth(block, bytes, HERE);
	seep_guard = SEEP_GUARD_OUT;
	return block;
}

NOINLINE static void bury(void *block)
{
	seep_guard = SEEP_GUARD_OWN;
	seep_account_free(block, HERE);
	seep_guard = SEEP_GUARD_OUT;
	release(block);
}

/* In a signal handler: the books of this thread must not be touched. */
NOINLINE static void bury_inside(void *block)
{
	struct seep_live_block live;

	seep_guard = SEEP_GUARD_OWN;
	live = seep_account_leave(block, true);
	if (!live.site)
		abort();
	seep_account_stray_death(&live);
	seep_guard = SEEP_GUARD_OUT;
	release(block);
}

NOINLINE static void *resize(void *block, size_t bytes)
{
	struct seep_live_block live;
	void *moved;

	seep_guard = SEEP_GUARD_OWN;
	live = seep_account_leave(block, false);
	if (!live.site)
		abort();
	release(block);
	moved = allocate();
	seep_account_return(moved, bytes, &live, SEEP_CHAINS_COPIED);
	seep_guard = SEEP_GUARD_OUT;
	return moved;
}

/* --- Threads */

static uint64_t roll(uint64_t *dice, uint64_t below)
{
	*dice ^= *dice << 13;
	*dice ^= *dice >> 7;
	*dice ^= *dice << 17;
	return (*dice >> 11) % below;
}

/* Many stacks: new nodes and sites all the time, so that the tables grow under way. */
NOINLINE static void *climb(uint64_t way, int depth, size_t bytes)
{
	void *block;

	if (!depth)
		block = bear(bytes);
	else if (way & 1)
		block = climb(way >> 1, depth - 1, bytes);
	else
		block = climb(way >> 1, depth - 1, bytes);
	__asm__ volatile("" ::: "memory");
	return block;
}

static size_t choose_bytes(uint64_t *dice)
{
	switch (roll(dice, 4)) {
	case 0:
		return (size_t)roll(dice, 41); /* tiny */
	case 1:
		return 65535 + (size_t)roll(dice, 1 << 20); /* large */
	default:
		return 41 + (size_t)roll(dice, 1000);
	}
}

/* Puts a block (or none) in a place, and takes what was there. */
static void *hand_over(uint64_t *dice, void *block, size_t bytes, size_t *other_bytes)
{
	uint32_t i = (uint32_t)roll(dice, SHARED);
	void *other;

	pthread_mutex_lock(&shared.lock);
	other = shared.blocks[i];
	*other_bytes = shared.bytes[i];
	shared.blocks[i] = block;
	shared.bytes[i] = bytes;
	pthread_mutex_unlock(&shared.lock);
	return other;
}

/* Another thread's event may be the one that is ended, or have ended. */
static void mark_own(uint64_t *dice, int i)
{
	static int left;

	if (i % EVENT_STEPS == 0)
		__atomic_exchange_n(&left, seep_stamp_event_open(i), __ATOMIC_RELAXED);
	else if (i % EVENT_STEPS == EVENT_STEPS / 2)
		seep_stamp_named(roll(dice, 2) ? "odd" : "half");
	else if (i % EVENT_STEPS == EVENT_STEPS - 2)
		seep_stamp_event_switch(__atomic_load_n(&left, __ATOMIC_RELAXED));
	else if (i % EVENT_STEPS == EVENT_STEPS - 1 && roll(dice, 3))
		seep_stamp_event_end();
}

static void *work(void *argument)
{
	uint64_t dice = (uint64_t)(uintptr_t)argument * 0x9e3779b97f4a7c15u | 1;
	bool marks = (uintptr_t)argument % 2;
	int64_t born = 0, died = 0, live_bytes = 0;
	int i;

	for (i = 0; i < STEPS; i++) {
		size_t bytes = choose_bytes(&dice), other_bytes;
		void *block = climb(roll(&dice, 512), 9, bytes);

		if (marks)
			mark_own(&dice, i);
		born++;
		live_bytes += (int64_t)bytes;
		if (roll(&dice, 4) == 0) {
			live_bytes -= (int64_t)bytes;
			bytes = choose_bytes(&dice);
			live_bytes += (int64_t)bytes;
			block = resize(block, bytes);
		}
		block = hand_over(&dice, block, bytes, &other_bytes);
		if (!block)
			continue;
		died++;
		live_bytes -= (int64_t)other_bytes;
		if (roll(&dice, 50))
			bury(block);
		else
			bury_inside(block);
	}
	pthread_mutex_lock(&shared.lock);
	shared.born += born;
	shared.died += died;
	shared.live_bytes += live_bytes;
	pthread_mutex_unlock(&shared.lock);
	return NULL;
}

static void mark(int wave)
{
	int i;

	for (i = 0; i < 40; i++) {
		seep_stamp_event_begin(wave * 40 + i);
		seep_stamp_named(i % 2 ? "odd" : "even");
		seep_stamp_count("steps", i);
		usleep(500);
		seep_stamp_event_end();
		if (i % 16 == 7) {
			seep_unwind_begin_unload();
			seep_unwind_end_unload();
		}
	}
}

static void play(void)
{
	pthread_t threads[THREADS];
	uintptr_t seed = 1;
	int wave, i;

	for (wave = 0; wave < WAVES; wave++) {
		for (i = 0; i < THREADS; i++)
			if (pthread_create(&threads[i], NULL, work, (void *)seed++))
				abort();
		mark(wave);
		for (i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
}

static bool is_right(void)
{
	int64_t bytes, blocks;

	seep_thread_totals(&bytes, &blocks);
	printf("%lld born, %lld died, %lld blocks of %lld bytes live; "
	       "the books have %lld of %lld\n",
	       (long long)shared.born, (long long)shared.died,
	       (long long)(shared.born - shared.died), (long long)shared.live_bytes,
	       (long long)blocks, (long long)bytes);
	return blocks == shared.born - shared.died && bytes == shared.live_bytes;
}

int main(int argc, char **argv)
{
	struct seep_recording_setup setup = {.path = argc > 1 ? argv[1] : "race.seep",
					     .make = true};

	unlink(setup.path);
	if (seep_recording_start(&setup) || !seep_thread_init() || !seep_unwind_init() ||
	    !seep_nodes_init() || !seep_account_init() || !seep_live_init(true)) {
		fprintf(stderr, "race: %s: %s\n", setup.path, strerror(errno));
		return 2;
	}
	make_heap();
	play();
	seep_guard = SEEP_GUARD_OWN;
	if (seep_recording_begin()) {
		seep_snapshot_write(SEEP_SNAPSHOT_FINAL);
		seep_recording_finish();
		seep_recording_end();
	}
	seep_guard = SEEP_GUARD_OUT;
	return is_right() ? 0 : 1;
}
