/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program under seep run.  The child is forked first and waits, so that its pid can be part
 * of the trace's name.  Then it is released and calls exec.
 *
 * The program gets the signal mask and dispositions that seep itself was started with.  While it
 * runs, seep ignores signals from the terminal (the program receives these as well) and forwards
 * signals that other processes send to seep.
 *
 * After the fork, seep ignores SIGPIPE for good.  Messages about the program go to stderr, and
 * the exit status must not depend on whether anything reads them.
 */
#ifndef SEEP_CLI_RUN_RUN_CHILD_H
#define SEEP_CLI_RUN_RUN_CHILD_H

#include "base/err.h"
#include "cli/lines/lines.h"
#include "cli/profiler/run_profiler.h"
#include "cli/run/run_samples.h"
#include "cli/run/run_strays.h"
#include "cli/run/run_trace.h"
#include "trace/format.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct seep_child_plan {
	const char *path;        /* the file to execute */
	char **argv;
	const char *library;     /* to preload; NULL: leave the environment unchanged */
	struct seep_profiler *profiler; /* preloaded instead of library; NULL: none */
	size_t dump_from;        /* first event at whose end the heap is dumped */
	size_t dump_until;       /* last such event; 0: no limit */
	size_t dump_period;      /* events from one dump to the next; 0: no dumps */
	bool keep_pools;         /* see --keep-pools */
	bool collect;            /* see --collect */
	bool no_python;          /* see --python */
	bool has_pools;          /* see --alloc-fn */
	const char *entries;     /* functions to follow, for SEEP_ENTRY; NULL: none */
	const char *follow;      /* names of child programs to track, or NULL */
	int64_t sample_bytes;    /* mean bytes per sample; 0: track every block */
	size_t probe_event;      /* probe the allocator after this event; 0: at the end */
	bool no_probe;
	int64_t overhead_bytes;  /* the tracker's memory limit; 0: none */
	int64_t calibrate_bytes; /* the most to leak on purpose; 0: no calibration */
	int64_t calibrate_level; /* leak per event; 0: chosen from the noise */
	int64_t calibrate_block; /* events with the same leak; 0: the default */
	const struct seep_lines *lines; /* reads the program's output; NULL: nothing does */
};

struct seep_child {
	pid_t pid;
	const struct seep_lines *lines; /* as in the plan */
	int go_fd;               /* the trace's path is sent through here */
	int failure_fd;          /* receives errno if exec fails */
	sigset_t watched;        /* signals that are blocked and waited for */
	sigset_t old_mask;
	struct sigaction old_chld;
	int status;              /* from waitpid; set by seep_child_wait */
	struct seep_run_samples samples; /* likewise; the caller releases them */
};

/* Whether SEEP_DISABLE is set: run the program as if seep were not there. */
bool seep_child_is_disabled(void);

int seep_child_fork(struct seep_child *child, const struct seep_child_plan *plan,
		    struct seep_err *err);

/* Lets the child call exec.  If that fails, returns -errno, and the child has been reaped. */
int seep_child_release(struct seep_child *child, const char *command,
		       const struct seep_run_trace *trace, struct seep_err *err);

/* Ends a child that was forked but not released. */
void seep_child_cancel(struct seep_child *child);

/*
 * Waits until the program ends.  Meanwhile, counts the time slices in the header, takes samples,
 * looks for strays and, if live, draws a status line on stderr.
 */
void seep_child_wait(struct seep_child *child, struct seep_run_trace *trace, bool live,
		     struct seep_strays *strays);

/*
 * For callers that have work to do in between: waits until the program ends or the monotonic
 * clock reaches until_ns.  Returns true once the program has ended and status is set; do not
 * call it again after that.
 */
bool seep_child_wait_until(struct seep_child *child, int64_t until_ns);

/* The pools that are tracked or turned off: "Python, NAME=value, NAME=value". */
void seep_child_pools(char *text, size_t room);

#endif
