/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the samples of seep watch as an ordinary trace.  Each sample is an event; what
 * is known besides the memory becomes gauges.  If a file says how many events the program has
 * processed, that number becomes the number of the sample.  The longer the watch, the smaller
 * the share of the samples that is written.
 */
#ifndef SEEP_CLI_WATCH_WATCH_TRACE_H
#define SEEP_CLI_WATCH_WATCH_TRACE_H

#include "cli/run/run_trace.h"
#include "os/tool/tree.h"
#include "trace/thinning.h"

struct seep_watch_sample {
	int64_t at_ns;           /* on the monotonic clock */
	struct seep_tree_sum sum;
	bool counted;            /* done is valid */
	int64_t done;            /* events that the program has processed */
};

struct seep_watch_trace {
	struct seep_run_trace file;
	uint64_t samples;        /* so far */
	bool counted;            /* samples are numbered by the program's events */
	uint64_t base;           /* samples taken before counted became true */
	int64_t first_done, last_done; /* the program's events, at the first and last sample */
	struct seep_thinning thin; /* which samples are written */
};

int seep_watch_trace_create(struct seep_watch_trace *trace, const struct seep_run_trace_plan *plan,
			    pid_t pid, struct seep_err *err);

/* Returns 0 or -errno; after an error, nothing more is written. */
int seep_watch_trace_add(struct seep_watch_trace *trace, const struct seep_watch_sample *sample);

void seep_watch_trace_note(struct seep_watch_trace *trace, const char *text, int64_t now_ns);

#endif
