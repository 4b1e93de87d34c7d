/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table in text whose rows are samples of memory: columns are known by their names, which are
 * in its first line, and rows become slices of time.
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
	char separator;          /* or ' ' for any blanks */
	size_t n_columns;
	const char *columns[SEEP_SAMPLES_COLUMNS];
	char *fields[SEEP_SAMPLES_COLUMNS]; /* of the row that was read last */
	struct seep_timeline timeline;
	uint64_t n;
	int64_t last_ns, shortest_ns; /* between two samples, but for the last two */
	uint64_t n_long;         /* distances of more than twice the shortest so far */
};

/* Splits text, which is changed, at the separator; how many fields there are, max at most. */
size_t seep_samples_split(char *text, char separator, char **fields, size_t max);

void seep_samples_begin(struct seep_samples *samples, struct seep_import *import,
			struct seep_source *source, char separator);

/* The first line of the file has the names of the columns. */
int seep_samples_read_columns(struct seep_samples *samples, struct seep_err *err);

/* -1: there is none of that name. */
int seep_samples_find(const struct seep_samples *samples, const char *name);

/*
 * 1: fields are the next row, 0: there is none, -errno.  A row with fewer or more fields than
 * columns is refused, unless it is the last one, cut when the writer was killed.
 */
int seep_samples_next(struct seep_samples *samples, struct seep_err *err);

/* A field as a number that is not negative; fails with its place and name. */
int seep_samples_number(const struct seep_samples *samples, int column, double *value,
			struct seep_err *err);
int seep_samples_bytes(const struct seep_samples *samples, int column, double unit_bytes,
		       int64_t *bytes, struct seep_err *err);

/* A slice of time begins; at.t_ns is as in the file. */
void seep_samples_tell(struct seep_samples *samples, struct seep_compose_at *at);

/* Notes for the user; fails if there was no sample. */
int seep_samples_finish(struct seep_samples *samples, struct seep_err *err);

/* Whether the samples are far from equally spaced. */
bool seep_samples_are_uneven(const struct seep_samples *samples);

#endif
