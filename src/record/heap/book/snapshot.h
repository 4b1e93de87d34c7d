/* SPDX-License-Identifier: MIT */
/*
 * Snapshots: the survivors by site and birth event, and what died, written
 * into the trace.  Nothing else about sites leaves the process.
 */
#ifndef SEEP_RECORD_HEAP_BOOK_SNAPSHOT_H
#define SEEP_RECORD_HEAP_BOOK_SNAPSHOT_H

#include "trace/format.h"

#include <stdint.h>

/* The recording is held.  why: SEEP_SNAPSHOT_*; a periodic one leaves sites out. */
void seep_snapshot_write(uint16_t why);

struct seep_snapshot_past {
	uint64_t ordinal;        /* of the last one */
	int64_t last_ns;         /* its end; 0: none yet in this trace */
	int64_t cost_ns;         /* of all, without the definitions, which come only once */
	int64_t bytes;           /* of the last, likewise */
};

struct seep_snapshot_past seep_snapshot_past(void);

#endif
