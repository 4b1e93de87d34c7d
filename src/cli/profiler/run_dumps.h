/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a heap profiler has left, and the events they are from. */
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
	uint64_t event;          /* from 1; 0: at no event */
	bool final;              /* written when the program ended */
	int64_t written_ns;
};

struct seep_run_dumps {
	struct seep_run_dump *items; /* in the order in which they were written */
	size_t n;
};

/* The run whose dumps are meant. */
struct seep_run_dumps_of {
	const struct seep_profiler *profiler;
	const char *trace;       /* as the user would type it */
	pid_t pid;
	int64_t started_real_ns;
	uint64_t events;         /* that it had */
	bool ended;              /* by itself, not by a signal */
};

void seep_run_dumps_find(struct seep_run_dumps *dumps, const struct seep_run_dumps_of *run,
			 struct seep_arena *arena);

/* Their folder, as the user would type it, if it has nothing else in it, or NULL. */
const char *seep_run_dumps_folder(const struct seep_run_dumps_of *run, struct seep_arena *arena);

/* "8 dumps in x.dumps, of the events 49, 59, 69, 79, 89, 99, 99 and the end" on stderr. */
void seep_run_dumps_tell(const struct seep_run_dumps *dumps, const struct seep_run_dumps_of *run,
			 struct seep_arena *arena);

#endif
