/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stamps as Opticks writes them: a name, and a triplet of microseconds since 1970, and VM and
 * RSS in units of 1024 bytes.
 *
 * Only for usable stamps (points.h).  Opticks calls the start and end of an event SEvt__setIndex
 * and SEvt__endIndex.  The index of the event comes before the name in SProf.txt, and after it
 * in run_meta.txt.
 */
#ifndef SEEP_RENDER_EXPORT_SERIES_SPROF_WRITE_H
#define SEEP_RENDER_EXPORT_SERIES_SPROF_WRITE_H

#include "render/view.h"

#include <stdio.h>

struct seep_sprof {
	const struct seep_run *run;
	const char **names;      /* names of the run without ':', '#' and non-ASCII */
	bool have_indices;       /* see render/export/series/points.h */
	int64_t start_index;     /* added to them */
};

struct seep_sprof seep_sprof_of(const struct seep_view *view);

/*
 * Whether a stamp gets a line.  In an imported file of stamps, the first stamp of an event
 * begins it; the start that seep made from it is skipped, so that the export equals the import.
 */
bool seep_sprof_shows(const struct seep_sprof *sprof, const struct seep_stamp *stamp);

/* "A007_convert", or "convert" outside events. */
void seep_sprof_write_name(FILE *out, const struct seep_sprof *sprof,
			   const struct seep_stamp *stamp);

/* "SEvt__setIndex_A007" */
void seep_sprof_write_edge(FILE *out, const struct seep_sprof *sprof,
			   const struct seep_event *event, bool end);

/* "1700367820015746,4370198,884" */
void seep_sprof_write_triplet(FILE *out, const struct seep_sprof *sprof,
			      const struct seep_stamp *stamp);

#endif
