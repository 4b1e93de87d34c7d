/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * w2: two threads that free each other's blocks.
 *
 *	w2 ALLOCATIONS-PER-THREAD
 *
 * Each thread is a w1 with 32K slots of its own.  Of the blocks that leave a slot,
 * every second one is freed on the spot; the others go through a bounded ring to the
 * other thread, which frees one with each step.  A ring is full only if the other
 * thread has not run for some milliseconds; then this one empties its own ring and
 * sleeps a little, so that a busy machine is not kept busier.  Sizes come in steps
 * of 32, for the reason given in w1.c: the stacks of two threads are twice as many.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define SLOTS 32768
#define RING 16384
#define BURST_MAX 31
#define LINE 64

/* One writer, one reader. */
struct ring {
	_Alignas(LINE) atomic_size_t head;
	_Alignas(LINE) atomic_size_t tail;
	_Alignas(LINE) uint64_t *blocks[RING];
};

struct worker {
	uint64_t random;
	uint64_t *slots[SLOTS];
	struct ring inbox;
	atomic_bool done;
	struct worker *other;
	long allocations;
};

static struct worker workers[2];

static inline uint64_t draw(struct worker *w);

static inline bool send(struct ring *ring, uint64_t *block)
{
	size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	if (head - atomic_load_explicit(&ring->tail, memory_order_acquire) == RING)
		return false;
	ring->blocks[head % RING] = block;
	atomic_store_explicit(&ring->head, head + 1, memory_order_release);
	return true;
}

static inline bool free_one(struct ring *ring)
{
	size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	uint64_t *block;

	if (tail == atomic_load_explicit(&ring->head, memory_order_acquire))
		return false;
	block = ring->blocks[tail % RING];
	atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
	free(block);
	return true;
}

static void empty_and_rest(struct worker *w)
{
	struct timespec moment = { 0, 20000 };

	while (free_one(&w->inbox))
		;
	nanosleep(&moment, NULL);
}

static inline void leaf(struct worker *w)
{
	uint64_t r = draw(w), **slot = &w->slots[r % SLOTS], *old = *slot;

	if (old && r >> 62 & 1) {
		while (!send(&w->other->inbox, old))
			empty_and_rest(w);
	} else {
		free(old);
	}
	free_one(&w->inbox);
	*slot = malloc(32 + (r >> 20) % 16 * 32);
	if (!*slot)
		abort();
	**slot = r;
}

#include "paths.h"

static void *run(void *arg)
{
	struct worker *w = arg;

	walk_paths(w, w->allocations);
	atomic_store(&w->done, true);
	while (!atomic_load(&w->other->done))
		empty_and_rest(w);
	empty_and_rest(w);
	return NULL;
}

int main(int argc, char **argv)
{
	long allocations = argc > 1 ? strtol(argv[1], NULL, 10) : 500000;
	pthread_t thread;
	int i;

	for (i = 0; i < 2; i++) {
		workers[i].random = 88172645463325252u + (uint64_t)i;
		workers[i].other = &workers[!i];
		workers[i].allocations = allocations;
	}
	if (pthread_create(&thread, NULL, run, &workers[1]))
		abort();
	run(&workers[0]);
	pthread_join(thread, NULL);
	return 0;
}
