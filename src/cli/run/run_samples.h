/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program as seep run sees it from outside, once per time slice: memory, threads, open
 * descriptors.  This works even while the program is idle, when the tracker inside it does not
 * run.  The samples stay in memory until the program has ended.  When there are too many, every
 * other one is dropped, and from then on samples are taken half as often.
 */
#ifndef SEEP_CLI_RUN_RUN_SAMPLES_H
#define SEEP_CLI_RUN_RUN_SAMPLES_H

#include "trace/writer.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct seep_run_samples {
	pid_t pid;
	int fd;                  /* of /proc/PID/status; -1: not open */
	struct seep_rec_sample *items; /* NULL: out of memory, no samples are taken */
	size_t n;
	int64_t period_ns;
	int64_t due_ns;          /* next sample, on the monotonic clock */
	int64_t count_due_ns;    /* likewise, for the next count of descriptors */
};

void seep_run_samples_begin(struct seep_run_samples *samples, pid_t pid,
			    const struct seep_trace_header *header);

/* Takes a sample if one is due. */
void seep_run_samples_look(struct seep_run_samples *samples,
			   const struct seep_trace_header *header, int64_t now_ns);

/* Appends the samples after the program has ended.  If that fails, the trace has none. */
void seep_run_samples_append(const struct seep_run_samples *samples, struct seep_writer *writer);

void seep_run_samples_release(struct seep_run_samples *samples);

#endif
