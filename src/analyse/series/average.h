/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long series are averaged into fewer rows before they are fitted. */
#ifndef SEEP_ANALYSE_SERIES_AVERAGE_H
#define SEEP_ANALYSE_SERIES_AVERAGE_H

#include <stddef.h>

/* How many rows n values make if there may be no more than most. */
size_t seep_average_count(size_t n, size_t most);

/*
 * Each row is the mean of its values, less the first value of all.  The numbers of values per
 * row differ by 1 at most.  from == NULL stands for a series of ones.
 */
void seep_average_rows(double *to, size_t rows, const double *from, size_t n);

#endif
