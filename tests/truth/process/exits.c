/* SPDX-License-Identifier: MIT */
/* exits HOW: the ways in which a program may end, with other threads at work.  main returns 9. */
#include "truth.h"
#include "seep.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENTS 40

static void *blocks[EVENTS];

SITE static void *remember(int i)
{
	void *block = malloc(70);

	blocks[i] = block;
	KEEP_FRAME();
	return block;
}

static void *be_busy(void *unused)
{
	for (;;)
		free(malloc(500));
	return unused;
}

static void *end_all(void *how)
{
	_exit(how ? 9 : 8);
}

static void end(const char *how)
{
	pthread_t thread;

	if (!strcmp(how, "exit"))
		exit(9);
	if (!strcmp(how, "_exit"))
		_exit(9);
	if (!strcmp(how, "_Exit"))
		_Exit(9);
	if (!strcmp(how, "quick_exit"))
		quick_exit(9);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "syscall"))
		syscall(SYS_exit_group, 9);
	if (!strcmp(how, "exec"))
		execl("/proc/self/exe", "exits", "exit", (char *)NULL);
	if (!strcmp(how, "thread") && !pthread_create(&thread, NULL, end_all, blocks))
		pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int i;

	for (i = 0; i < EVENTS; i++) {
		seep_event_begin(i);
		remember(i);
		seep_event_end();
	}
	pthread_create(&thread, NULL, be_busy, NULL);
	truth_site("remember", EVENTS, EVENTS * 70);
	fflush(stdout);
	end(argc > 1 ? argv[1] : "return");
	return 9;
}
