/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns a series of named stamps into a run, and finds out which stamps begin an event.
 *
 * Names may contain the number of the event, as in "A012_reset_HEAD", "012Head" or
 * "setIndex_A012".  The letter is the instance that made the stamp; if there are several, the
 * one with the most stamps defines the events, and stamps of the others are part of these.
 * Names without numbers repeat with some period, and the first name of a period begins an event.
 *
 * This is decided from the first few thousand stamps, which are kept until then; all later
 * stamps are passed on at once.
 */
#ifndef SEEP_IMPORT_SERIES_STAMP_LINES_H
#define SEEP_IMPORT_SERIES_STAMP_LINES_H

#include "import/import.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The texts need not outlive the call and are not zero-terminated. */
struct seep_stamp_lines_line {
	const char *name;        /* NULL: no name, the stamp is an event of its own */
	size_t n_name;
	const char *comment;     /* "k=v,k=v", or NULL */
	size_t n_comment;
	int64_t t_ns;            /* since the epoch */
	int64_t vm_bytes, rss_bytes;
	uint64_t place;          /* its line or row, from 1 */
};

struct seep_stamp_lines;

/*
 * place is the word for messages: "line" or "row".  sorts: stamps may be out of order in this
 * file, and are sorted by time if there are not too many.
 */
struct seep_stamp_lines *seep_stamp_lines_begin(struct seep_import *import, const char *place,
						bool sorts);
void seep_stamp_lines_add(struct seep_stamp_lines *stamps,
			  const struct seep_stamp_lines_line *line);

/* Call this after the last stamp: adds notes for the user and returns the number of stamps. */
uint64_t seep_stamp_lines_finish(struct seep_stamp_lines *stamps);

/* The unit for files that do not name theirs: KiB, unless the user gave another. */
int64_t seep_stamp_lines_unit(const struct seep_import *import);
void seep_stamp_lines_note_unit(struct seep_import *import);

#endif
