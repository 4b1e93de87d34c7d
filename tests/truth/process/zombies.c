/* SPDX-License-Identifier: MIT */
/* Threads that were joined, detached, cancelled or forgotten: whose stacks are still held? */
#define _GNU_SOURCE
#include "truth.h"
#include "seep.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define STACK ((size_t)256 << 10)
#define EVENTS 20

static pthread_attr_t attributes, at_once;
static atomic_int over;
static size_t usual;
static pthread_key_t last_words;
static sem_t go;

static void demand(int yes)
{
	if (!yes)
		abort();
}

/* Runs behind the last instruction of a thread's own, as late as anybody can see. */
static void count_over(void *value)
{
	(void)value;
	atomic_fetch_add(&over, 1);
}

static void *work(void *argument)
{
	pthread_setspecific(last_words, &over);
	if (argument == &at_once)
		pthread_detach(pthread_self());
	return argument;
}

static int work_c11(void *argument)
{
	return work(argument) ? 7 : 8;
}

static void *wait_to_go(void *argument)
{
	while (sem_wait(&go))
		;
	return work(argument);
}

static void *wait_for_ever(void *argument)
{
	for (;;)
		pause();
	return argument;
}

SITE static void forgotten(void)
{
	pthread_t thread;

	demand(!pthread_create(&thread, &attributes, work, NULL));
	KEEP_FRAME();
}

SITE static void joined(void)
{
	pthread_t threads[3];
	void *result = NULL;
	int i;

	for (i = 0; i < 3; i++)
		demand(!pthread_create(&threads[i], i ? &attributes : NULL, work, &go));
	demand(!pthread_join(threads[0], &result) && result == &go);
	while (pthread_tryjoin_np(threads[1], NULL))
		;
	demand(!pthread_timedjoin_np(threads[2], NULL, &(struct timespec){.tv_sec = 1l << 40}));
	KEEP_FRAME();
}

SITE static void detached(void)
{
	pthread_t thread;

	demand(!pthread_create(&thread, &at_once, work, NULL));
	demand(!pthread_create(&thread, NULL, work, &at_once)); /* detaches itself */
	demand(!pthread_create(&thread, &attributes, work, NULL));
	demand(!pthread_detach(thread));
	KEEP_FRAME();
}

SITE static void cancelled(void)
{
	pthread_t thread;
	void *result = NULL;

	demand(!pthread_create(&thread, NULL, wait_for_ever, NULL));
	demand(!pthread_cancel(thread) && !pthread_join(thread, &result));
	demand(result == PTHREAD_CANCELED);
	KEEP_FRAME();
}

SITE static void forgotten_c11(void)
{
	thrd_t one, two, three;
	int result;

	demand(thrd_create(&one, work_c11, &go) == thrd_success);
	demand(thrd_create(&two, work_c11, NULL) == thrd_success);
	demand(thrd_create(&three, work_c11, NULL) == thrd_success);
	demand(thrd_join(one, &result) == thrd_success && result == 7);
	demand(thrd_detach(two) == thrd_success);
	KEEP_FRAME();
}

SITE static void at_work(void)
{
	pthread_t thread;

	demand(!pthread_create(&thread, NULL, wait_for_ever, NULL));
	KEEP_FRAME();
}

/* On memory that is the program's own. */
SITE static void own_stack(void)
{
	void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t own;
	pthread_t thread;

	demand(!pthread_attr_init(&own) && !pthread_attr_setstack(&own, stack, STACK));
	demand(!pthread_create(&thread, &own, work, NULL) && !pthread_join(thread, NULL));
	KEEP_FRAME();
}

SITE static void impossible(void)
{
	pthread_attr_t huge;
	pthread_t thread;

	demand(!pthread_attr_init(&huge) && !pthread_attr_setstacksize(&huge, (size_t)1 << 46));
	demand(pthread_create(&thread, &huge, work, NULL));
	KEEP_FRAME();
}

/* A child has only the thread that forked. */
static void fork_beside(void)
{
	pthread_t thread;
	int status = 1;
	pid_t pid;

	demand(!pthread_create(&thread, NULL, wait_to_go, NULL));
	pid = fork();
	if (!pid) {
		demand(!pthread_create(&thread, NULL, work, NULL) && !pthread_join(thread, NULL));
		_exit(0);
	}
	demand(waitpid(pid, &status, 0) == pid && !status);
	sem_post(&go);
	demand(!pthread_join(thread, NULL));
}

int main(void)
{
	int event, started = 0;

	demand(!sem_init(&go, 0, 0) && !pthread_key_create(&last_words, count_over));
	demand(!pthread_attr_init(&attributes) && !pthread_attr_init(&at_once));
	demand(!pthread_attr_getstacksize(&attributes, &usual));
	demand(!pthread_attr_setstacksize(&attributes, STACK));
	demand(!pthread_attr_setdetachstate(&at_once, PTHREAD_CREATE_DETACHED));
	for (event = 0; event < EVENTS; event++) {
		seep_event_begin(event);
		forgotten();
		joined();
		detached();
		cancelled();
		forgotten_c11();
		started += 1 + 3 + 3 + 3;
		while (atomic_load(&over) < started)
			sched_yield();
		seep_event_end();
	}
	at_work();
	own_stack();
	impossible();
	fork_beside();
	truth_kind("forgotten", "thread stack", EVENTS, EVENTS * (long long)STACK);
	truth_kind("joined", "thread stack", 0, 0);
	truth_kind("detached", "thread stack", 0, 0);
	truth_kind("cancelled", "thread stack", 0, 0);
	truth_kind("forgotten_c11", "thread stack", EVENTS, EVENTS * (long long)usual);
	truth_kind("at_work", "thread stack", 1, (long long)usual);
	truth_kind("own_stack", "mmap", 1, (long long)STACK);
	truth_kind("impossible", "thread stack", 0, 0);
	truth_kind("fork_beside", "thread stack", 0, 0);
	return 0;
}
