/* SPDX-License-Identifier: MIT */
/*
 * Events that begin and end in a signal handler, which comes while main is inside the
 * allocator nearly all of the time.  handler_events N: so many of them; then one that
 * main itself ends.  handler_events N main: main has all of them, one per signal; with
 * small, the handler takes little of the stack.
 */
#include "truth.h"
#include "seep.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile sig_atomic_t events, wanted, in_main, is_small;

static void have_event(void)
{
	seep_event_begin(events);
	seep_event_end();
}

SITE static void use_stack(void)
{
	char stack[2000];

	memset(stack, (int)events, sizeof(stack));
	__asm__ volatile("" ::"r"(stack) : "memory");
}

static void handle(int signal)
{
	(void)signal;
	if (!is_small)
		use_stack();
	if (events >= wanted)
		return;
	if (!in_main)
		have_event();
	events++;
}

/*
 * As the handler leaves its marks on the stack, this has them in arrays that it does not set:
 * in part, where the next handler has left some of its own over them.
 */
SITE static void look_around(sig_atomic_t *had)
{
	char stack[12000];

	__asm__ volatile("" ::"r"(stack) : "memory");
	for (; in_main && *had < events; (*had)++)
		have_event();
}

int main(int argc, char **argv)
{
	struct itimerval timer = {{0, 200}, {0, 200}}, off;
	sig_atomic_t had = 0;
	size_t rounds = 0;

	wanted = argc > 1 ? (sig_atomic_t)strtol(argv[1], NULL, 10) : 100;
	in_main = argc > 2 && !strcmp(argv[2], "main");
	is_small = argc > 3 && !strcmp(argv[3], "small");
	memset(&off, 0, sizeof(off));
	signal(SIGALRM, handle);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (events < wanted) {
		free(realloc(malloc(3000 + rounds % 100000), 2000));
		look_around(&had);
		rounds++;
	}
	setitimer(ITIMER_REAL, &off, NULL);
	look_around(&had);
	have_event();
	printf("truth events %ld\n", (long)events + 1);
	return 0;
}
