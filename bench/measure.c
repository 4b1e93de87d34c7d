/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure RESULT CMD [ARGUMENT]...
 *
 * Runs CMD and writes one line of JSON to RESULT: its wall and processor time, its
 * peak resident size, how it ended.  The status is that of CMD, 128 + n if signal n
 * ended it, 127 if it could not be run.
 *
 * Why a program of its own: the peak that wait4 tells begins with the size of the
 * process that forked, so a large parent such as an interpreter would set the floor.
 * And linked statically it is out of reach of LD_PRELOAD, so it can also stand
 * between a tool's wrapper and the program, and tell the peak of the program alone:
 *
 *	measure all heaptrack -o FILE measure program ./w1
 *
 * The peak of CMD includes those of the children it has waited for: the largest
 * of them, not the sum.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static int write_result(const char *path, double wall, const struct rusage *use, int status)
{
	FILE *out = fopen(path, "w");

	if (!out)
		return -1;
	fprintf(out, "{\"wall\": %.6f, \"user\": %.6f, \"system\": %.6f, \"peak\": %ld, ", wall,
		seconds_of(use->ru_utime), seconds_of(use->ru_stime), use->ru_maxrss * 1024);
	fprintf(out, "\"faults\": %ld, \"code\": %d, \"signal\": %d}\n", use->ru_minflt,
		WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	return fclose(out);
}

int main(int argc, char **argv)
{
	struct rusage use;
	double start;
	int status;
	pid_t pid;

	if (argc < 3) {
		fputs("usage: measure RESULT CMD [ARGUMENT]...\n", stderr);
		return 2;
	}
	start = seconds_now();
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		fprintf(stderr, "measure: %s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	while (pid > 0 && wait4(pid, &status, 0, &use) < 0 && errno == EINTR)
		;
	if (pid < 0 || write_result(argv[1], seconds_now() - start, &use, status)) {
		fprintf(stderr, "measure: %s: %s\n", argv[1], strerror(errno));
		return 126;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
