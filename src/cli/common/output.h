/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that are there as a whole or not at all: written under another name, and
 * renamed when all of them are complete.
 */
#ifndef SEEP_CLI_COMMON_OUTPUT_H
#define SEEP_CLI_COMMON_OUTPUT_H

#include "base/err.h"

#include <limits.h>
#include <stdio.h>

struct seep_output {
	char path[PATH_MAX];     /* of the file itself, links followed */
	char draft[PATH_MAX];    /* "": nothing to be replaced; written directly */
	FILE *out;
};

/* Could the file be made?  Asked before anything takes long. */
int seep_output_check(const char *path, struct seep_err *err);

int seep_output_open(struct seep_output *output, const char *path, struct seep_err *err);

/* Everything is on its way to the disk; the file has not its name yet. */
int seep_output_finish(struct seep_output *output, struct seep_err *err);

/* Gives it its name. */
int seep_output_commit(struct seep_output *output, struct seep_err *err);

/* Nothing is left of it.  For one that was opened, and not committed. */
void seep_output_abandon(struct seep_output *output);

/*
 * What was to be written into it is: it gets its name, or if that (rc) or this has failed, nothing
 * is left of it.
 */
int seep_output_settle(struct seep_output *output, int rc, struct seep_err *err);

/* Refuses a path that is the file other, which is needed.  Either may be NULL. */
int seep_output_check_other(const char *path, const char *other, const char *what,
			    struct seep_err *err);

/* Refuses a path that is one of the files which are read.  path may be NULL. */
int seep_output_check_inputs(const char *path, const char *const *inputs, size_t n,
			     struct seep_err *err);

#endif
