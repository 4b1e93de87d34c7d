/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stamps of a run in the form that other formats need. */
#ifndef SEEP_RENDER_EXPORT_SERIES_POINTS_H
#define SEEP_RENDER_EXPORT_SERIES_POINTS_H

#include "base/err.h"
#include "render/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Microseconds since 1970, which have 16 digits from 2001 to 2286.  -1 if the start of the run
 * is unknown or implausible.
 */
int64_t seep_points_us(const struct seep_run *run, const struct seep_stamp *stamp);

/* Whether VM and RSS were measured at the stamp (short events skip that) and its time is known. */
bool seep_points_usable(const struct seep_run *run, const struct seep_stamp *stamp);

/* Fails with -ENODATA if there is no usable stamp; format is for the message. */
int seep_points_need(const struct seep_view *view, const char *format, struct seep_err *err);

/*
 * "begin" or "end" of an event, "slice" for a time slice before the first event, or the name of
 * the stamp.
 */
const char *seep_points_name(const struct seep_run *run, const struct seep_stamp *stamp);

/*
 * The points of a series, all usable: the starts of events, which are the same moment of each;
 * or all stamps if there are no events.
 */
struct seep_points {
	const struct seep_run *run;
	bool begins;
	size_t at;
};

struct seep_points seep_points_of(const struct seep_run *run);
const struct seep_stamp *seep_points_next(struct seep_points *points); /* NULL at the end */

/*
 * The number of an event in files that have nothing else to identify it: the index given by the
 * program if it increases from event to event, otherwise the position in the run.
 */
bool seep_points_have_indices(const struct seep_run *run);
int64_t seep_points_index(const struct seep_event *event, bool have_indices);

/* A copy in ASCII, with '_' for other characters and for those in except; "_" for an empty text. */
const char *seep_points_clean(const struct seep_view *view, const char *text, const char *except);

#endif
