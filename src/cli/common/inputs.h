/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a command is to read: those behind its options, or the newest trace. */
#ifndef SEEP_CLI_COMMON_INPUTS_H
#define SEEP_CLI_COMMON_INPUTS_H

#include "base/arena.h"
#include "base/err.h"
#include "import/import.h"

#include <stddef.h>

struct seep_inputs {
	const char *const *paths; /* files that are one run */
	size_t n;                /* 0: the newest trace */
	const char *newest;      /* it, where it is meant and was found; else NULL */
	struct seep_import_options import;
};

/* What getopt has left of the arguments. */
void seep_inputs_take(struct seep_inputs *inputs, int argc, char **argv);

/* Finds the newest trace where none is named; *inputs must not move from here on. */
int seep_inputs_find(struct seep_inputs *inputs, struct seep_arena *arena, struct seep_err *err);

#endif
