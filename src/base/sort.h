/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stable sorting: what compares equal keeps its order, which qsort does not
 * promise.  What is sorted already costs one pass and no memory.
 */
#ifndef SEEP_BASE_SORT_H
#define SEEP_BASE_SORT_H

#include "base/arena.h"

/* Needs as much memory again, from scratch, if there is something to move. */
void seep_sort_stable(void *items, size_t n, size_t size,
		      int (*compare)(const void *a, const void *b), struct seep_arena *scratch);

#endif
