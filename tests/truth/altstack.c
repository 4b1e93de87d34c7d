/* SPDX-License-Identifier: MIT */
/*
 * A handler on an alternate stack, with a page that must not be touched below it, that allocates
 * and frees: on one that is large, then on one that is about as small as the C library allows.
 */
#define _GNU_SOURCE
#include "truth.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIGNALS 500
#define BY_MALLOC 2560 /* of stack; the first call of a function takes more, so it is made before */

static void *kept[2 * SIGNALS];
static int n_kept;

SITE static void made_by_handler(int signal)
{
	(void)signal;
	free(malloc(300));
	kept[n_kept++] = malloc(40);
	KEEP_FRAME();
}

static void set_stack(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + page - 1) & ~(page - 1);
	char *map = mmap(NULL, page + room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = {.ss_sp = map + page, .ss_size = bytes};

	if (map == MAP_FAILED || mprotect(map + page, room, PROT_READ | PROT_WRITE) ||
	    sigaltstack(&stack, NULL))
		abort();
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
	set_stack(65536);
	raise_many();
	set_stack((size_t)sysconf(_SC_MINSIGSTKSZ) + BY_MALLOC);
	raise_many();
	truth_site("made_by_handler", 2 * SIGNALS, 2 * SIGNALS * 40);
	return kept[0] == NULL;
}
