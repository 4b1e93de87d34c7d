/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What seep watch says and writes down when it is over. */
#ifndef SEEP_CLI_WATCH_WATCH_TELL_H
#define SEEP_CLI_WATCH_WATCH_TELL_H

#include "cli/watch/watch_events.h"
#include "cli/watch/watch_trace.h"
#include "os/tool/tree.h"

/* What it cost, and what could not be seen: notes of the trace. */
void seep_watch_tell_trace(struct seep_watch_trace *trace, const struct seep_tree *tree,
			   const struct seep_watch_events *events, int64_t wall_ns, int64_t cpu_ns);

/* How much it was in the end, then the verdict, on stderr. */
void seep_watch_tell(const struct seep_watch_trace *trace, const struct seep_tree_sum *sum,
		     struct seep_err *err);

#endif
