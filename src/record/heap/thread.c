/* SPDX-License-Identifier: MIT */
#include "record/heap/thread.h"

#include "os/lock.h"
#include "os/mmap.h"
#include "os/silence.h"
#include "record/heap/ages.h"
#include "record/stamp.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

__thread struct seep_thread *seep_thread_self __attribute__((tls_model("initial-exec")));

static struct seep_thread *first, *stray;
#define DEAD_PERIOD 64u

static struct seep_lock lock;
static pthread_key_t key;
static bool has_key;

/* Tallies of all threads, which are never given back. */
static struct {
	struct seep_lock lock;
	struct seep_tally *next;
	uint32_t left;
	uint64_t bytes;
} tallies;

#define TALLIES_CHUNK 1024u

/* A thread ends.  It may still free and allocate after this; then it gets a new record. */
static void retire(void *record)
{
	struct seep_thread *thread = record;

	seep_stamp_thread_over();
	seep_thread_self = NULL;
	thread->epoch = 0;
	__atomic_store_n(&thread->in_use, 0, __ATOMIC_RELEASE);
}

/* A new record at the head of the list; the caller holds the lock or is alone. */
static struct seep_thread *add_record(void)
{
	struct seep_thread *thread = seep_mmap_new(sizeof(*thread));

	if (!thread)
		return NULL;
	thread->next = first;
	thread->in_use = 1;
	__atomic_store_n(&first, thread, __ATOMIC_RELEASE);
	return thread;
}

/* Under the lock, or alone. */
static bool has_room(void)
{
	if (tallies.left)
		return true;
	tallies.next = seep_mmap_new(TALLIES_CHUNK * sizeof(*tallies.next));
	tallies.left = tallies.next ? TALLIES_CHUNK : 0;
	return tallies.left;
}

bool seep_thread_init(void)
{
	has_key = !pthread_key_create(&key, retire);
	stray = add_record();
	/* So that deaths can be counted even when memory has run out. */
	return has_key && stray && seep_thread_add_chunk(stray, 0) && has_room();
}

struct seep_thread *seep_thread_stray(void)
{
	return stray;
}

struct seep_thread *seep_thread_first(void)
{
	return __atomic_load_n(&first, __ATOMIC_ACQUIRE);
}

bool seep_thread_is_alone(void)
{
	const struct seep_thread *thread;

	for (thread = seep_thread_first(); thread; thread = thread->next)
		if (thread != stray && thread != seep_thread_self &&
		    __atomic_load_n(&thread->in_use, __ATOMIC_ACQUIRE))
			return false;
	return true;
}

/* A thread that frees memory after its last destructor never gives its record back. */
static bool is_dead(const struct seep_thread *thread)
{
	return thread != stray && thread != seep_thread_self &&
	       seep_syscall(SYS_tgkill, seep_syscall(SYS_getpid), thread->tid, 0) && errno == ESRCH;
}

static struct seep_thread *find_unused(void)
{
	static uint32_t asked;
	struct seep_thread *thread;

	/* This costs a system call per record, so only now and then. */
	if (++asked % DEAD_PERIOD == 0)
		for (thread = first; thread; thread = thread->next)
			if (__atomic_load_n(&thread->in_use, __ATOMIC_ACQUIRE) && is_dead(thread))
				__atomic_store_n(&thread->in_use, 0, __ATOMIC_RELEASE);
	for (thread = first; thread; thread = thread->next)
		if (!__atomic_load_n(&thread->in_use, __ATOMIC_ACQUIRE))
			return thread;
	return NULL;
}

struct seep_thread *seep_thread_new(void)
{
	struct seep_thread *thread;
	int saved = errno;

	seep_lock_take(&lock);
	thread = find_unused();
	if (thread)
		__atomic_store_n(&thread->in_use, 1, __ATOMIC_RELEASE);
	else
		thread = add_record();
	if (thread)
		thread->tid = (uint32_t)seep_syscall(SYS_gettid);
	seep_lock_give(&lock);
	errno = saved;
	if (!thread)
		return NULL;
	thread->epoch = 0; /* the next walk starts with no known frames */
	thread->flats.epoch = 0;
	thread->other.low = thread->other.high = 0;
	thread->stack_is_sure = seep_stack_own(&thread->stack);
	thread->captures = 0;
	thread->last_site = 0;
	thread->python_epoch = 0;
	seep_thread_self = thread;
	if (has_key)
		pthread_setspecific(key, thread);
	return thread;
}

/* Several threads fill the stray record at once, hence the exchange. */
static void *add_map(void **at, size_t bytes)
{
	void *map = __atomic_load_n(at, __ATOMIC_ACQUIRE), *other = NULL;

	if (map)
		return map;
	map = seep_mmap_new(bytes);
	if (!map || __atomic_compare_exchange_n(at, &other, map, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
		return map;
	return other;
}

uint64_t *seep_thread_add_chunk(struct seep_thread *thread, uint32_t chunk)
{
	return add_map((void **)(void *)&thread->counts[chunk],
		       SEEP_CHUNK_SITES * sizeof(uint64_t));
}

static void fill(struct seep_tally *tally, uint64_t word)
{
	struct seep_few few = seep_few_unpack(word);
	uint32_t i;

	tally->born_blocks = few.born;
	tally->born_bytes = few.born_bytes;
	tally->died_blocks = few.died;
	tally->died_bytes = few.died_bytes;
	for (i = 0; i < few.died; i++)
		++*(few.bins[i] < SEEP_YOUNG_AGES ? &tally->ages[few.bins[i]]
						  : seep_ages_add(&tally->old_ages, few.bins[i]));
}

struct seep_tally *seep_thread_add_tally(uint64_t *place)
{
	struct seep_tally *tally = NULL;
	uint64_t word;

	seep_lock_take(&tallies.lock);
	word = *place;
	if (word && !(word & 1)) { /* of the stray record: another thread was first */
		tally = seep_few_tally(word);
	} else if (has_room()) {
		tally = tallies.next++;
		tallies.left--;
		__atomic_fetch_add(&tallies.bytes, sizeof(*tally), __ATOMIC_RELAXED);
		fill(tally, word);
		__atomic_store_n(place, (uint64_t)(uintptr_t)tally, __ATOMIC_RELEASE);
	}
	seep_lock_give(&tallies.lock);
	return tally;
}

uint64_t seep_thread_tally_bytes(void)
{
	return __atomic_load_n(&tallies.bytes, __ATOMIC_RELAXED);
}

void seep_thread_reset(struct seep_thread *thread)
{
	thread->epoch = 0; /* the next walk starts with no known frames */
	thread->last_site = 0;
	thread->last_block = NULL;
	thread->python_epoch = 0;
	memset(thread->sites, 0, sizeof(thread->sites));
	memset(thread->memos, 0, sizeof(thread->memos));
}

void seep_thread_forked(void)
{
	struct seep_thread *thread;

	seep_lock_renew(&lock);
	seep_lock_renew(&tallies.lock);
	for (thread = first; thread; thread = thread->next)
		if (thread == seep_thread_self)
			thread->tid = (uint32_t)seep_syscall(SYS_gettid);
		else if (thread != stray)
			thread->in_use = 0;
}
