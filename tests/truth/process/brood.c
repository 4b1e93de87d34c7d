/* SPDX-License-Identifier: MIT */
/*
 * A process with children that share its memory, and grow by themselves.
 *
 *	brood SHARED_KIB WORKERS GROW_KIB TICKS TICK_MS [CHURN_KIB]
 *
 * The workers have what the parent had touched, and each touches GROW_KIB more at every
 * tick.  With CHURN_KIB a child that touches so much comes every third tick, and goes after two.
 * At the end it tells what all have together, each page counted once, and how fast that grew.
 */
#include "truth.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define WORKERS_MAX 16
#define ROOM ((size_t)1 << 32)

static volatile long *grown; /* bytes, per worker; shared */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* To the next tick.  Ticks keep to their times on a busy machine too, by catching up. */
static void nap(long ms)
{
	static double due;
	double left;

	if (due <= 0)
		due = now();
	due += 1e-3 * (double)ms;
	while ((left = due - now()) > 0) {
		struct timespec t = { (time_t)left, (long)(1e9 * (left - (double)(time_t)left)) };

		nanosleep(&t, NULL);
	}
}

static char *map(size_t bytes, int flags)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);

	if (p == MAP_FAILED)
		exit(2);
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

/* Lives until the parent ends it, or is no more. */
static void work(int self, size_t grow, long ms)
{
	char *more = map(ROOM, MAP_PRIVATE);
	size_t used = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (used + grow <= ROOM) {
		memset(more + used, 1, grow);
		used += grow;
		grown[self] = (long)used;
		nap(ms);
	}
}

static void come_and_go(size_t bytes, long ms)
{
	if (fork())
		return;
	memset(map(bytes, MAP_PRIVATE), 1, bytes);
	nap(2 * ms);
	_exit(0);
}

int main(int argc, char **argv)
{
	size_t shared = argc > 5 ? strtoul(argv[1], NULL, 10) * 1024 : 0;
	int workers = argc > 5 ? atoi(argv[2]) : 0, ticks, i;
	size_t grow = argc > 5 ? strtoul(argv[3], NULL, 10) * 1024 : 0, churn = 0;
	long ms = argc > 5 ? atol(argv[5]) : 0, all = 0, first = 0;
	pid_t pids[WORKERS_MAX];
	double start;

	if (argc < 6 || workers < 0 || workers > WORKERS_MAX)
		return 2;
	ticks = atoi(argv[4]);
	churn = argc > 6 ? strtoul(argv[6], NULL, 10) * 1024 : 0;
	signal(SIGCHLD, SIG_IGN);
	grown = (volatile long *)(void *)map(sizeof(long) * WORKERS_MAX, MAP_SHARED);
	memset(map(shared, MAP_PRIVATE), 1, shared);
	for (i = 0; i < workers; i++) {
		pids[i] = fork();
		if (!pids[i])
			work(i, grow, ms);
	}
	printf("ready %ld\n", (long)getpid());
	fflush(stdout);
	start = now();
	for (i = 0; i < workers; i++)
		first += grown[i];
	for (i = 0; i < ticks; i++) {
		if (churn && i % 3 == 0)
			come_and_go(churn, ms);
		nap(ms);
	}
	for (i = 0; i < workers; i++)
		all += grown[i];
	printf("truth shared %zu grown %ld per_s %.0f\n", shared, all,
	       (double)(all - first) / (now() - start));
	fflush(stdout);
	for (i = 0; i < workers; i++)
		kill(pids[i], SIGKILL);
	_exit(0);
}
