/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What seep run says about the lines that begin events (--event lines: and file:). */
#ifndef SEEP_CLI_RUN_RUN_LINES_H
#define SEEP_CLI_RUN_RUN_LINES_H

#include "base/arena.h"
#include "cli/lines/lines.h"
#include "cli/run/run_child.h"
#include "cli/run/run_event.h"
#include "cli/run/run_live.h"
#include "cli/run/run_trace.h"

/* Opens lines and hands it to the plan, if events are lines. */
int seep_run_lines_open(struct seep_lines *lines, struct seep_child_plan *plan,
			const struct seep_run_event *event, struct seep_err *err);

/* While the program runs: says once that its output comes in bursts. */
void seep_run_lines_warn(const struct seep_lines *lines, struct seep_run_live *live);

/* The program has ended: what a reader of the report must know becomes notes in the trace. */
void seep_run_lines_note(const struct seep_lines *lines, struct seep_run_trace *trace,
			 struct seep_arena *arena);

/* Says on stderr that no line matched, with the last of them, if that is so. */
void seep_run_lines_tell(const struct seep_lines *lines, struct seep_arena *arena);

#endif
