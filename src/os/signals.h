/* SPDX-License-Identifier: MIT */
/* Signals, for code that calls into an allocator from somebody else's thread. */
#ifndef SEEP_OS_SIGNALS_H
#define SEEP_OS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Blocks all signals except those that an instruction raises; before: the mask to restore. */
void seep_signals_hold(sigset_t *before);
void seep_signals_release(const sigset_t *before);

/*
 * Whether the thread may be inside a signal handler, which may have interrupted the
 * allocator.  Says yes if in doubt.  On architectures other than x86-64 it finds only handlers
 * that run on an alternate stack.
 */
bool seep_signals_may_handle(void);

#endif
