/* SPDX-License-Identifier: MIT */
/*
 * Threads, because of their stacks: the C library maps those without calling our hooks.
 *
 * A new thread starts in our code, which learns its pthread_t before anyone can join it.
 * It then jumps to the program's function, so that nothing of ours is on its stack.
 */
#include "record/heap/book/holdings.h"
#include "record/heap/book/stacks.h"
#include "record/heap/hook/hooks.h"
#include "record/heap/real/real.h"
#include "record/heap/real/real_map.h"
#include "record/heap/start.h"

#include "os/signals.h"
#include "record/guard.h"

#include <errno.h>

#define CALLER __builtin_return_address(0)

HOOK int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			void *(*start)(void *), void *argument);
HOOK int pthread_join(pthread_t thread, void **result);
HOOK int pthread_tryjoin_np(pthread_t thread, void **result);
HOOK int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until);
HOOK int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
			      const struct timespec *until);
HOOK int pthread_detach(pthread_t thread);
HOOK int thrd_create(thrd_t *thread, thrd_start_t start, void *argument);
HOOK int thrd_join(thrd_t thread, int *result);
HOOK int thrd_detach(thrd_t thread);

static bool is_outside(void)
{
	return seep_guard != SEEP_GUARD_OUT || !seep_start_was_on();
}

/* No handler can run in between, and never come back. */
static void enter(void)
{
	seep_signals_hold();
	seep_guard = SEEP_GUARD_OWN;
}

static void leave(void)
{
	seep_guard = SEEP_GUARD_OUT;
	seep_signals_release();
}

/* Bytes of the stack that the C library will make; 0 if the program brings its own. */
static uint64_t find_size(const pthread_attr_t *attributes, bool *detached)
{
	int state = PTHREAD_CREATE_JOINABLE;
	pthread_attr_t usual;
	size_t bytes = 0;
	void *low = NULL;

	if (!attributes) {
		pthread_attr_init(&usual);
		pthread_attr_getstacksize(&usual, &bytes);
		pthread_attr_destroy(&usual);
		*detached = false;
		return bytes;
	}
	/* If no stack is set, the C library returns one that ends at address 0. */
	pthread_attr_getstack(attributes, &low, &bytes);
	if ((uintptr_t)low + bytes)
		return 0;
	pthread_attr_getdetachstate(attributes, &state);
	pthread_attr_getstacksize(attributes, &bytes);
	*detached = state == PTHREAD_CREATE_DETACHED;
	return bytes;
}

static struct seep_stack_held *begin(const pthread_attr_t *attributes,
				     const struct seep_stacks_task *task, const void *frame)
{
	struct seep_stack_held *stack = NULL;
	bool detached;
	int saved = errno;
	uint64_t bytes;

	seep_hooks_look_at_clock();
	enter();
	bytes = find_size(attributes, &detached);
	if (bytes)
		stack = seep_stacks_begin(seep_holding_site(SEEP_MEMORY_STACK, frame), bytes,
					  detached,
					  task);
	leave();
	errno = saved;
	return stack;
}

static void undo(struct seep_stack_held *stack)
{
	enter();
	seep_stacks_undo(stack);
	leave();
}

static __attribute__((noinline)) struct seep_stacks_task take_task(void *stack)
{
	struct seep_stacks_task task;

	enter();
	task = seep_stacks_start(stack);
	leave();
	return task;
}

static void *run(void *stack)
{
	struct seep_stacks_task task = take_task(stack);

	return task.start.posix(task.argument);
}

static int run_c11(void *stack)
{
	struct seep_stacks_task task = take_task(stack);

	return task.start.c11(task.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
		   void *argument)
{
	struct seep_stacks_task task = {.start.posix = start, .argument = argument};
	struct seep_stack_held *stack;
	int failure;

	if (!seep_real_ready())
		return EAGAIN;
	if (is_outside() || seep_real_map_is_allocator(CALLER) ||
	    !(stack = begin(attributes, &task, HERE)))
		return seep_real_map.create(thread, attributes, start, argument);
	failure = seep_real_map.create(thread, attributes, run, stack);
	if (failure)
		undo(stack);
	return failure;
}

int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	struct seep_stacks_task task = {.start.c11 = start, .argument = argument};
	struct seep_stack_held *stack;
	int result;

	if (!seep_real_ready())
		return thrd_error;
	if (is_outside() || seep_real_map_is_allocator(CALLER) ||
	    !(stack = begin(NULL, &task, HERE)))
		return seep_real_map.create_c11(thread, start, argument);
	result = seep_real_map.create_c11(thread, run_c11, stack);
	if (result != thrd_success)
		undo(stack);
	return result;
}

static void joined(pthread_t thread, const void *frame)
{
	int saved = errno;

	if (is_outside())
		return;
	seep_hooks_look_at_clock();
	enter();
	seep_stacks_joined(thread, frame);
	leave();
	errno = saved;
}

/* The same for all functions that join. */
#define JOIN(thread, call)                       \
	do {                                     \
		int result_;                     \
		if (!seep_real_ready())          \
			return EINVAL;           \
		result_ = (call);                \
		if (!result_)                    \
			joined((thread), HERE);  \
		return result_;                  \
	} while (0)

int pthread_join(pthread_t thread, void **result)
{
	JOIN(thread, seep_real_map.join(thread, result));
}

int pthread_tryjoin_np(pthread_t thread, void **result)
{
	JOIN(thread, seep_real_map.tryjoin(thread, result));
}

int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
	JOIN(thread, seep_real_map.timedjoin(thread, result, until));
}

int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
			 const struct timespec *until)
{
	JOIN(thread, seep_real_map.clockjoin(thread, result, clock, until));
}

int thrd_join(thrd_t thread, int *result)
{
	JOIN(thread, seep_real_map.join_c11(thread, result));
}

/* Comes before the real detach: after it, a new thread may have the same pthread_t. */
static void detach(pthread_t thread, const void *frame)
{
	int saved = errno;

	if (is_outside())
		return;
	enter();
	seep_stacks_detach(thread, frame);
	leave();
	errno = saved;
}

int pthread_detach(pthread_t thread)
{
	if (!seep_real_ready())
		return EINVAL;
	detach(thread, HERE);
	return seep_real_map.detach(thread);
}

int thrd_detach(thrd_t thread)
{
	if (!seep_real_ready())
		return thrd_error;
	detach(thread, HERE);
	return seep_real_map.detach_c11(thread);
}
