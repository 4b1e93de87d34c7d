/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files stamps*.c share; nobody else includes it. */
#ifndef SEEP_IMPORT_SERIES_STAMP_AXIS_H
#define SEEP_IMPORT_SERIES_STAMP_AXIS_H

#include "import/series/stamp_lines.h"

#define SEEP_STAMP_AXIS_LETTERS 27   /* none, A to Z */

/* A name and the number that it carries. */
struct seep_stamp_axis_tag {
	unsigned letter;         /* 0: none, 1: A ... */
	int64_t index;
	const char *name;        /* without the tag */
	size_t n_name;
};

/* False: it carries none. */
bool seep_stamp_axis_split(const char *name, size_t n, struct seep_stamp_axis_tag *tag);

enum seep_stamp_axis_kind {
	SEEP_STAMP_AXIS_NONE = 0,    /* nothing that repeats: there are no events */
	SEEP_STAMP_AXIS_TAGGED,
	SEEP_STAMP_AXIS_NAMED,
	SEEP_STAMP_AXIS_ROWS,        /* without names: each is an event */
};

/* Which stamps begin an event. */
struct seep_stamp_axis {
	enum seep_stamp_axis_kind kind;
	unsigned letter;         /* TAGGED: of the instance */
	bool others;             /* ... and there are more than this one */
	int64_t step;            /* ... by which most of its numbers rise */
	const char *name;        /* NAMED: the first name of the period */
	size_t n_name;
	size_t times;            /* ... which occurs so often in one */
	size_t period;           /* stamps in it; 0: there is none, it is the most frequent name */
};

/* The lines' texts must outlive the axis. */
void seep_stamp_axis_find(struct seep_stamp_axis *axis, const struct seep_stamp_lines_line *lines,
			  size_t n, struct seep_arena *scratch);

/* Counters out of a comment, each "k=v" with a number; of the others nothing. */
struct seep_stamp_axis_pair {
	const char *key;
	size_t n_key;
	double value;
};

/* The next pair at *at, which is moved behind it; false: there is none. */
bool seep_stamp_axis_pair(const char **at, const char *end, struct seep_stamp_axis_pair *pair);

#endif
