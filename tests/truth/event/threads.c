/* SPDX-License-Identifier: MIT */
/* Threads that come and go, and free each other's blocks. */
#include "truth.h"
#include "seep.h"

#include <pthread.h>
#include <stdlib.h>

#define WAVES 25
#define THREADS 6
#define ROUNDS 4000
#define SLOTS 512

static struct {
	pthread_mutex_t lock;
	void *blocks[SLOTS];
	size_t bytes[SLOTS];
	int owner[SLOTS];
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static long long live_blocks[2], live_bytes[2];

SITE static void *site_even(size_t bytes)
{
	void *block = malloc(bytes);

	KEEP_FRAME();
	return block;
}

SITE static void *site_odd(size_t bytes)
{
	void *block = calloc(1, bytes);

	KEEP_FRAME();
	return block;
}

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void swap_in(void *block, size_t bytes, int owner, int slot)
{
	void *old;

	pthread_mutex_lock(&shared.lock);
	old = shared.blocks[slot];
	if (old) {
		live_blocks[shared.owner[slot]]--;
		live_bytes[shared.owner[slot]] -= (long long)shared.bytes[slot];
	}
	shared.blocks[slot] = block;
	shared.bytes[slot] = bytes;
	shared.owner[slot] = owner;
	live_blocks[owner]++;
	live_bytes[owner] += (long long)bytes;
	pthread_mutex_unlock(&shared.lock);
	free(old);
}

static void *work(void *seed)
{
	uint64_t state = (uint64_t)(uintptr_t)seed * 2654435761u + 1;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		size_t bytes = next(&state) % 700 + 1;
		int owner = (int)(next(&state) & 1);
		void *block = owner ? site_odd(bytes) : site_even(bytes);

		swap_in(block, bytes, owner, (int)(next(&state) % SLOTS));
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int wave, i;

	for (wave = 0; wave < WAVES; wave++) {
		seep_event_begin(wave);
		for (i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, work,
				       (void *)(uintptr_t)(wave * THREADS + i + 1));
		for (i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		seep_event_end();
	}
	truth_site("site_even", live_blocks[0], live_bytes[0]);
	truth_site("site_odd", live_blocks[1], live_bytes[1]);
	return 0;
}
