/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The part of the trace that seep run writes.  seep run creates the file before the program
 * starts and writes what only it knows (command, limits).  While the program runs, seep run and
 * the recorder share the header in memory.  At the end, seep run adds how the program ended.
 */
#ifndef SEEP_CLI_RUN_RUN_TRACE_H
#define SEEP_CLI_RUN_RUN_TRACE_H

#include "base/err.h"
#include "cli/run/run_event.h"
#include "cli/run/run_samples.h"
#include "os/shared.h"
#include "trace/told.h"
#include "trace/writer.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SEEP_RUN_NOTES 4

struct seep_run_trace {
	char path[PATH_MAX];     /* absolute */
	const char *name;        /* as the user would type it; points into path, or is -o */
	struct seep_writer writer;
	char share[SEEP_SHARED_NAME_MAX]; /* name of its header in memory; empty: not shared */
	struct seep_pending *pending; /* records that wait; NULL: not shared */
	struct seep_told *told;  /* events seen from outside; NULL: none, or not shared */
	const char *notes[SEEP_RUN_NOTES]; /* to be written at the end; NULL: none */
	bool drains;             /* they are written by seep run, see run_pending.h */
	int64_t published_ns;    /* when it last copied the header into the file */
	bool lost;               /* the file is no longer the one that was made; set at the end */
	int64_t started_real_ns;
	uint64_t events;         /* in the run; set at the end */
	uint32_t follow_begun;   /* child programs to follow; set at the end */
	uint32_t followed;       /* traces that they tried to create; set at the end */
};

/* What the user requested. */
struct seep_run_trace_plan {
	const char *output;      /* -o; NULL: make a name from command and pid */
	bool replace;            /* -f */
	char **command;
	const char *exe;
	int64_t limit_bytes;     /* --limit, or 0 */
	struct seep_run_event event;
	bool collect;            /* see --collect */
	uint32_t follow_max;     /* most traces of child programs; 0: do not follow */
	pid_t watched;           /* a running process; its limits count.  0: those of seep */
	int64_t watched_bytes;   /* its memory use */
};

/* Checks that the file can be created, before the program is forked. */
int seep_run_trace_check(const struct seep_run_trace_plan *plan, struct seep_err *err);

int seep_run_trace_create(struct seep_run_trace *trace, const struct seep_run_trace_plan *plan,
			  pid_t pid, struct seep_err *err);

/* From now on the header is in memory that a recorder may share. */
void seep_run_trace_share(struct seep_run_trace *trace);

/* Removes the trace because the program never ran. */
void seep_run_trace_discard(struct seep_run_trace *trace);

/*
 * Adds how the program ended (wait_status is from waitpid) and the samples.  Returns the state
 * that the recorder left.
 */
enum seep_trace_state seep_run_trace_finish(struct seep_run_trace *trace, int wait_status,
					    const struct seep_run_samples *samples);

/* Whether the path now leads to another file, or to none. */
bool seep_run_trace_is_replaced(const struct seep_run_trace *trace);

/* Sets the error for a trace that was lost; returns -errno. */
int seep_run_trace_refuse(const struct seep_run_trace *trace, struct seep_err *err);

/*
 * Writes the current limits of a running process (0: of this one); own_bytes is how much of the
 * memory in use belongs to it.  Returns 0 or -errno.
 */
int seep_run_trace_limits(struct seep_run_trace *trace, pid_t pid, int64_t own_bytes,
			  uint16_t flags);

/* Adds only how the program ended. */
int seep_run_trace_exit(struct seep_run_trace *trace, int64_t t_ns, int wait_status);

#define SEEP_RUN_CHILDREN 512

/* Child processes with their own traces: NAME.PID, next to the program's trace NAME. */
struct seep_run_children {
	size_t n;
	uint64_t pids[SEEP_RUN_CHILDREN]; /* the smallest ones, in ascending order */
};

/* Finds them next to the trace name, for a run that started at this time. */
void seep_run_trace_children(const char *name, int64_t started_real_ns,
			     struct seep_run_children *children);

#endif
