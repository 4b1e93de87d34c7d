/* SPDX-License-Identifier: MIT */
/*
 * Python's memory: either its allocators are hooked, or it is told to use malloc.
 *
 *	SEEP_PYTHONMALLOC=1    seep run has set PYTHONMALLOC=malloc, not the user
 */
#ifndef SEEP_RECORD_HEAP_HOOK_PYMEM_H
#define SEEP_RECORD_HEAP_HOOK_PYMEM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Finds out whether the program is a Python whose allocators can be hooked.  True: text, for a
 * note in the trace, says why not.
 */
bool seep_pymem_decide(char *text, size_t room);

/*
 * Hooks them if that was decided, and takes PYTHONMALLOC out of the environment.  Only for the
 * constructor: the environment may be locked where malloc is called.
 */
void seep_pymem_begin(void);

/* entry_pymem.c: the hooks take the place of the interpreter's functions. */
void seep_pymem_put_in_front(void);

#endif
