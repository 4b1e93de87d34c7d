/* SPDX-License-Identifier: MIT */
/* Time slices as events: their numbers in this process, and in the header of its trace. */
#ifndef SEEP_RECORD_SLICES_H
#define SEEP_RECORD_SLICES_H

#include "trace/format.h"

#include <stdbool.h>

/*
 * A program, or a child of fork, begins: slices from before do not count.  wanted: the event clock
 * follows the slices.
 */
void seep_slices_begin(bool wanted);

/* shared: with seep run, or NULL. */
void seep_slices_describe(struct seep_trace_header *header,
			  const struct seep_trace_header *shared, bool wanted);

#endif
