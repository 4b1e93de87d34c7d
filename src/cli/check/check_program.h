/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program that seep check runs, as seep run would. */
#ifndef SEEP_CLI_CHECK_CHECK_PROGRAM_H
#define SEEP_CLI_CHECK_CHECK_PROGRAM_H

#include "base/arena.h"
#include "base/err.h"

#include <limits.h>
#include <stdbool.h>

struct seep_check_program {
	char **command;          /* NULL-terminated */
	const char *output;      /* path of the trace; NULL: a temporary file */
	bool force, keep_pools, collect; /* these and the next line are options of seep run */
	const char *event, *sample, *max_overhead; /* as typed, or NULL */
	char trace[PATH_MAX];    /* path of the trace that was written */
	bool temporary;          /* the trace is a temporary file */
};

/* Returns 0 if the program was tracked and left a trace, whatever its exit status. */
int seep_check_program_run(struct seep_check_program *program, struct seep_arena *arena,
			   struct seep_err *err);

/* Removes a temporary trace. */
void seep_check_program_forget(const struct seep_check_program *program);

#endif
