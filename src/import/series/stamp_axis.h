/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides which stamps of a file begin an event.  Only stamp_axis.c and stamp_lines.c include
 * this; stamp_lines.h explains the rules.
 */
#ifndef SEEP_IMPORT_SERIES_STAMP_AXIS_H
#define SEEP_IMPORT_SERIES_STAMP_AXIS_H

#include "import/series/stamp_lines.h"

#define SEEP_STAMP_AXIS_LETTERS 27   /* none, A to Z */

/* A name and the event number in it. */
struct seep_stamp_axis_tag {
	unsigned letter;         /* 0: none, 1: A ... */
	int64_t index;
	const char *name;        /* without the tag */
	size_t n_name;
};

/* Returns false if the name has no event number. */
bool seep_stamp_axis_split(const char *name, size_t n, struct seep_stamp_axis_tag *tag);

enum seep_stamp_axis_kind {
	SEEP_STAMP_AXIS_NONE = 0,    /* no name repeats: there are no events */
	SEEP_STAMP_AXIS_TAGGED,
	SEEP_STAMP_AXIS_NAMED,
	SEEP_STAMP_AXIS_ROWS,        /* no names: each stamp is an event */
};

/* Which stamps begin an event. */
struct seep_stamp_axis {
	enum seep_stamp_axis_kind kind;
	unsigned letter;         /* TAGGED: of the instance */
	bool others;             /* ... and there are other instances */
	int64_t step;            /* ... the usual increment of its event numbers */
	const char *name;        /* NAMED: the first name of the period */
	size_t n_name;
	size_t times;            /* ... and how often it occurs in one period */
	size_t period;           /* stamps in a period; 0: none, name is the most frequent one */
};

/* The texts of the lines must outlive the axis. */
void seep_stamp_axis_find(struct seep_stamp_axis *axis, const struct seep_stamp_lines_line *lines,
			  size_t n, struct seep_arena *scratch);

/* A counter in a comment: "k=v", where v is a number. */
struct seep_stamp_axis_pair {
	const char *key;
	size_t n_key;
	double value;
};

/* The next pair at *at; moves *at past it.  Returns false if there is none. */
bool seep_stamp_axis_pair(const char **at, const char *end, struct seep_stamp_axis_pair *pair);

#endif
