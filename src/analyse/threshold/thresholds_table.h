/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thresholds as data: only in a build with SEEP_SENSITIVITY, for tests/score. */
#ifndef SEEP_ANALYSE_THRESHOLD_THRESHOLDS_TABLE_H
#define SEEP_ANALYSE_THRESHOLD_THRESHOLDS_TABLE_H

#include <stddef.h>

struct seep_threshold {
	const char *name, *unit, *meaning, *measured;
	double *real;            /* the variable; NULL for a whole number */
	unsigned int *count;     /* likewise; NULL for a real one */
};

/* Each is on a page of its own, so that one can find out whether a verdict has read it. */
#define SEEP_THRESHOLD_PAGE 4096

extern const struct seep_threshold seep_thresholds[] __attribute__((weak));
extern const size_t seep_n_thresholds __attribute__((weak));

#endif
