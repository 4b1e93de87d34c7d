/* SPDX-License-Identifier: MIT */
/*
 * jail DIRECTORY [close]: goes to an empty root and becomes nobody in mid run, goes on for long
 * enough to need more of the trace; with "close" all descriptors are closed at that moment.
 */
#define _GNU_SOURCE
#include "truth.h"
#include "seep.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define EVENTS 4000

static void *blocks[EVENTS + 1];

SITE static void *remember(int i)
{
	void *block = malloc(70);

	blocks[i] = block;
	KEEP_FRAME();
	return block;
}

static void *work(void *unused)
{
	remember(EVENTS);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int i;

	for (i = 0; i < EVENTS; i++) {
		if (i == 100 && (chroot(argv[1]) || chdir("/") || setgid(65534) || setuid(65534)))
			return 2;
		if (i == 100 && argc > 2)
			close_range(3, ~0u, 0);
		KEEPS_ERRNO(seep_event_begin(i));
		KEEPS_ERRNO(seep_stamp("here"));
		KEEPS_ERRNO(remember(i));
		KEEPS_ERRNO(seep_event_end());
	}
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	truth_site("remember", EVENTS + 1, (EVENTS + 1) * 70);
	return truth_errno_changes;
}
