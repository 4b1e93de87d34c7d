/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Under a seccomp filter the tracker makes no system call: while the program runs, seep run takes
 * its records out of the memory that they share, and tells it the time (trace/pending.h).
 */
#ifndef SEEP_CLI_RUN_RUN_PENDING_H
#define SEEP_CLI_RUN_RUN_PENDING_H

#include "cli/run/run_trace.h"

#include <stdint.h>

/* The longest time from one look to the next. */
int64_t seep_run_pending_gap(const struct seep_run_trace *trace);

/* Does nothing unless the tracker has handed its records over. */
void seep_run_pending_look(struct seep_run_trace *trace, int64_t now_ns);

#endif
