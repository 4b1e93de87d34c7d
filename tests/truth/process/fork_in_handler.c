/* SPDX-License-Identifier: MIT */
/*
 * A signal handler forks at any moment, also while its thread is inside the recorder.  The
 * child returns from the handler to where its parent stood, and goes on; the first five mark an
 * event, so that they have traces.
 */
#include "truth.h"
#include "seep.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 150
#define EVENTS 2000
#define KEPT 125

static volatile sig_atomic_t children, bad, is_child;
static void *kept[KEPT];

SITE static void *kept_by_parent(size_t bytes)
{
	void *block = malloc(bytes);

	KEEP_FRAME();
	return block;
}

static void spread(int signal)
{
	int status = -1;
	pid_t pid;

	(void)signal;
	if (is_child || children >= CHILDREN)
		return;
	pid = fork();
	if (!pid) {
		is_child = 1;
		return;
	}
	children++;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		bad++;
}

static void work_as_child(void)
{
	int i;

	if (children < 5)
		seep_event_begin(1);
	for (i = 0; i < 100; i++)
		free(malloc(100));
	_exit(0);
}

int main(void)
{
	struct itimerval timer = {{0, 300}, {0, 300}};
	int n = 0, i;

	signal(SIGALRM, spread);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (i = 0; children < CHILDREN || i < EVENTS; i++) {
		seep_event_begin(i);
		if (is_child)
			work_as_child();
		if (n < KEPT && i % 16 == 0)
			kept[n++] = kept_by_parent(60);
		seep_stamp("here");
		if (is_child)
			work_as_child();
		seep_event_end();
	}
	signal(SIGALRM, SIG_IGN);
	if (is_child)
		work_as_child();
	truth_site("kept_by_parent", KEPT, KEPT * 60);
	return bad != 0 || !kept[0];
}
