/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file of --run-info, as Gaudi's job runner writes it, for those who read it today:
 *
 *	{"pid": 4131, "retcode": 0, "exe": "/usr/bin/python3.11", ...}
 *
 * It is written when the program starts, with nothing for what is not known yet, and
 * again when it has ended, so that something is there whatever happens to seep.
 */
#ifndef SEEP_CLI_PROFILER_RUN_INFO_H
#define SEEP_CLI_PROFILER_RUN_INFO_H

#include "base/err.h"
#include "cli/profiler/run_dumps.h"

#include <stdbool.h>
#include <sys/types.h>

struct seep_run_info {
	const char *path;        /* of the file; NULL: none is wanted */
	const char *exe;         /* what is really run: the interpreter of a script */
	const char *trace;
	pid_t pid;
	bool ended;
	int status;              /* of waitpid, if so */
	const struct seep_run_dumps *dumps; /* or NULL: none yet */
};

/* Replaces the file as a whole. */
int seep_run_info_write(const struct seep_run_info *info, struct seep_err *err);

#endif
