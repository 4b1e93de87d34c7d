/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Output files that appear complete or not at all: they are written under a temporary name and
 * renamed when all of them are complete.
 */
#ifndef SEEP_CLI_COMMON_OUTPUT_H
#define SEEP_CLI_COMMON_OUTPUT_H

#include "base/err.h"

#include <limits.h>
#include <stdio.h>

struct seep_output {
	char path[PATH_MAX];     /* of the file itself, with links resolved */
	char draft[PATH_MAX];    /* the temporary name; "": the file is written directly */
	FILE *out;
};

/* Checks that the file can be created, before anything slow starts. */
int seep_output_check(const char *path, struct seep_err *err);

int seep_output_open(struct seep_output *output, const char *path, struct seep_err *err);

/* Writes everything out.  The file still has its temporary name. */
int seep_output_finish(struct seep_output *output, struct seep_err *err);

/* Renames the file to its final name. */
int seep_output_commit(struct seep_output *output, struct seep_err *err);

/* Removes a file that was opened but not committed. */
void seep_output_abandon(struct seep_output *output);

/*
 * Call this after writing, with the result of that in rc: finishes and commits the file, or
 * removes it if anything failed.
 */
int seep_output_settle(struct seep_output *output, int rc, struct seep_err *err);

/* Fails if path and other are the same file.  what describes other.  Either may be NULL. */
int seep_output_check_other(const char *path, const char *other, const char *what,
			    struct seep_err *err);

/* Fails if path is one of the input files.  path may be NULL. */
int seep_output_check_inputs(const char *path, const char *const *inputs, size_t n,
			     struct seep_err *err);

#endif
