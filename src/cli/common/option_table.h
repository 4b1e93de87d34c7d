/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options of a command, declared as a table.
 *
 * To add an option, add a row, and a setter if its value is more than a flag or a string.  The
 * parser, the usage line, --help and the shell completions read the table, and
 * tools/lint-options compares it with the manual page.  Every command also has -h, --help,
 * which is not in its table.
 */
#ifndef SEEP_CLI_COMMON_OPTION_TABLE_H
#define SEEP_CLI_COMMON_OPTION_TABLE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct seep_command;

#define SEEP_OPTIONS_MOST 40 /* rows in a table */

struct seep_option {
	const char *name;        /* "output" for --output; NULL ends the table */
	char letter;             /* 'o' for -o; 0: no short form */
	const char *argument;    /* "FILE"; "[=NAMES]" if it is optional; NULL: none */
	const char *help;        /* one or two sentences; --help breaks the lines */
	size_t at;               /* offset of the field in the command's options */
	/*
	 * Stores the value in the field.  NULL: the field is a bool if there is no argument,
	 * else a const char *.
	 */
	int (*set)(void *field, const char *value, struct seep_err *err);
	const char *(*value)(size_t i); /* the usual values, NULL after the last; for completion */
	bool in_usage;           /* shown in the usage line because most calls need it */
};

/* What a command line may contain besides options. */
enum seep_operands {
	SEEP_OPERANDS_NONE,
	SEEP_OPERANDS_FILES,     /* options may come before, between and after them */
	SEEP_OPERANDS_COMMAND,   /* the first word, or what follows "--", is the command */
	SEEP_OPERANDS_FILE_OR_COMMAND, /* files; a command only after "--" */
	SEEP_OPERANDS_PID_OR_COMMAND,  /* a number is a process; else a command */
};

struct seep_operands_found {
	char **words;            /* files, or a process id */
	size_t n;
	char **command;          /* NULL-terminated, may be empty; NULL: no command */
};

/*
 * Sets the fields of *options from argv; argv[0] is the name of the command.
 * Returns 0, SEEP_STATUS_HELP, or SEEP_STATUS_FAILED with err filled.
 */
int seep_option_table_parse(const struct seep_command *command, int argc, char **argv,
			    void *options, struct seep_operands_found *found,
			    struct seep_err *err);

#endif
