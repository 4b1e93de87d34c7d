/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file of --run-info, in the format that Gaudi's job runner writes:
 *
 *	{"pid": 4131, "retcode": 0, "exe": "/usr/bin/python3.11", ...}
 *
 * It is written when the program starts, without the values that are not known yet, and again
 * when the program has ended.  So it exists even if seep itself is killed.
 */
#ifndef SEEP_CLI_PROFILER_RUN_INFO_H
#define SEEP_CLI_PROFILER_RUN_INFO_H

#include "base/err.h"
#include "cli/profiler/run_dumps.h"

#include <stdbool.h>
#include <sys/types.h>

struct seep_run_info {
	const char *path;        /* of the file; NULL: not requested */
	const char *exe;         /* what really runs: for a script, its interpreter */
	const char *trace;
	pid_t pid;
	bool ended;
	int status;              /* from waitpid, if ended */
	const struct seep_run_dumps *dumps; /* NULL: none yet */
};

/* Replaces the file atomically. */
int seep_run_info_write(const struct seep_run_info *info, struct seep_err *err);

#endif
