/* SPDX-License-Identifier: MIT */
/*
 * A handler that forks as soon as a new thread lets signals in: the child goes on to start the
 * thread, and must find what to start.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 400

static __thread int is_child;
static int killed;

static void fork_here(int signal)
{
	pid_t child = fork();
	int status = 0;

	(void)signal;
	is_child = !child;
	if (child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status))
		__atomic_fetch_add(&killed, 1, __ATOMIC_RELAXED);
}

static void *start(void *unused)
{
	if (is_child)
		_exit(0);
	return unused;
}

int main(void)
{
	pthread_t thread;
	int i;

	signal(SIGUSR1, fork_here);
	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&thread, NULL, start, NULL))
			return 1;
		pthread_kill(thread, SIGUSR1);
		pthread_join(thread, NULL);
	}
	printf("children killed by a signal: %d\n", killed);
	return killed != 0;
}
