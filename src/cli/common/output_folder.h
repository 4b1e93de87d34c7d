/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A folder of files that appears complete or not at all: it is made under another name, and
 * renamed when all of its files are written.
 */
#ifndef SEEP_CLI_COMMON_OUTPUT_FOLDER_H
#define SEEP_CLI_COMMON_OUTPUT_FOLDER_H

#include "base/err.h"
#include "render/export/export.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#define SEEP_OUTPUT_FILES_MOST 64

struct seep_output_folder {
	struct seep_export_folder files; /* handed to the format that writes them */
	char path[PATH_MAX];
	char draft[PATH_MAX];
	int fd;                  /* of the draft */
	bool replaces;           /* a folder that is not empty */
	FILE *open[SEEP_OUTPUT_FILES_MOST];
	char names[SEEP_OUTPUT_FILES_MOST][NAME_MAX + 1];
	size_t n;
};

/*
 * Refuses a path that exists, unless it is an empty folder, or with replace a folder whose
 * files will all be written again.
 */
int seep_output_folder_open(struct seep_output_folder *folder, const char *path, bool replace,
			    struct seep_err *err);

/* Closes the files and gives the folder its name. */
int seep_output_folder_commit(struct seep_output_folder *folder, struct seep_err *err);

/* Removes everything, for a folder that was opened and not committed. */
void seep_output_folder_abandon(struct seep_output_folder *folder);

#endif
