/* SPDX-License-Identifier: MIT */
/* What begins the events of this process: the calls of seep.h, or what seep run --event names. */
#ifndef SEEP_RECORD_EVENT_SOURCE_H
#define SEEP_RECORD_EVENT_SOURCE_H

#include "trace/format.h"

/* shared: the header that seep run shares, or NULL.  It must stay where it is. */
void seep_event_source_share(const struct seep_trace_header *shared);

/* Writes the source into the header of a trace of this process. */
void seep_event_source_describe(struct seep_trace_header *header);

enum seep_trace_source seep_event_source_get(void);

/* --event as typed; empty if there is none. */
const char *seep_event_source_text(void);

/* Whether seep run's time slices are events. */
enum seep_trace_ticks seep_event_source_ticks(void);

#endif
