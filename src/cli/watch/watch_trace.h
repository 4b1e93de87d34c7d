/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is seen from outside, as a trace like any other: a sample is an event, and what it
 * knows beside its memory are gauges.  Where a file tells how many events the program has done, the
 * samples are numbered by that.  A long watch writes ever fewer of its samples.
 */
#ifndef SEEP_CLI_WATCH_WATCH_TRACE_H
#define SEEP_CLI_WATCH_WATCH_TRACE_H

#include "cli/run/run_trace.h"
#include "os/tool/tree.h"
#include "trace/thinning.h"

struct seep_watch_sample {
	int64_t at_ns;           /* on the monotonic clock */
	struct seep_tree_sum sum;
	bool counted;            /* it is known how many events the program had done: */
	int64_t done;
};

struct seep_watch_trace {
	struct seep_run_trace file;
	uint64_t samples;        /* so far */
	bool counted;            /* samples are numbered by the events of the program */
	uint64_t base;           /* samples before that */
	int64_t first_done, last_done; /* events of the program */
	struct seep_thinning thin; /* which samples are written */
};

int seep_watch_trace_create(struct seep_watch_trace *trace, const struct seep_run_trace_plan *plan,
			    pid_t pid, struct seep_err *err);

/* 0 or -errno: then nothing is written any more. */
int seep_watch_trace_add(struct seep_watch_trace *trace, const struct seep_watch_sample *sample);

void seep_watch_trace_note(struct seep_watch_trace *trace, const char *text, int64_t now_ns);

#endif
