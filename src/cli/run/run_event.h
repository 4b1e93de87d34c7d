/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --event SOURCE: what counts as an event.
 *
 *	api             calls of seep_event_begin
 *	time:DURATION   slices of time
 *	PREFIX:TEXT     an entry of the table in run_event.c, such as call:accept
 *
 * The number and text of the source are written into the header of the trace; a source may pass
 * more to the tracker through the environment.  Until its first event, events are time slices.
 */
#ifndef SEEP_CLI_RUN_RUN_EVENT_H
#define SEEP_CLI_RUN_RUN_EVENT_H

#include "base/err.h"
#include "trace/format.h"

#include <stddef.h>
#include <stdint.h>

struct seep_run_event {
	const char *typed;       /* NULL: not given */
	const char *text;        /* what follows the prefix */
	enum seep_trace_source source;
	enum seep_trace_ticks ticks; /* whether events are time slices */
	int64_t tick_ns;
};

/* The option-table setter for --event; the field is a struct seep_run_event. */
int seep_run_event_set(void *field, const char *value, struct seep_err *err);

/* The values that a shell completes; NULL after the last. */
const char *seep_run_event_value(size_t i);

/* Fills the fields of the header that say what an event is. */
void seep_run_event_describe(const struct seep_run_event *event, struct seep_trace_header *header);

#endif
