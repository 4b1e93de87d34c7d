/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a command reads: those named on the command line, or the newest trace. */
#ifndef SEEP_CLI_COMMON_INPUTS_H
#define SEEP_CLI_COMMON_INPUTS_H

#include "base/arena.h"
#include "base/err.h"
#include "cli/common/option_table.h"
#include "import/import.h"

#include <stddef.h>

struct seep_inputs {
	const char *const *paths; /* the files of one run */
	size_t n;                /* 0: the newest trace */
	const char *newest;      /* the newest trace if it is used, else NULL */
	struct seep_import_options import;
};

/* Takes the files from the command line. */
void seep_inputs_take(struct seep_inputs *inputs, const struct seep_operands_found *found);

/* Finds the newest trace if no file is named.  *inputs must not move afterwards. */
int seep_inputs_find(struct seep_inputs *inputs, struct seep_arena *arena, struct seep_err *err);

#endif
