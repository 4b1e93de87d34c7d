/* SPDX-License-Identifier: MIT */
/*
 * How much stack malloc, free and the calls of seep.h take, the tracker included: each is called on
 * a stack of its own that was painted before, for the first time and again.  The largest is told.
 */
#include "seep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define STACK_BYTES 65536
#define PAINT 0xa5

static unsigned char stack[STACK_BYTES];
static ucontext_t back;
static void *block;

static void call_malloc(void)
{
	block = malloc(100);
}

static void call_large(void)
{
	block = realloc(block, 1 << 20);
}

static void call_free(void)
{
	free(block);
	block = NULL;
}

static void call_event(void)
{
	seep_event_begin(1);
	seep_stamp("here");
	seep_event_end();
}

static void call_nothing(void)
{
}

/* Bytes of the stack that were written to. */
static size_t measure(void (*call)(void))
{
	ucontext_t there;
	size_t i;

	memset(stack, PAINT, sizeof(stack));
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &back;
	makecontext(&there, call, 0);
	swapcontext(&back, &there);
	for (i = 0; i < sizeof(stack) && stack[i] == PAINT; i++)
		;
	return sizeof(stack) - i;
}

static void tell(const char *name, void (*call)(void), int times)
{
	size_t most = 0, least = measure(call_nothing);

	while (times--) {
		size_t bytes = measure(call) - least;

		most = bytes > most ? bytes : most;
	}
	printf("%s %zu\n", name, most);
}

int main(void)
{
	int i;

	for (i = 0; i < 100; i++)
		block = malloc(100);
	tell("malloc", call_malloc, 3);
	tell("realloc", call_large, 3);
	tell("free", call_free, 3);
	tell("event", call_event, 200);
	return 0;
}
