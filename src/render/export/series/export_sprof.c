/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SProf.txt: one line per stamp, as Opticks writes and reads it. */
#include "render/emitter.h"
#include "render/export/export.h"
#include "render/export/series/points.h"
#include "render/export/series/sprof_write.h"

/* Whether it is the last stamp of its event in the file. */
static bool is_last(const struct seep_sprof *sprof, const struct seep_stamp *stamp)
{
	const struct seep_event *event = &sprof->run->events[stamp->event];
	const struct seep_stamp *end = sprof->run->stamps + event->first_stamp + event->n_stamps;

	for (stamp++; stamp < end; stamp++)
		if (seep_points_usable(sprof->run, stamp))
			return false;
	return true;
}

/* Without gauges, because readers would take them for counts of the event. */
static void write_counters(FILE *out, const struct seep_run *run, const char **keys, int64_t event)
{
	const char *before = " # ";

	for (size_t i = 0; i < run->n_counters; i++) {
		if (run->counters[i].gauge)
			continue;
		fprintf(out, "%s%s=%s", before, keys[i],
			seep_emitter_digits(run->counters[i].values[event]).text);
		before = ",";
	}
}

static const char **clean_keys(const struct seep_view *view)
{
	const struct seep_run *run = view->run;
	const char **keys = seep_arena_array(view->arena, run->n_counters, sizeof(*keys));

	for (size_t i = 0; i < run->n_counters; i++)
		keys[i] = seep_points_clean(view, run->counters[i].name, ":#=, ");
	return keys;
}

static int write_sprof(const struct seep_view *view, struct seep_err *err)
{
	const struct seep_run *run = view->run;
	struct seep_sprof sprof = seep_sprof_of(view);
	const char **keys = clean_keys(view);
	int rc = seep_points_need(view, "sprof", err);

	for (size_t i = 0; !rc && i < run->n_stamps; i++) {
		const struct seep_stamp *stamp = &run->stamps[i];

		if (!seep_sprof_shows(&sprof, stamp))
			continue;
		seep_sprof_write_name(view->out, &sprof, stamp);
		fputc(':', view->out);
		seep_sprof_write_triplet(view->out, &sprof, stamp);
		if (stamp->event != SEEP_EVENT_NONE && is_last(&sprof, stamp))
			write_counters(view->out, run, keys, stamp->event);
		fputc('\n', view->out);
	}
	return rc;
}

const struct seep_export_format seep_export_sprof = {
	.name = "sprof",
	.what = "Opticks: SProf.txt",
	.write = write_sprof,
};
