/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dumps that a heap profiler has written, and the events they belong to. */
#ifndef SEEP_CLI_PROFILER_RUN_DUMPS_H
#define SEEP_CLI_PROFILER_RUN_DUMPS_H

#include "base/arena.h"
#include "cli/profiler/run_profiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct seep_run_dump {
	const char *path;
	uint64_t event;          /* from 1; 0: none */
	bool final;              /* written at the end of the program */
	int64_t written_ns;
};

struct seep_run_dumps {
	struct seep_run_dump *items; /* in the order in which they were written */
	size_t n;
};

/* The run that the dumps belong to. */
struct seep_run_dumps_of {
	const struct seep_profiler *profiler;
	const char *trace;       /* path as the user would type it */
	pid_t pid;
	int64_t started_real_ns;
	uint64_t events;         /* in the run */
	bool ended;              /* the program exited; it was not killed by a signal */
};

void seep_run_dumps_find(struct seep_run_dumps *dumps, const struct seep_run_dumps_of *run,
			 struct seep_arena *arena);

/* The path of their folder as the user would type it; NULL if other files are in it. */
const char *seep_run_dumps_folder(const struct seep_run_dumps_of *run, struct seep_arena *arena);

/* Prints "8 dumps in x.dumps, of the events 49, 59, ..., 99 and the end" to stderr. */
void seep_run_dumps_tell(const struct seep_run_dumps *dumps, const struct seep_run_dumps_of *run,
			 struct seep_arena *arena);

#endif
