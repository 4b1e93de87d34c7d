/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text files beside a NumPy array: X_names.txt has the names of the rows of X.npy, X_labels.txt
 * those of its columns.  Either may be missing.
 */
#ifndef SEEP_IMPORT_SERIES_NPY_NAMES_H
#define SEEP_IMPORT_SERIES_NPY_NAMES_H

#include "base/arena.h"
#include "import/series/stamp_lines.h"

struct seep_npy_names;

/*
 * Opens the names of the rows; *names is NULL if there are none.  Fails if the labels show that
 * the columns are not time, VM and RSS.
 */
int seep_npy_names_open(struct seep_npy_names **names, const char *path, struct seep_err *err);
void seep_npy_names_close(struct seep_npy_names *names);

/* Name and comment of the next row, valid until the next call. */
int seep_npy_names_next(struct seep_npy_names *names, struct seep_stamp_lines_line *line,
			int64_t rows,
			struct seep_err *err);

/* Fails if there are more names than rows. */
int seep_npy_names_check_end(struct seep_npy_names *names, int64_t rows, struct seep_err *err);

/* The names from whichever file has exactly n of them; *names is NULL if neither has. */
int seep_npy_names_of_stamps(const char *const **names, const char *path, int64_t n,
			     struct seep_arena *arena, struct seep_err *err);

#endif
