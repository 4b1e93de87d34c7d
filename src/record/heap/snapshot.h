/* SPDX-License-Identifier: MIT */
/*
 * Snapshots: the survivors by site and birth event, and what died, written
 * into the trace.  The only thing per site that ever leaves the process.
 */
#ifndef SEEP_RECORD_HEAP_SNAPSHOT_H
#define SEEP_RECORD_HEAP_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

/* The recording is held.  final: the program ends. */
void seep_snapshot_write(bool final);

/*
 * Writes one if it is time: when the time since the first event has become a
 * tenth longer (more, if snapshots are large), or the number of events has
 * doubled, and never so often that it takes more than a fiftieth of the time.  So
 * a run that was killed, or that freed everything before it ended, has one from
 * near its end, and the number of snapshots grows with the logarithm of the run.
 */
void seep_snapshot_consider(int64_t now);

#endif
