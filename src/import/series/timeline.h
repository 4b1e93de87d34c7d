/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times out of a file as times since its first one, which never fall.
 *
 * The lines of a file are in the order in which they were written, which is the order of what
 * happened; a clock that was set back does not change that.  Time goes on from there
 * then.  Less than a second back is threads that overtook each other, and is levelled.
 */
#ifndef SEEP_IMPORT_SERIES_TIMELINE_H
#define SEEP_IMPORT_SERIES_TIMELINE_H

#include "import/compose.h"

#include <stdbool.h>
#include <stdint.h>

struct seep_timeline {
	bool begun;
	int64_t first_ns, last_ns; /* as in the file */
	int64_t shift_ns;        /* what is added to those of the file */
	int64_t told_ns;         /* the last that was given out */
	uint64_t n_back;
	uint64_t place_back;     /* line or row of the first */
};

/* place is what the note names.  t_ns is not negative, SEEP_QUANTITY_TIME_MAX at most. */
int64_t seep_timeline_next(struct seep_timeline *timeline, int64_t t_ns, uint64_t place);

/* Tells the user where the clock went back; place is "line" or "row". */
void seep_timeline_note(const struct seep_timeline *timeline, struct seep_compose *c,
			const char *place);

#endif
