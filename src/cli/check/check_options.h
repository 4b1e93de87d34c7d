/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of seep check. */
#ifndef SEEP_CLI_CHECK_CHECK_OPTIONS_H
#define SEEP_CLI_CHECK_CHECK_OPTIONS_H

#include "analyse/gate/budget.h"
#include "base/err.h"
#include "cli/check/check_program.h"
#include "cli/common/option_table.h"
#include "import/import.h"

#include <stdbool.h>
#include <stddef.h>

struct seep_check_options {
	bool has_budget;
	struct seep_budget budget;
	size_t min_events;
	const char *baseline, *suppress;
	bool strict;             /* suspects fail too */
	bool strict_suppressions, ignore_status, github;
	double material_bytes;   /* 0: the default */
	const char *junit, *sarif;
	const char *root;        /* of the source tree */
	char *path;              /* of the trace; NULL: run a command, or use the newest trace */
	struct seep_check_program program; /* its command is NULL if a trace is checked */
	struct seep_import_options import;
};

extern const struct seep_option seep_check_option_table[];

/* Returns 0, SEEP_STATUS_HELP, or another exit status with err filled. */
int seep_check_options_parse(struct seep_check_options *options, int argc, char **argv,
			     struct seep_err *err);

#endif
