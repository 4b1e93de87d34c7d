/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the warm-up ends.
 *
 * First uses fill caches, load libraries and grow pools; those increments say
 * nothing about the rate that will kill the run.  MSER (White 1997) drops the
 * first c increments for which the mean of the others is known best.  Its choice
 * is taken if the dropped increments are clearly unlike the others.
 */
#ifndef SEEP_ANALYSE_SERIES_WARMUP_H
#define SEEP_ANALYSE_SERIES_WARMUP_H

#include <stddef.h>

/*
 * How many of n values to drop from the front: at least 1, for the first event
 * always pays for initialisation, and at most half.  A cut of about half means
 * that the series had not settled.
 */
size_t seep_warmup_cut(const double *values, size_t n);

#endif
