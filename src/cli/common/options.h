/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsers for option values: sizes, durations, numbers. */
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

/* A size, or a percentage of whole, such as "10%". */
int seep_options_share(const char *option, const char *text, int64_t whole, int64_t *bytes,
		       struct seep_err *err);

/* "100ms", "1s", "250us", "2m", "1h"; a number without a unit is an error. */
int seep_options_duration(const char *text, int64_t *ns, struct seep_err *err);

/* "api" or "time:100ms": whether events are time slices, and how long a slice is. */
int seep_options_event(const char *text, enum seep_trace_ticks *ticks, int64_t *tick_ns,
		       struct seep_err *err);

/* An integer >= 1.  what names it in messages: "event number", "number of events". */
int seep_options_count(const char *text, const char *what, size_t *count, struct seep_err *err);

/* The edit distance between two words, for "did you mean". */
size_t seep_options_distance(const char *a, const char *b);

/*
 * Setters for option tables.  The fields are int64_t for limit and unit, double for material,
 * size_t for event_number and events, and const char * for trace and output.
 */
int seep_options_set_limit(void *field, const char *value, struct seep_err *err);
int seep_options_set_unit(void *field, const char *value, struct seep_err *err);
int seep_options_set_material(void *field, const char *value, struct seep_err *err);
int seep_options_set_event_number(void *field, const char *value, struct seep_err *err);
int seep_options_set_events(void *field, const char *value, struct seep_err *err);

/* "end", or an event number; the field is at_event of struct seep_analysis_options. */
int seep_options_set_moment(void *field, const char *value, struct seep_err *err);

/* The path of a trace.  "-" (standard output) is an error. */
int seep_options_set_trace(void *field, const char *value, struct seep_err *err);

/* The path of other output; NULL for "-", standard output. */
int seep_options_set_output(void *field, const char *value, struct seep_err *err);

/* For -f in commands that always replace files. */
int seep_options_ignore(void *field, const char *value, struct seep_err *err);

/* The usual values, for completion; NULL after the last. */
const char *seep_options_unit_value(size_t i);

#endif
