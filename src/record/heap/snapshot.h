/* SPDX-License-Identifier: MIT */
/*
 * Snapshots: the survivors by site and birth event, and what died, written
 * into the trace.  The only thing per site that ever leaves the process.
 */
#ifndef SEEP_RECORD_HEAP_SNAPSHOT_H
#define SEEP_RECORD_HEAP_SNAPSHOT_H

#include <stdint.h>

/* The recording is held.  flags: SEEP_SNAPSHOT_*. */
void seep_snapshot_write(uint16_t flags);

/*
 * Writes one if it is time: a second after the start at the earliest, then when
 * the run has become a tenth longer, and never so often that it takes more than
 * a fiftieth of the time.  A trace of a run that was killed is a tenth short at
 * most, and the number of snapshots grows with the logarithm of the run.
 */
void seep_snapshot_consider(void);

#endif
