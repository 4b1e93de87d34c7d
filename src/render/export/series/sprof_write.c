/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/export/series/points.h"
#include "render/export/series/sprof_write.h"

#include <inttypes.h>

#define BEGIN_NAME "SEvt__setIndex"
#define END_NAME "SEvt__endIndex"

struct seep_sprof seep_sprof_of(const struct seep_view *view)
{
	const struct seep_run *run = view->run;
	struct seep_sprof sprof = { .run = run, .start_index = view->start_index,
				    .have_indices = seep_points_have_indices(run) };

	sprof.names = seep_arena_array(view->arena, run->n_names, sizeof(*sprof.names));
	for (size_t i = 0; i < run->n_names; i++)
		sprof.names[i] = seep_points_clean(view, run->names[i], ":#");
	return sprof;
}

bool seep_sprof_shows(const struct seep_sprof *sprof, const struct seep_stamp *stamp)
{
	const struct seep_run *run = sprof->run;
	const struct seep_stamp *next = stamp + 1;

	if (!seep_points_usable(run, stamp))
		return false;
	return !(stamp->flags & SEEP_STAMP_BEGIN) || next == run->stamps + run->n_stamps ||
	       next->event != stamp->event || !next->name || next->t_ns != stamp->t_ns ||
	       next->vm_bytes != stamp->vm_bytes || next->rss_bytes != stamp->rss_bytes;
}

static int64_t index_of(const struct seep_sprof *sprof, const struct seep_event *event)
{
	return seep_points_index(event, sprof->have_indices) + sprof->start_index;
}

void seep_sprof_write_name(FILE *out, const struct seep_sprof *sprof,
			   const struct seep_stamp *stamp)
{
	if (stamp->event != SEEP_EVENT_NONE)
		fprintf(out, "A%03" PRId64 "_",
			index_of(sprof, &sprof->run->events[stamp->event]));
	if (stamp->flags & SEEP_STAMP_BEGIN)
		fputs(BEGIN_NAME, out);
	else if (stamp->flags & SEEP_STAMP_END)
		fputs(END_NAME, out);
	else
		fputs(stamp->name ? sprof->names[stamp->name] : seep_points_name(sprof->run, stamp),
		      out);
}

void seep_sprof_write_edge(FILE *out, const struct seep_sprof *sprof,
			   const struct seep_event *event, bool end)
{
	fprintf(out, "%s_A%03" PRId64, end ? END_NAME : BEGIN_NAME, index_of(sprof, event));
}

void seep_sprof_write_triplet(FILE *out, const struct seep_sprof *sprof,
			      const struct seep_stamp *stamp)
{
	fprintf(out, "%" PRId64 ",%" PRId64 ",%" PRId64, seep_points_us(sprof->run, stamp),
		stamp->vm_bytes / 1024, stamp->rss_bytes / 1024);
}
