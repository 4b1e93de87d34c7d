/* SPDX-License-Identifier: MIT */
/*
 * The names of stamps, counters and gauges: each is written into the trace the
 * first time it is used, and is a number from then on.
 *
 * The recording is held by the caller of seep_names_id.
 */
#ifndef SEEP_RECORD_NAMES_H
#define SEEP_RECORD_NAMES_H

#include <stdint.h>

#define SEEP_NAMES_MAX 4097u /* ids, 0 among them */

/*
 * The id of a name, from 1 on; 0 when the table is full or the name empty.  A
 * ':' and control characters become '_': they would break the files that seep exports.
 */
uint32_t seep_names_id(const char *name);

#endif
