/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the files to read if the user names a directory. */
#ifndef SEEP_IMPORT_DIRECTORY_H
#define SEEP_IMPORT_DIRECTORY_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

/*
 * Replaces each directory in paths by the files to read from it: the stamp array of a folder of
 * NumPy files, or all heap profiles.  Fails if a directory has none, so there is at least one
 * file.
 */
int seep_directory_list(const char *const *paths, size_t n, const char ***files, size_t *n_files,
			struct seep_arena *arena, struct seep_err *err);

#endif
