/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A series of named stamps becomes a run: which of them begin an event is found out here.
 *
 * Names may carry the number of the event, as "A012_reset_HEAD", "012Head" or "setIndex_A012".
 * The letter is the instance that made the stamp; where there are several, the one with the
 * most stamps has the events, and the others' are stamps in them.  Names without numbers
 * repeat with some period, and the first name of a period begins an event.
 *
 * Either is decided on the first stamps, some thousand, which are kept for that; all others
 * only pass.
 */
#ifndef SEEP_IMPORT_SERIES_STAMP_LINES_H
#define SEEP_IMPORT_SERIES_STAMP_LINES_H

#include "import/import.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The texts need not outlive the call and have no zero at the end. */
struct seep_stamp_lines_line {
	const char *name;        /* NULL: it has none, and is an event of its own */
	size_t n_name;
	const char *comment;     /* "k=v,k=v", or NULL */
	size_t n_comment;
	int64_t t_ns;            /* since the epoch */
	int64_t vm_bytes, rss_bytes;
	uint64_t place;          /* its line or row, from 1 */
};

struct seep_stamp_lines;

/*
 * place is what messages call it: "line", "row".  sorts: stamps may be out of order in this file,
 * and are put in the order of time where they are not too many.
 */
struct seep_stamp_lines *seep_stamp_lines_begin(struct seep_import *import, const char *place,
						bool sorts);
void seep_stamp_lines_add(struct seep_stamp_lines *stamps,
			  const struct seep_stamp_lines_line *line);

/* After the last one: notes for the user.  The number of stamps that there were. */
uint64_t seep_stamp_lines_finish(struct seep_stamp_lines *stamps);

/* Which unit was taken, for files that do not tell; what is usual is KiB. */
int64_t seep_stamp_lines_unit(const struct seep_import *import);
void seep_stamp_lines_note_unit(struct seep_import *import);

#endif
