/* SPDX-License-Identifier: MIT */
/*
 * A handler on an alternate stack that allocates and frees: on one that is large, then on one that
 * has little more than what the kernel puts there, with pages below that must not be touched.
 */
#define _GNU_SOURCE
#include "truth.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SIGNALS 500
#define LARGE 65536
#define SPARE 2560 /* for the handler; the first call of a function takes more: it is made before */

static void *kept[2 * SIGNALS];
static int n_kept;
static char *top;
static size_t by_kernel; /* bytes of the stack above the handler's frame */

SITE static void made_by_handler(int signal)
{
	(void)signal;
	by_kernel = (size_t)(top - (char *)__builtin_frame_address(0));
	free(malloc(300));
	kept[n_kept++] = malloc(40);
	KEEP_FRAME();
}

/* A stack of which only the upper bytes, as many as these, may be used. */
static void set_stack(size_t bytes)
{
	char *map = mmap(NULL, 3 * LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = {.ss_sp = map, .ss_size = LARGE + bytes};

	if (map == MAP_FAILED || mprotect(map + LARGE, 2 * LARGE, PROT_READ | PROT_WRITE) ||
	    sigaltstack(&stack, NULL))
		abort();
	top = map + LARGE + bytes;
}

static void raise_many(void)
{
	int i;

	for (i = 0; i < SIGNALS; i++)
		raise(SIGUSR1);
}

int main(void)
{
	struct sigaction action = {.sa_handler = made_by_handler, .sa_flags = SA_ONSTACK};

	sigaction(SIGUSR1, &action, NULL);
	set_stack(LARGE);
	raise_many();
	set_stack(by_kernel + SPARE);
	raise_many();
	truth_site("made_by_handler", 2 * SIGNALS, 2 * SIGNALS * 40);
	return kept[0] == NULL;
}
