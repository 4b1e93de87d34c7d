/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which thresholds a verdict has read.  The verdict depends on no others, and most of the time
 * these are most of them, so that it need not be asked again at their other values.
 *
 * Their pages are made inaccessible, and the first access to each of them is noted.
 */
#ifndef SEEP_TESTS_SCORE_READS_H
#define SEEP_TESTS_SCORE_READS_H

#include "analyse/threshold/thresholds_table.h"

#include <stdbool.h>

void reads_start(void);
void reads_end(void);

/* Between the last start and its end. */
bool reads_has(const struct seep_threshold *threshold);

#endif
