/* SPDX-License-Identifier: MIT */
/*
 * escape WHAT JUMPS [THREADS]: a signal comes again and again, and its handler does not return.
 * WHAT says what it interrupts: stamp, count, events, map, all.  It leaves by siglongjmp.  With
 * WHAT exit or cancel, it ends its thread, and a new one is made; JUMPS is their number.
 * WHAT malloc: it jumps only out of the tracker's part of malloc and free, since a jump out of
 * the C library's could damage the heap.  Without a tracker there are no jumps then.
 * Then 500 events, whose truth is printed: the recorder still works, in this and in other threads.
 */
#define _GNU_SOURCE
#include "truth.h"
#include "seep.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define EVENTS 500
#define THREADS_MAX 8
#define PERIOD_US 20
#define LONG_PERIOD_US 500
#define ALLOCATIONS 10000

static const char *what;
static long wanted;
static long jumps;
static int done;
static void *blocks[EVENTS];
static __thread sigjmp_buf place;
static __thread volatile sig_atomic_t armed;

static long n_jumps(void)
{
	return __atomic_load_n(&jumps, __ATOMIC_RELAXED);
}

static bool is_tracker(const void *context)
{
	const ucontext_t *interrupted = context;
	Dl_info info;

	return dladdr((void *)interrupted->uc_mcontext.gregs[REG_RIP], &info) &&
	       strstr(info.dli_fname, "libseep-heap");
}

static void leave(int number, siginfo_t *unused, void *context)
{
	(void)number;
	(void)unused;
	if (!armed || (!strcmp(what, "malloc") && !is_tracker(context)))
		return;
	armed = 0;
	__atomic_fetch_add(&jumps, 1, __ATOMIC_RELAXED);
	if (!strcmp(what, "exit"))
		pthread_exit(NULL);
	siglongjmp(place, 1);
}

static void map_and_unmap(void)
{
	void *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* All of it: mremap fails on two mappings, and there would soon be too many of them. */
	mprotect(map, 8192, PROT_NONE);
	map = mremap(map, 8192, 12288, MREMAP_MAYMOVE);
	if (map != MAP_FAILED)
		munmap(map, 12288);
}

static void work(long i)
{
	bool all = !strcmp(what, "all");

	if (all || !strcmp(what, "events")) {
		seep_event_begin(i);
		seep_event_end();
	}
	if (all || !strcmp(what, "count")) {
		seep_count("rounds", 1);
		seep_gauge("held", 4096);
	}
	if (all || !strcmp(what, "map"))
		map_and_unmap();
	if (strcmp(what, "map") && strcmp(what, "count"))
		seep_stamp("work");
}

/* Is interrupted until there were enough jumps. */
static void *work_on(void *unused)
{
	static __thread volatile long i;

	sigsetjmp(place, 1);
	while (n_jumps() < wanted && !__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		armed = 1;
		work(i++);
	}
	armed = 0;
	return unused;
}

static void *volatile sink;

/* Small and large blocks; those that a jump leaves behind are not freed. */
static void allocate(void)
{
	const bool tracked = getenv("SEEP_TRACE");
	static volatile long i;

	sigsetjmp(place, 1);
	while (tracked ? n_jumps() < wanted : i < ALLOCATIONS) {
		armed = 1;
		sink = malloc((size_t)(16 + i++ % 64));
		free(sink);
		sink = realloc(malloc(100), 3000);
		free(sink);
	}
	armed = 0;
}

static void *work_for_ever(void *unused)
{
	long i;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	armed = 1;
	for (i = 0;; i++)
		work(i);
	return unused;
}

static void set_timer(long period_us)
{
	struct itimerval timer = {{0, period_us}, {0, period_us}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void interrupt_threads(int n)
{
	pthread_t threads[THREADS_MAX];
	int i;

	for (i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work_on, NULL);
	for (i = 0; n_jumps() < wanted; i++) {
		pthread_kill(threads[i % n], SIGUSR1);
		usleep(PERIOD_US);
	}
	__atomic_store_n(&done, 1, __ATOMIC_RELAXED);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void end_threads(bool cancels)
{
	long i;

	for (i = 0; i < wanted; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, work_for_ever, NULL);
		usleep(100 + (unsigned int)(i % 7) * 30);
		while (cancels ? pthread_cancel(thread) : pthread_kill(thread, SIGUSR1))
			;
		while (!cancels && n_jumps() <= i) {
			usleep(PERIOD_US);
			pthread_kill(thread, SIGUSR1);
		}
		pthread_join(thread, NULL);
	}
}

SITE static void remember(int i)
{
	blocks[i] = malloc(1000);
	KEEP_FRAME();
}

static void *stamp_once(void *unused)
{
	seep_stamp("elsewhere");
	return unused;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO};
	int n = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0, i, status = 1;
	pthread_t thread;
	pid_t child;

	what = argv[1];
	wanted = strtol(argv[2], NULL, 10);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	if (!strcmp(what, "exit") || !strcmp(what, "cancel")) {
		end_threads(!strcmp(what, "cancel"));
	} else if (n) {
		interrupt_threads(n < THREADS_MAX ? n : THREADS_MAX);
	} else {
		bool allocates = !strcmp(what, "malloc");

		set_timer(allocates ? LONG_PERIOD_US : PERIOD_US);
		if (allocates)
			allocate();
		else
			work_on(NULL);
		set_timer(0);
	}
	for (i = 0; i < EVENTS; i++) {
		seep_event_begin(i);
		remember(i);
		seep_stamp("remembered");
		seep_event_end();
	}
	pthread_create(&thread, NULL, stamp_once, NULL);
	pthread_join(thread, NULL);
	child = fork();
	if (!child)
		_exit(0);
	waitpid(child, &status, 0);
	truth_site("remember", EVENTS, EVENTS * 1000);
	return status || blocks[0] == NULL;
}
