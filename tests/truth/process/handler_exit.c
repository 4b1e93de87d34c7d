/* SPDX-License-Identifier: MIT */
/* A signal handler that ends the program at any moment, also inside the recorder. */
#include "seep.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static void leave(int signal)
{
	(void)signal;
	_exit(7);
}

int main(void)
{
	struct itimerval timer = {.it_value = {.tv_usec = 20000}};
	int i;

	signal(SIGALRM, leave);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (i = 0;; i++) {
		seep_event_begin(i);
		seep_stamp("here");
		free(malloc(100));
		seep_event_end();
	}
}
