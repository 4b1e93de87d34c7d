/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A status line about a running program: redrawn regularly and erased at the end. */
#ifndef SEEP_CLI_RUN_RUN_LIVE_H
#define SEEP_CLI_RUN_RUN_LIVE_H

#include "cli/lines/lines_status.h"
#include "trace/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct seep_run_live {
	pid_t pid;
	bool wanted;
	bool drawn;
	bool has_warned;         /* see run_lines.h */
	struct seep_lines_status *terminal; /* who else writes there; NULL: nobody tells */
	int64_t due_ns;          /* next redraw, on the monotonic clock */
};

/* Draws only if wanted and stderr is a terminal. */
void seep_live_init(struct seep_run_live *live, pid_t pid, bool wanted);

/* Returns whether a line is due.  If so, the previous one has been erased. */
bool seep_run_live_begin(struct seep_run_live *live, int64_t now_ns);

/* As much of the text as one row of the terminal holds: a line that wraps cannot be erased. */
void seep_run_live_put(const char *text);

void seep_run_live_draw(struct seep_run_live *live, const struct seep_trace_header *header,
			int64_t now_ns);
void seep_run_live_erase(struct seep_run_live *live);

#endif
