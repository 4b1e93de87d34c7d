/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stable sorting: items that compare equal keep their order, which qsort does not promise.  An
 * array that is already sorted costs one pass and no memory.
 */
#ifndef SEEP_BASE_SORT_H
#define SEEP_BASE_SORT_H

#include "base/arena.h"

/* Takes a copy of the array from scratch, unless the array is already sorted. */
void seep_sort_stable(void *items, size_t n, size_t size,
		      int (*compare)(const void *a, const void *b), struct seep_arena *scratch);

#endif
