/* SPDX-License-Identifier: MIT */
/*
 * A timer signal at a high rate whose handler frees a block of main's and allocates another
 * in its place, while main does nothing but allocate and free.
 *
 * The C library's malloc is not made for that.  It works because both sides stay within
 * the thread's cache, each in a size of its own.
 */
#include "truth.h"
#include "seep.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#define SIGNALS 4000

static void *volatile slots[SIGNALS];
static volatile sig_atomic_t signals;

SITE static void *made_by_main(size_t bytes)
{
	void *block = malloc(bytes);

	KEEP_FRAME();
	return block;
}

SITE static void *made_by_handler(size_t bytes)
{
	void *block = calloc(1, bytes);

	KEEP_FRAME();
	return block;
}

static void handle(int signal)
{
	(void)signal;
	if (signals >= SIGNALS)
		return;
	free(slots[signals]);
	slots[signals] = made_by_handler(100);
	signals++;
}

int main(void)
{
	struct itimerval timer = {{0, 100}, {0, 100}};
	int i;

	for (i = 0; i < SIGNALS; i++)
		slots[i] = made_by_main(100);
	free(malloc(300));
	signal(SIGALRM, handle);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (i = 0; signals < SIGNALS; i++) {
		if (i % 16 == 0)
			seep_event_begin(i);
		free(realloc(malloc(300), 299));
	}
	signal(SIGALRM, SIG_IGN);
	truth_site("made_by_main", 0, 0);
	printf("made_by_handler blocks %d\n", SIGNALS);
	return 0;
}
