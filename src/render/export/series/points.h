/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stamps of a run, as the formats of other programs have them. */
#ifndef SEEP_RENDER_EXPORT_SERIES_POINTS_H
#define SEEP_RENDER_EXPORT_SERIES_POINTS_H

#include "base/err.h"
#include "render/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Microseconds since 1970, which have 16 digits (2001 to 2286).  -1 where the run does
 * not tell when it began, or tells nonsense.
 */
int64_t seep_points_us(const struct seep_run *run, const struct seep_stamp *stamp);

/* Whether VM and RSS were measured there, which short events do without, and its time is known. */
bool seep_points_usable(const struct seep_run *run, const struct seep_stamp *stamp);

/* -ENODATA unless there is such a stamp, which the format of that name is made of. */
int seep_points_need(const struct seep_view *view, const char *format, struct seep_err *err);

/* "begin" or "end" of an event, "slice" of time before the first, or the stamp's name as it is. */
const char *seep_points_name(const struct seep_run *run, const struct seep_stamp *stamp);

/*
 * The points of a series, which are usable: begins of events, as the same moment of each;
 * or where there is none, all stamps.
 */
struct seep_points {
	const struct seep_run *run;
	bool begins;
	size_t at;
};

struct seep_points seep_points_of(const struct seep_run *run);
const struct seep_stamp *seep_points_next(struct seep_points *points); /* NULL at the end */

/*
 * The number that an event goes by in files that know it by nothing else: what the program
 * called it where that rises from event to event, else its place in the run.
 */
bool seep_points_have_indices(const struct seep_run *run);
int64_t seep_points_index(const struct seep_event *event, bool have_indices);

/* A copy in ASCII, '_' for what is not, for the characters in except and for nothing at all. */
const char *seep_points_clean(const struct seep_view *view, const char *text, const char *except);

#endif
