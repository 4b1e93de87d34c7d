/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A text table whose rows are samples of memory.  The first line names the columns; each row
 * becomes a time slice.
 */
#ifndef SEEP_IMPORT_SERIES_SAMPLES_H
#define SEEP_IMPORT_SERIES_SAMPLES_H

#include "import/import.h"
#include "import/series/timeline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEP_SAMPLES_COLUMNS 256

struct seep_samples {
	struct seep_import *import;
	struct seep_source *source;
	char separator;          /* ' ': any blanks */
	size_t n_columns;
	const char *columns[SEEP_SAMPLES_COLUMNS];
	char *fields[SEEP_SAMPLES_COLUMNS]; /* of the last row */
	struct seep_timeline timeline;
	uint64_t n;
	int64_t last_ns, shortest_ns; /* between two samples, except the last two */
	uint64_t n_long;         /* intervals of more than twice the shortest so far */
};

/* Splits text in place at the separator; returns the number of fields, at most max. */
size_t seep_samples_split(char *text, char separator, char **fields, size_t max);

void seep_samples_begin(struct seep_samples *samples, struct seep_import *import,
			struct seep_source *source, char separator);

/* Reads the names of the columns from the first line. */
int seep_samples_read_columns(struct seep_samples *samples, struct seep_err *err);

/* The index of the column; -1: there is none of that name. */
int seep_samples_find(const struct seep_samples *samples, const char *name);

/*
 * Returns 1 if fields holds the next row, 0 at the end, or -errno.  A row with too few or too
 * many fields is an error, unless it is the last row, cut when the writer was killed.
 */
int seep_samples_next(struct seep_samples *samples, struct seep_err *err);

/* Parses a field as a number that is not negative; the error names its line and column. */
int seep_samples_number(const struct seep_samples *samples, int column, double *value,
			struct seep_err *err);
int seep_samples_bytes(const struct seep_samples *samples, int column, double unit_bytes,
		       int64_t *bytes, struct seep_err *err);

/* Begins a time slice; at->t_ns is the time in the file. */
void seep_samples_tell(struct seep_samples *samples, struct seep_compose_at *at);

/* Adds notes for the user; fails if there was no sample. */
int seep_samples_finish(struct seep_samples *samples, struct seep_err *err);

/* Whether the samples are far from equally spaced. */
bool seep_samples_are_uneven(const struct seep_samples *samples);

#endif
