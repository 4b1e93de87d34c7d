/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The trace as seep run makes it: created before the program starts, with what
 * only the outside knows (command, limits), and closed with how it ended.  What changes in its
 * header meanwhile is in memory that is shared with the recorder.
 */
#ifndef SEEP_CLI_RUN_RUN_TRACE_H
#define SEEP_CLI_RUN_RUN_TRACE_H

#include "base/err.h"
#include "cli/run/run_samples.h"
#include "os/shared.h"
#include "trace/writer.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct seep_run_trace {
	char path[PATH_MAX];     /* absolute */
	const char *name;        /* as the user would type it; inside path or given by him */
	struct seep_writer writer;
	char share[SEEP_SHARED_NAME_MAX]; /* name of its header in memory; empty: not shared */
	bool lost;               /* after the end: the file is no longer the one that was made */
	int64_t started_real_ns;
	uint64_t events;         /* after the end: those that the program had */
	uint32_t follow_begun;   /* after the end: programs that were to be followed ... */
	uint32_t followed;       /* ... and the traces they wanted to make */
};

/* What the user asked for. */
struct seep_run_trace_plan {
	const char *output;      /* -o, or NULL for a name made of command and pid */
	bool replace;            /* -f */
	char **command;
	const char *exe;
	int64_t limit_bytes;     /* --limit, or 0 */
	int64_t tick_ns;
	enum seep_trace_ticks ticks; /* whether time slices are events */
	uint32_t follow_max;     /* traces of followed programs at most; 0: none are followed */
	pid_t watched;           /* runs already, and its limits count; 0: those of seep itself */
	int64_t watched_bytes;   /* that it has in memory */
};

/* A setter for option tables: --event; the field is a struct seep_run_trace_plan. */
int seep_run_trace_set_event(void *field, const char *value, struct seep_err *err);

/* Can the file be made at all?  Asked before the program is forked. */
int seep_run_trace_check(const struct seep_run_trace_plan *plan, struct seep_err *err);

int seep_run_trace_create(struct seep_run_trace *trace, const struct seep_run_trace_plan *plan,
			  pid_t pid, struct seep_err *err);

/* From now on the header is in memory that a recorder may share. */
void seep_run_trace_share(struct seep_run_trace *trace);

/* The program never ran: no trace is left behind. */
void seep_run_trace_discard(struct seep_run_trace *trace);

/*
 * Adds how it ended (a status of waitpid), and what was seen of it.  Returns the state that the
 * recorder left.
 */
enum seep_trace_state seep_run_trace_finish(struct seep_run_trace *trace, int wait_status,
					    const struct seep_run_samples *samples);

/* Whether the path leads to another file by now, or to none. */
bool seep_run_trace_is_replaced(const struct seep_run_trace *trace);

/* The error of a trace that was lost; -errno. */
int seep_run_trace_refuse(const struct seep_run_trace *trace, struct seep_err *err);

/*
 * The limits of a process that runs (0: of this one), as they are by now; own_bytes of what
 * is in use are its own.  0 or -errno.
 */
int seep_run_trace_limits(struct seep_run_trace *trace, pid_t pid, int64_t own_bytes,
			  uint16_t flags);

/* Adds only how it ended. */
int seep_run_trace_exit(struct seep_run_trace *trace, int64_t t_ns, int wait_status);

#define SEEP_RUN_CHILDREN 512

/* Children of the program with traces of their own; that of pid is NAME.pid, next to NAME. */
struct seep_run_children {
	size_t n;
	uint64_t pids[SEEP_RUN_CHILDREN]; /* the smallest ones, in order */
};

/* Those beside the trace of that name, of a run that began then. */
void seep_run_trace_children(const char *name, int64_t started_real_ns,
			     struct seep_run_children *children);

#endif
