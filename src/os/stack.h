/* SPDX-License-Identifier: MIT */
/*
 * How far a stack reaches upwards, so that a walk never reads past its end.
 */
#ifndef SEEP_OS_STACK_H
#define SEEP_OS_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct seep_stack_bounds {
	uintptr_t low, high;
};

/*
 * The calling thread's own stack; cheap.  True if the lower end is exact, so that nothing
 * else lies within the bounds; otherwise the real lower end may be higher.
 */
bool seep_stack_own(struct seep_stack_bounds *bounds);

/* Any other stack (a coroutine's, a signal handler's): the mapping that holds sp. */
bool seep_stack_find(uintptr_t sp, struct seep_stack_bounds *bounds);

#endif
