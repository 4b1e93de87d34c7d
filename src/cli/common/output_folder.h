/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A folder of files that is there as a whole or not at all: made under another name, and
 * renamed when all of its files are complete.
 */
#ifndef SEEP_CLI_COMMON_OUTPUT_FOLDER_H
#define SEEP_CLI_COMMON_OUTPUT_FOLDER_H

#include "base/err.h"
#include "render/export/export.h"

#include <limits.h>
#include <stdio.h>

#define SEEP_OUTPUT_FILES_MOST 64

struct seep_output_folder {
	struct seep_export_folder files; /* for the one who writes them */
	char path[PATH_MAX];
	char draft[PATH_MAX];
	int fd;                  /* of the draft */
	FILE *open[SEEP_OUTPUT_FILES_MOST];
	char names[SEEP_OUTPUT_FILES_MOST][NAME_MAX + 1];
	size_t n;
};

/* Refuses what is there already, unless it is an empty folder. */
int seep_output_folder_open(struct seep_output_folder *folder, const char *path,
			    struct seep_err *err);

/* Gives it its name; its files are closed. */
int seep_output_folder_commit(struct seep_output_folder *folder, struct seep_err *err);

/* Nothing is left of it.  For one that was opened, and not committed. */
void seep_output_folder_abandon(struct seep_output_folder *folder);

#endif
