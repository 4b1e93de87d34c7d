/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program under seep run.  It is forked first and waits, so that its trace
 * can carry its pid; then it is released, and exec's.
 *
 * The program gets the signal mask and dispositions that seep itself was given.
 * While it runs, seep ignores what the terminal sends (the program gets that
 * too) and passes on what other processes send to seep.
 *
 * From the fork on seep ignores SIGPIPE, for good: what it says about the program goes to
 * stderr, and whether somebody reads that must not decide on the exit status.
 */
#ifndef SEEP_CLI_RUN_RUN_CHILD_H
#define SEEP_CLI_RUN_RUN_CHILD_H

#include "base/err.h"
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
	const char *library;     /* to preload; NULL: the environment stays as it is */
	struct seep_profiler *profiler; /* preloaded in its place; NULL: none */
	size_t dump_from;        /* the event at the end of which the heap is dumped first, ... */
	size_t dump_until;       /* ... last; 0: there is no last, ... */
	size_t dump_period;      /* ... and how often; 0: not at all */
	bool keep_pools;         /* leave alone what hides memory from malloc */
	const char *follow;      /* names of programs that are tracked if it starts them, or NULL */
	int64_t sample_bytes;    /* per sample; 0: every block is tracked */
	size_t probe_event;      /* behind which the allocator is probed; 0: at the end */
	bool no_probe;
	int64_t overhead_bytes;  /* that the tracker may take; 0: as many as it needs */
	int64_t calibrate_bytes; /* that may be lost on purpose; 0: none */
	int64_t calibrate_level; /* of these, in an event; 0: as many as are needed */
	int64_t calibrate_block; /* events with the same loss; 0: the usual number */
};

struct seep_child {
	pid_t pid;
	int go_fd;               /* the trace's path is sent through here */
	int failure_fd;          /* errno comes back if exec fails */
	sigset_t watched;        /* signals that are blocked and waited for */
	sigset_t old_mask;
	struct sigaction old_chld;
	int status;              /* of waitpid, after seep_child_wait */
	struct seep_run_samples samples; /* likewise; to be released */
};

/* The switch for production: everything as if seep were not there. */
bool seep_child_is_disabled(void);

int seep_child_fork(struct seep_child *child, const struct seep_child_plan *plan,
		    struct seep_err *err);

/* Lets it exec.  -errno of the failed exec, told of the command; then the child is gone. */
int seep_child_release(struct seep_child *child, const char *command,
		       const struct seep_run_trace *trace, struct seep_err *err);

/* Ends a child that was forked but not released. */
void seep_child_cancel(struct seep_child *child);

/*
 * Waits for the end of the program, counts the time slices in the header and takes samples;
 * live draws a line about it on stderr now and then.  strays are looked after.
 */
void seep_child_wait(struct seep_child *child, struct seep_trace_header *header, bool live,
		     struct seep_strays *strays);

/*
 * For those who look at it in between: waits until then, on the monotonic clock, or for the
 * end of the program.  True once it has ended, then status is known; the last call.
 */
bool seep_child_wait_until(struct seep_child *child, int64_t until_ns);

/* Which of the settings that make pools visible the child gets, as "NAME=value NAME=value". */
void seep_child_pools(char *text, size_t room);

#endif
