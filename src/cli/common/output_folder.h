/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An output folder that appears complete or not at all: it is created under a temporary name
 * and renamed when all of its files are written.
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
	struct seep_export_folder files; /* passed to the format that writes the files */
	char path[PATH_MAX];
	char draft[PATH_MAX];
	int fd;                  /* of the folder under its temporary name */
	bool replaces;           /* a folder with files is being replaced */
	FILE *open[SEEP_OUTPUT_FILES_MOST];
	char names[SEEP_OUTPUT_FILES_MOST][NAME_MAX + 1];
	size_t n;
};

/*
 * Fails if the path exists, unless it is an empty folder or, with replace, a folder whose files
 * will all be written again.
 */
int seep_output_folder_open(struct seep_output_folder *folder, const char *path, bool replace,
			    struct seep_err *err);

/* Closes the files and renames the folder to its final name. */
int seep_output_folder_commit(struct seep_output_folder *folder, struct seep_err *err);

/* Removes a folder that was opened but not committed, with its files. */
void seep_output_folder_abandon(struct seep_output_folder *folder);

#endif
