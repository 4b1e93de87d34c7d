/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What seep watch prints, and adds to the trace, at the end. */
#ifndef SEEP_CLI_WATCH_WATCH_TELL_H
#define SEEP_CLI_WATCH_WATCH_TELL_H

#include "cli/watch/watch_events.h"
#include "cli/watch/watch_trace.h"
#include "os/tool/tree.h"

/* Adds notes to the trace: the cost of watching, and what could not be read. */
void seep_watch_tell_trace(struct seep_watch_trace *trace, const struct seep_tree *tree,
			   const struct seep_watch_events *events, int64_t wall_ns, int64_t cpu_ns);

/* Prints the final memory use, then the verdict, to stderr. */
void seep_watch_tell(const struct seep_watch_trace *trace, const struct seep_tree_sum *sum,
		     struct seep_err *err);

#endif
