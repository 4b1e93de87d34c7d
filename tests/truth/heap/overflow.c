/* SPDX-License-Identifier: MIT */
/*
 * The stack runs over, time and again; the handler, on a stack of its own, allocates and leaves by
 * siglongjmp, as programs do that survive deep recursion.  In main and in a small thread.
 */
#include "truth.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#define ROUNDS 10
#define THREAD_BYTES 65536

static __thread sigjmp_buf back;
static void *kept[2 * ROUNDS];
static int n_kept;
static volatile int always = 1;

SITE static void made_by_handler(int signal)
{
	(void)signal;
	kept[n_kept++] = malloc(90);
	siglongjmp(back, 1);
}

SITE static int run_over(int n)
{
	volatile char pad[500];

	pad[n % 500] = 1;
	if (always)
		n += run_over(n + 1);
	return n + pad[n % 500];
}

static void *work(void *unused)
{
	static char room[2][65536];
	static int n_rooms;
	stack_t stack = {.ss_sp = room[n_rooms++], .ss_size = sizeof(room[0])};
	volatile int i;

	sigaltstack(&stack, NULL);
	for (i = 0; i < ROUNDS; i++) {
		free(malloc(10));
		if (!sigsetjmp(back, 1))
			run_over(0);
	}
	return unused;
}

int main(void)
{
	struct sigaction action = {.sa_handler = made_by_handler, .sa_flags = SA_ONSTACK};
	struct rlimit limit;
	pthread_attr_t attributes;
	pthread_t thread;

	getrlimit(RLIMIT_STACK, &limit);
	limit.rlim_cur = 1 << 20;
	setrlimit(RLIMIT_STACK, &limit);
	sigaction(SIGSEGV, &action, NULL);
	work(NULL);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, THREAD_BYTES);
	pthread_create(&thread, &attributes, work, NULL);
	pthread_join(thread, NULL);
	truth_site("made_by_handler", 2 * ROUNDS, 2 * ROUNDS * 90);
	return kept[0] == NULL;
}
