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
	const char *output;      /* where the trace goes; NULL: to a temporary file */
	bool force, keep_pools;  /* these and the next are options of seep run */
	const char *event, *sample, *max_overhead; /* as the user wrote them, or NULL */
	char trace[PATH_MAX];    /* where it went */
	bool temporary;
};

/* 0 if it ran and was tracked, however it ended; its trace is there. */
int seep_check_program_run(struct seep_check_program *program, struct seep_arena *arena,
			   struct seep_err *err);

/* Removes a temporary trace. */
void seep_check_program_forget(const struct seep_check_program *program);

#endif
