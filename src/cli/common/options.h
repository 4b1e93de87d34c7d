/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several commands parse: sizes, durations, numbers, and wrong options. */
#ifndef SEEP_CLI_COMMON_OPTIONS_H
#define SEEP_CLI_COMMON_OPTIONS_H

#include "analyse/gate/budget.h"
#include "base/err.h"
#include "trace/format.h"

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>

/*
 * "2GB" (1000), "2GiB" (1024), "512", "1.5MB"; k, M, G, T alone are SI.  The message
 * names the option, and examples such as "500MB or 2GiB".
 */
int seep_options_size(const char *option, const char *text, const char *examples, int64_t *bytes,
		      struct seep_err *err);

/* What counts as material: a size, or 0 for the default. */
int seep_options_material(const char *text, double *bytes, struct seep_err *err);

/* "64kB/event", "2.5 MiB/s", "64kB" (per event), "0". */
int seep_options_budget(const char *option, const char *text, struct seep_budget *budget,
			struct seep_err *err);

/* "KiB", "kB", "MB", "B", or a number of bytes: what memory is counted in. */
int seep_options_unit(const char *text, int64_t *bytes, struct seep_err *err);

/* A size, or a part of the whole such as "10%". */
int seep_options_share(const char *option, const char *text, int64_t whole, int64_t *bytes,
		       struct seep_err *err);

/* "100ms", "1s", "250us", "2m", "1h"; a number alone is refused. */
int seep_options_duration(const char *text, int64_t *ns, struct seep_err *err);

/* "api" or "time:100ms": whether time slices are events, and how long they are. */
int seep_options_event(const char *text, enum seep_trace_ticks *ticks, int64_t *tick_ns,
		       struct seep_err *err);

/* A whole number from 1 on; what names it in the message. */
int seep_options_count(const char *text, const char *what, size_t *count, struct seep_err *err);

/*
 * Says what getopt_long did not like, and which of the known options is like it;
 * answer is what it returned, '?' or ':'.
 */
int seep_options_refuse(int answer, char **argv, const struct option *known,
			struct seep_err *err);

/* How many letters must change to make one word of the other; for "did you mean". */
size_t seep_options_distance(const char *a, const char *b);

#endif
