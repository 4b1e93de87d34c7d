/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A subcommand: one file cmd_NAME.c with one const entry.
 *
 * The function gets its own name as argv[0] and returns the exit status.  What
 * went wrong it writes into err; only main.c prints that, so a command that
 * has to end with the status of somebody else can still say what happened.
 */
#ifndef SEEP_CLI_COMMON_COMMAND_H
#define SEEP_CLI_COMMON_COMMAND_H

#include "base/err.h"

#define SEEP_STATUS_FAILED 125         /* seep itself failed, or the usage was wrong */
#define SEEP_STATUS_NOT_EXECUTABLE 126 /* as env, nice and timeout have it */
#define SEEP_STATUS_NOT_FOUND 127
#define SEEP_STATUS_HELP (-1)          /* main.c prints the help and ends with 0 */

struct seep_command {
	const char *name;
	const char *summary;     /* one line, for the list of commands */
	const char *usage;       /* behind "seep NAME " */
	const char *help;        /* examples first */
	int (*run)(int argc, char **argv, struct seep_err *err);
};

extern const struct seep_command seep_command_run;
extern const struct seep_command seep_command_watch;
extern const struct seep_command seep_command_report;
extern const struct seep_command seep_command_diff;
extern const struct seep_command seep_command_check;
extern const struct seep_command seep_command_calibrate;
extern const struct seep_command seep_command_export;
extern const struct seep_command seep_command_plot;
extern const struct seep_command seep_command_demo;
extern const struct seep_command seep_command_doctor;

#endif
