/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program as seep run sees it from outside, in each slice of time: memory, threads, open
 * descriptors.  It tells of a program that does nothing as well, which the tracker inside it
 * cannot do.  Kept in memory until the program has ended; in a long run every other sample is
 * dropped whenever there are too many, and they come half as often from there on.
 */
#ifndef SEEP_CLI_RUN_RUN_SAMPLES_H
#define SEEP_CLI_RUN_RUN_SAMPLES_H

#include "trace/writer.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct seep_run_samples {
	pid_t pid;
	int fd;                  /* of its status; -1: not open */
	struct seep_rec_sample *items; /* NULL: no memory for them, and nothing is done */
	size_t n;
	int64_t period_ns;
	int64_t due_ns;          /* on the monotonic clock */
	int64_t count_due_ns;    /* likewise, of the next count of descriptors */
};

void seep_run_samples_begin(struct seep_run_samples *samples, pid_t pid,
			    const struct seep_trace_header *header);

/* Takes one if it is time for it. */
void seep_run_samples_look(struct seep_run_samples *samples,
			   const struct seep_trace_header *header, int64_t now_ns);

/* The program has ended.  A trace that cannot take them goes without. */
void seep_run_samples_append(const struct seep_run_samples *samples, struct seep_writer *writer);

void seep_run_samples_release(struct seep_run_samples *samples);

#endif
