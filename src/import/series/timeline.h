/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts the times in a file to times since the first one, which never fall.
 *
 * The lines of a file are in the order in which they were written, even if the clock was set
 * back; time then continues from the last value.  A step back of less than a second comes from
 * threads that overtook each other: time stands still for it.
 */
#ifndef SEEP_IMPORT_SERIES_TIMELINE_H
#define SEEP_IMPORT_SERIES_TIMELINE_H

#include "import/compose.h"

#include <stdbool.h>
#include <stdint.h>

struct seep_timeline {
	bool begun;
	int64_t first_ns, last_ns; /* as in the file */
	int64_t shift_ns;        /* added to the times in the file */
	int64_t told_ns;         /* the last time returned */
	uint64_t n_back;
	uint64_t place_back;     /* line or row of the first step back */
};

/* place is the line or row for the note.  t_ns is 0 to SEEP_QUANTITY_TIME_MAX. */
int64_t seep_timeline_next(struct seep_timeline *timeline, int64_t t_ns, uint64_t place);

/* Adds a note if the clock went back; place is "line" or "row". */
void seep_timeline_note(const struct seep_timeline *timeline, struct seep_compose *c,
			const char *place);

#endif
