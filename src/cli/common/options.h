/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values of options: sizes, durations, numbers. */
#ifndef SEEP_CLI_COMMON_OPTIONS_H
#define SEEP_CLI_COMMON_OPTIONS_H

#include "analyse/gate/budget.h"
#include "base/err.h"
#include "trace/format.h"

#include <stddef.h>
#include <stdint.h>

/*
 * "2GB" (1000), "2GiB" (1024), "512", "1.5MB"; k, M, G, T alone are SI.  The message
 * names the option and gives examples such as "500MB or 2GiB".
 */
int seep_options_size(const char *option, const char *text, const char *examples, int64_t *bytes,
		      struct seep_err *err);

/* "64kB/event", "2.5 MiB/s", "64kB" (per event), "0". */
int seep_options_budget(const char *option, const char *text, struct seep_budget *budget,
			struct seep_err *err);

/* A size, or a percentage of the whole such as "10%". */
int seep_options_share(const char *option, const char *text, int64_t whole, int64_t *bytes,
		       struct seep_err *err);

/* "100ms", "1s", "250us", "2m", "1h"; a number alone is refused. */
int seep_options_duration(const char *text, int64_t *ns, struct seep_err *err);

/* "api" or "time:100ms": whether time slices are events, and how long they are. */
int seep_options_event(const char *text, enum seep_trace_ticks *ticks, int64_t *tick_ns,
		       struct seep_err *err);

/* A whole number, 1 or more.  The message calls it what: "event number", "number of events". */
int seep_options_count(const char *text, const char *what, size_t *count, struct seep_err *err);

/* How many letters must change to turn one word into the other; for "did you mean". */
size_t seep_options_distance(const char *a, const char *b);

/*
 * Setters for option tables.  The fields of limit and unit are int64_t, that of material is
 * double, those of event_number and events are size_t, those of trace and output const char *.
 */
int seep_options_set_limit(void *field, const char *value, struct seep_err *err);
int seep_options_set_unit(void *field, const char *value, struct seep_err *err);
int seep_options_set_material(void *field, const char *value, struct seep_err *err);
int seep_options_set_event_number(void *field, const char *value, struct seep_err *err);
int seep_options_set_events(void *field, const char *value, struct seep_err *err);

/* Where a trace goes.  It cannot go to standard output, "-". */
int seep_options_set_trace(void *field, const char *value, struct seep_err *err);

/* Where other output goes; NULL for "-", standard output. */
int seep_options_set_output(void *field, const char *value, struct seep_err *err);

/* For -f in commands that replace files in any case. */
int seep_options_ignore(void *field, const char *value, struct seep_err *err);

/* The usual values, for completion; NULL after the last. */
const char *seep_options_unit_value(size_t i);
const char *seep_options_event_value(size_t i);

#endif
