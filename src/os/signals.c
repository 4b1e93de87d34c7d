/* SPDX-License-Identifier: MIT */
#include "os/signals.h"

#include "os/stack.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SCANNED_MAX ((uintptr_t)16 << 20)

void seep_signals_hold(sigset_t *before)
{
	static const int raised[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP };
	sigset_t signals;
	size_t i;

	sigfillset(&signals);
	for (i = 0; i < sizeof(raised) / sizeof(raised[0]); i++)
		sigdelset(&signals, raised[i]);
	pthread_sigmask(SIG_BLOCK, &signals, before);
}

void seep_signals_release(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

#ifdef __x86_64__

/* As the kernel has it: where a handler returns to, which the C library hides. */
struct action {
	void (*handler)(int);
	unsigned long flags;
	uintptr_t restorer;
	uint64_t mask;
};

/* 0 where the signal has no handler. */
static uintptr_t find_restorer(int number)
{
	struct action action;

	if (syscall(SYS_rt_sigaction, number, NULL, &action, sizeof(action.mask)) ||
	    action.handler == SIG_DFL || action.handler == SIG_IGN)
		return 0;
	return action.restorer;
}

/* Whether it lies in the frame at that address, or in one that called it. */
__attribute__((no_sanitize("address"))) static bool is_on_stack(uintptr_t word, uintptr_t at)
{
	struct seep_stack_bounds bounds;

	if (!seep_stack_find(at, &bounds))
		return true;
	if (bounds.high - at > SCANNED_MAX)
		bounds.high = at + SCANNED_MAX;
	for (; at + sizeof(at) <= bounds.high; at += sizeof(at))
		if (*(const volatile uintptr_t *)at == word)
			return true;
	return false;
}

/* Most programs have one restorer for all signals. */
static bool is_called_back(uintptr_t frame)
{
	uintptr_t last = 0;
	int number;

	for (number = 1; number <= SIGRTMAX; number++) {
		uintptr_t restorer = find_restorer(number);

		if (!restorer || restorer == last)
			continue;
		if (is_on_stack(restorer, frame))
			return true;
		last = restorer;
	}
	return false;
}

#else

static bool is_called_back(uintptr_t frame)
{
	(void)frame;
	return false;
}

#endif

bool seep_signals_may_handle(void)
{
	int saved = errno;
	stack_t stack;
	bool handles = (!sigaltstack(NULL, &stack) && stack.ss_flags & SS_ONSTACK) ||
		       is_called_back((uintptr_t)__builtin_frame_address(0));

	errno = saved;
	return handles;
}
