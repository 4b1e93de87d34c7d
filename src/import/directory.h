/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which files are meant where a directory is named. */
#ifndef SEEP_IMPORT_DIRECTORY_H
#define SEEP_IMPORT_DIRECTORY_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

/*
 * The paths, with each directory replaced by the files in it that are meant: the array of a
 * fold of NumPy files, or all heap profiles.  There is at least one.
 */
int seep_directory_list(const char *const *paths, size_t n, const char ***files, size_t *n_files,
			struct seep_arena *arena, struct seep_err *err);

#endif
