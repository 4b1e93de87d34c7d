/* SPDX-License-Identifier: MIT */
/* Hands on what the stamps and the recording report (record/heap.h) to the parts of the tracker. */
#ifndef SEEP_RECORD_HEAP_HOOK_TRACKER_H
#define SEEP_RECORD_HEAP_HOOK_TRACKER_H

#include "record/schedule.h"

/* The events at whose end a periodic snapshot is wanted.  Called once, at the start. */
void seep_tracker_set_schedule(const struct seep_schedule *wanted);

#endif
