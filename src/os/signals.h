/* SPDX-License-Identifier: MIT */
/* Signals, for code that calls into an allocator from somebody else's thread. */
#ifndef SEEP_OS_SIGNALS_H
#define SEEP_OS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Holds back all but those that an instruction raises; before: what to give back. */
void seep_signals_hold(sigset_t *before);
void seep_signals_release(const sigset_t *before);

/*
 * Whether the thread may be inside a signal handler, which may have interrupted the
 * allocator.  Says yes where in doubt; where the kernel leaves no mark on the stack,
 * only of handlers that have a stack of their own.
 */
bool seep_signals_may_handle(void);

#endif
