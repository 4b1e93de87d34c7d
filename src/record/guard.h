/* SPDX-License-Identifier: MIT */
/*
 * Whether this thread is inside the recorder.  The previous value is restored on leaving,
 * so that this works in signal handlers too: a handler that interrupts the recorder
 * passes straight through, and is counted.  If the handler never returns, the guard is taken over
 * (seep_heap_take_over).
 */
#ifndef SEEP_RECORD_GUARD_H
#define SEEP_RECORD_GUARD_H

enum seep_guard {
	SEEP_GUARD_OUT = 0,
	SEEP_GUARD_OWN = 1,      /* in our own code */
	SEEP_GUARD_REAL = 2,     /* in the real allocator, which may call our hooks again */
};

extern __thread int seep_guard __attribute__((tls_model("initial-exec")));

#endif
