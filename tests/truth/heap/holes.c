/* SPDX-License-Identifier: MIT */
/*
 * holes STATE [END]: a heap of 40 MB whose blocks are freed but for some, in the first
 * of ten events, so that the rest of the process's memory is as free as
 *
 *	retention      all blocks are freed but one at the top
 *	fragmentation  one block in sixteen stays, so that there is one on each page
 *	mixed          both, one after the other
 *	untouched      as retention, beside 64 MB that live and were never written
 *	full           nothing is freed
 *
 * says.  The truth of fragmentation is the free rest of each page that is at most a
 * quarter full of survivors.  END tells how the program ends:
 *
 *	handler        a signal handler does it, while main is in malloc, most often
 *	events         one marks 300 events before, while main is in malloc, most often
 *	busy           main returns, while threads are in malloc
 *	fork           a child of fork does ten events more, and ends the same way
 *	bare-fork      the same of a child that the C library does not know
 */
#include "seep.h"
#include "truth.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCKS 200000
#define BYTES 200
#define EVENTS 10
#define PAGE ((uintptr_t)4096)
#define UNTOUCHED ((size_t)64 << 20)

static char *blocks[BLOCKS];
static char *untouched, *pin;
static volatile int n_kept, n_made;

SITE static char *keep_survivor(void)
{
	char *block = malloc(BYTES);

	n_kept++; /* and not the same code as below, or there would be one function */
	return block;
}

SITE static char *make_block(void)
{
	char *block = malloc(BYTES);

	n_made++;
	return block;
}

static void fill(int stride)
{
	int i;

	for (i = 0; i < BLOCKS; i++) {
		blocks[i] = i % stride ? make_block() : keep_survivor();
		if (blocks[i])
			memset(blocks[i], 1, BYTES);
	}
	pin = keep_survivor();
}

static void free_others(int stride)
{
	int i;

	for (i = 0; i < BLOCKS; i++)
		if (i % stride) {
			free(blocks[i]);
			blocks[i] = NULL;
		}
}

static int by_address(const void *a, const void *b)
{
	const char *one = *(char *const *)a, *two = *(char *const *)b;

	return (one > two) - (one < two);
}

/* Bytes of the block on this page. */
static uintptr_t part(const char *block, uintptr_t page)
{
	uintptr_t start = (uintptr_t)block, end = start + BYTES;
	uintptr_t from = start > page ? start : page, to = end < page + PAGE ? end : page + PAGE;

	return block && from < to ? to - from : 0;
}

/* Counted page by page: a survivor is on one or two of them, and 20 of its neighbours may be. */
static void tell_pinned(void)
{
	long long bytes = 0, used;
	uintptr_t page = 0;
	int n, i, k;

	qsort(blocks, BLOCKS, sizeof(blocks[0]), by_address);
	for (n = 0; n < BLOCKS && !blocks[n]; n++)
		;
	for (i = n; i < BLOCKS; i++) {
		uintptr_t last = ((uintptr_t)blocks[i] + BYTES - 1) & ~(PAGE - 1);
		uintptr_t at = (uintptr_t)blocks[i] & ~(PAGE - 1);

		for (at = at > page ? at : page + PAGE; at <= last; at += PAGE) {
			for (used = 0, k = i > 20 ? i - 20 : 0; k < i + 21 && k < BLOCKS; k++)
				used += (long long)part(blocks[k], at);
			bytes += used <= (long long)PAGE / 4 ? (long long)PAGE - used : 0;
			page = at;
		}
	}
	printf("truth pinned keep_survivor bytes %lld\n", bytes);
}

static void make_state(const char *state)
{
	if (!strcmp(state, "full")) {
		fill(1);
	} else if (!strcmp(state, "fragmentation")) {
		fill(16);
		free_others(16);
	} else if (!strcmp(state, "mixed")) {
		fill(BLOCKS);
		free(blocks[0]);
		free_others(BLOCKS);
		fill(100);
		free_others(100);
	} else {
		fill(BLOCKS);
		free(blocks[0]);
		blocks[0] = NULL;
		free_others(BLOCKS);
	}
	if (!strcmp(state, "untouched"))
		untouched = malloc(UNTOUCHED);
}

static void *be_busy(void *unused)
{
	for (;;)
		free(malloc(3000));
	return unused;
}

static void leave(int signal)
{
	(void)signal;
	_exit(7);
}

static void end_in_handler(void)
{
	struct itimerval timer = {.it_value = {.tv_usec = 2000}};

	signal(SIGALRM, leave);
	setitimer(ITIMER_REAL, &timer, NULL);
	be_busy(NULL);
}

static volatile int n_marked;

static void mark(int signal)
{
	(void)signal;
	seep_event_begin(n_marked);
	seep_event_end();
	n_marked++;
}

/* With a second thread, so that malloc takes its locks. */
static void mark_in_handler(void)
{
	struct itimerval timer = {.it_value = {.tv_usec = 200}, .it_interval = {.tv_usec = 200}};

	signal(SIGALRM, mark);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (n_marked < 300)
		free(malloc(3000));
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void do_events(void)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		seep_event_begin(i);
		free(make_block());
		seep_event_end();
	}
}

static void end_in_child(pid_t child)
{
	if (!child) {
		do_events();
		exit(0);
	}
	waitpid(child, NULL, 0);
}

/* Signals are for main. */
static void start_threads(int n)
{
	sigset_t alarm;
	pthread_t thread;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	while (n--)
		pthread_create(&thread, NULL, be_busy, NULL);
	pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
}

static void end(const char *how)
{
	if (strcmp(how, "handler") && strcmp(how, ""))
		start_threads(!strcmp(how, "events") ? 1 : 4);
	if (!strcmp(how, "handler"))
		end_in_handler();
	else if (!strcmp(how, "events"))
		mark_in_handler();
	else if (!strcmp(how, "fork"))
		end_in_child(fork());
	else if (!strcmp(how, "bare-fork"))
		end_in_child((pid_t)syscall(SYS_fork));
}

int main(int argc, char **argv)
{
	const char *state = argc > 1 ? argv[1] : "retention";
	int i;

	for (i = 0; i < EVENTS; i++) {
		seep_event_begin(i);
		if (!i)
			make_state(state);
		seep_event_end();
	}
	tell_pinned();
	fflush(stdout);
	end(argc > 2 ? argv[2] : "");
	return pin ? 0 : 1;
}
