/* SPDX-License-Identifier: MIT */
/*
 * Coroutines on stacks of their own, which are unmapped and mapped again at the same place for
 * another function, smaller at times; in main and in another thread.
 */
#define _GNU_SOURCE
#include "truth.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define COROUTINES 4
#define STACK_BYTES ((size_t)65536)
#define ROUNDS 60
#define STEPS 10

struct team {
	ucontext_t main, coroutines[COROUTINES];
	char *stacks[COROUTINES];
	int running;
	int steps;
};

SITE static void *made_at_even(int depth)
{
	void *block = depth ? made_at_even(depth - 1) : malloc(100);

	KEEP_FRAME();
	return block;
}

SITE static void *made_at_odd(int depth)
{
	volatile char pad[200];
	void *block;

	pad[depth] = 0;
	block = depth ? made_at_odd(depth - 1 + pad[depth]) : calloc(1, 60);
	KEEP_FRAME();
	return block;
}

static void yield(struct team *team)
{
	swapcontext(&team->coroutines[team->running], &team->main);
}

static void run(unsigned int high, unsigned int low, int odd)
{
	struct team *team = (struct team *)((uintptr_t)high << 32 | low);
	int i;

	for (i = 0; i < STEPS; i++) {
		void *block = odd ? made_at_odd(i) : made_at_even(i);

		yield(team);
		free(malloc(i % 2 ? 10 : 1000));
		if (i) /* the first is kept */
			free(block);
	}
}

/* Fresh pages each time, at the same place; what is not used of it cannot be touched. */
static void map_stack(struct team *team, int n, size_t bytes)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (team->stacks[n] ? MAP_FIXED : 0);
	char *place = mmap(team->stacks[n], STACK_BYTES, PROT_NONE, flags, -1, 0);

	if (place == MAP_FAILED ||
	    mmap(place, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0) != place)
		abort();
	team->stacks[n] = place;
}

static void start(struct team *team, int n, int odd)
{
	uintptr_t address = (uintptr_t)team;
	size_t bytes = odd ? STACK_BYTES / 2 : STACK_BYTES;
	void (*entry)(void);
	void (*typed)(unsigned int, unsigned int, int) = run;

	map_stack(team, n, bytes);
	memcpy(&entry, &typed, sizeof(entry));
	getcontext(&team->coroutines[n]);
	team->coroutines[n].uc_stack.ss_sp = team->stacks[n];
	team->coroutines[n].uc_stack.ss_size = bytes;
	team->coroutines[n].uc_link = &team->main;
	makecontext(&team->coroutines[n], entry, 3, (unsigned int)(address >> 32),
		    (unsigned int)address, odd);
}

static void *work(void *unused)
{
	struct team *team = calloc(1, sizeof(*team));
	int round, step, n;

	for (round = 0; round < ROUNDS; round++) {
		for (n = 0; n < COROUTINES; n++)
			start(team, n, (round + n) % 2);
		for (step = 0; step <= STEPS; step++)
			for (n = 0; n < COROUTINES; n++) {
				team->running = n;
				swapcontext(&team->main, &team->coroutines[n]);
			}
	}
	free(team);
	return unused;
}

int main(void)
{
	pthread_t thread;
	long long kept = 2 * ROUNDS * COROUTINES / 2;

	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	pthread_join(thread, NULL);
	truth_site("made_at_even", kept, kept * 100);
	truth_site("made_at_odd", kept, kept * 60);
	return 0;
}
