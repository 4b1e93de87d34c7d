/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files stamps*.c share; nobody else includes it. */
#ifndef SEEP_IMPORT_SERIES_STAMP_AXIS_H
#define SEEP_IMPORT_SERIES_STAMP_AXIS_H

#include "import/series/stamp_lines.h"

#define SEEP_STAMPS_LETTERS 27   /* none, A to Z */

/* A name and the number that it carries. */
struct seep_stamps_tag {
	unsigned letter;         /* 0: none, 1: A ... */
	int64_t index;
	const char *name;        /* without the tag */
	size_t n_name;
};

/* False: it carries none. */
bool seep_stamps_split(const char *name, size_t n, struct seep_stamps_tag *tag);

enum seep_stamps_kind {
	SEEP_STAMPS_NONE = 0,    /* nothing that repeats: there are no events */
	SEEP_STAMPS_TAGGED,
	SEEP_STAMPS_NAMED,
	SEEP_STAMPS_ROWS,        /* without names: each is an event */
};

/* Which stamps begin an event. */
struct seep_stamps_axis {
	enum seep_stamps_kind kind;
	unsigned letter;         /* TAGGED: of the instance */
	bool others;             /* ... and there are more than this one */
	int64_t step;            /* ... by which most of its numbers rise */
	const char *name;        /* NAMED: the first name of the period */
	size_t n_name;
	size_t times;            /* ... which occurs so often in one */
	size_t period;           /* stamps in it; 0: there is none, it is the most frequent name */
};

/* The lines' texts must outlive the axis. */
void seep_stamps_find_axis(struct seep_stamps_axis *axis, const struct seep_stamps_line *lines,
			   size_t n, struct seep_arena *scratch);

/* Counters out of a comment, each "k=v" with a number; of the others nothing. */
struct seep_stamps_pair {
	const char *key;
	size_t n_key;
	double value;
};

/* The next pair at *at, which is moved behind it; false: there is none. */
bool seep_stamps_pair(const char **at, const char *end, struct seep_stamps_pair *pair);

#endif
