/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A subcommand is one file cmd_NAME.c with one const entry.
 *
 * Its function gets the command's name as argv[0] and returns the exit status.  It writes
 * errors to err, and only main.c prints them.  A command that ends with the status of the
 * program it ran can therefore still say what went wrong.
 */
#ifndef SEEP_CLI_COMMON_COMMAND_H
#define SEEP_CLI_COMMON_COMMAND_H

#include "base/err.h"
#include "cli/common/option_table.h"

#define SEEP_STATUS_FAILED 125         /* seep itself failed, or the usage was wrong */
#define SEEP_STATUS_NOT_EXECUTABLE 126 /* as for env, nice and timeout */
#define SEEP_STATUS_NOT_FOUND 127
#define SEEP_STATUS_HELP (-1)          /* main.c prints the help and exits with 0 */

struct seep_command {
	const char *name;
	const char *summary;     /* one line, for the list of commands */
	const char *operands_text; /* what comes after the options in the usage line */
	enum seep_operands operands;
	const char *(*operand_value)(size_t i); /* for completion, if operands are not files */
	const char *examples;    /* at the start of the help text */
	const char *notes;       /* at its end; includes the exit status */
	const struct seep_option *options;
	int (*run)(int argc, char **argv, struct seep_err *err);
};

/* Every command, in the order of `seep help`; ends with NULL. */
extern const struct seep_command *const seep_commands[];

extern const struct seep_command seep_command_run;
extern const struct seep_command seep_command_watch;
extern const struct seep_command seep_command_report;
extern const struct seep_command seep_command_diff;
extern const struct seep_command seep_command_check;
extern const struct seep_command seep_command_calibrate;
extern const struct seep_command seep_command_export;
extern const struct seep_command seep_command_plot;
extern const struct seep_command seep_command_pack;
extern const struct seep_command seep_command_demo;
extern const struct seep_command seep_command_doctor;
extern const struct seep_command seep_command_completion;

#endif
