/* SPDX-License-Identifier: MIT */
/* Signals, for code that runs in somebody else's thread. */
#ifndef SEEP_OS_SIGNALS_H
#define SEEP_OS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/*
 * Between the two, this thread runs no signal handler, and cannot be cancelled.  A handler need
 * not return: it may leave by siglongjmp, setcontext or an exception, or end the thread, and a lock
 * that the thread holds would stay locked for ever.  So locks of ours are held only in between.
 * Signals that an instruction raises are not held back; our code raises none.  May be nested.
 * Under a seccomp filter (os/silence.h) nothing is held back.
 */
void seep_signals_hold(void);
void seep_signals_release(void);

/* In a child of fork: the other threads are gone. */
void seep_signals_forked(void);

/*
 * Whether the thread may be inside a signal handler, which may have interrupted the
 * allocator.  Says yes if in doubt.  On architectures other than x86-64 it finds only handlers
 * that run on an alternate stack.
 */
bool seep_signals_may_handle(void);

#endif
