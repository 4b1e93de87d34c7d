/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stamps as Opticks writes them: a name, and the triplet of microseconds since 1970, VM
 * and RSS in units of 1024 bytes.
 *
 * Only for stamps that are usable (points.h).  Its own names for the start and end of an
 * event are SEvt__setIndex and SEvt__endIndex.  The event's index stands before a name in
 * SProf.txt, and behind it in run_meta.txt.
 */
#ifndef SEEP_RENDER_EXPORT_SERIES_SPROF_WRITE_H
#define SEEP_RENDER_EXPORT_SERIES_SPROF_WRITE_H

#include "render/view.h"

#include <stdio.h>

struct seep_sprof {
	const struct seep_run *run;
	const char **names;      /* those of the run without ':', '#' and what is not ASCII */
	bool have_indices;       /* see render/export/series/points.h */
	int64_t start_index;     /* added to them */
};

struct seep_sprof seep_sprof_of(const struct seep_view *view);

/*
 * Whether a stamp is a line.  In a file of stamps the first one of an event begins it, so the
 * begin that was made of it is none: what was read comes out as it was.
 */
bool seep_sprof_shows(const struct seep_sprof *sprof, const struct seep_stamp *stamp);

/* "A007_convert", or outside of events "convert". */
void seep_sprof_write_name(FILE *out, const struct seep_sprof *sprof,
			   const struct seep_stamp *stamp);

/* "SEvt__setIndex_A007" */
void seep_sprof_write_edge(FILE *out, const struct seep_sprof *sprof,
			   const struct seep_event *event, bool end);

/* "1700367820015746,4370198,884" */
void seep_sprof_write_triplet(FILE *out, const struct seep_sprof *sprof,
			      const struct seep_stamp *stamp);

#endif
