/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/export/series/points.h"

#include <errno.h>
#include <string.h>

#define LEAST_US INT64_C(1000000000000000)
#define MOST_US INT64_C(9999999999999999)

int64_t seep_points_us(const struct seep_run *run, const struct seep_stamp *stamp)
{
	int64_t ns;

	if (__builtin_add_overflow(run->started_real_ns, stamp->t_ns, &ns))
		return -1;
	return ns / 1000 < LEAST_US || ns / 1000 > MOST_US ? -1 : ns / 1000;
}

static bool is_measured(const struct seep_stamp *stamp)
{
	return stamp->flags & SEEP_STAMP_RSS && stamp->vm_bytes >= 0 && stamp->rss_bytes >= 0;
}

bool seep_points_usable(const struct seep_run *run, const struct seep_stamp *stamp)
{
	return is_measured(stamp) && seep_points_us(run, stamp) >= 0;
}

int seep_points_need(const struct seep_view *view, const char *format, struct seep_err *err)
{
	const struct seep_run *run = view->run;
	bool measured = false;

	for (size_t i = 0; i < run->n_stamps; i++) {
		if (seep_points_usable(run, &run->stamps[i]))
			return 0;
		measured |= is_measured(&run->stamps[i]);
	}
	if (measured)
		return seep_err_set(err, ENODATA, "'%.200s' does not say when it was recorded, "
				    "which %s requires; use --to csv instead",
				    run->path, format);
	return seep_err_set(err, ENODATA, "'%.200s' has no stamp or time slice at which RSS was "
			    "measured, which %s requires; use --to csv instead", run->path, format);
}

const char *seep_points_name(const struct seep_run *run, const struct seep_stamp *stamp)
{
	if (stamp->flags & SEEP_STAMP_BEGIN)
		return "begin";
	if (stamp->flags & SEEP_STAMP_END)
		return "end";
	return stamp->name ? run->names[stamp->name] : "slice";
}

static const struct seep_stamp *begin_of(const struct seep_run *run, size_t event)
{
	return &run->stamps[run->events[event].first_stamp];
}

struct seep_points seep_points_of(const struct seep_run *run)
{
	struct seep_points points = { .run = run };

	for (size_t i = 0; !points.begins && i < run->n_events; i++)
		points.begins = seep_points_usable(run, begin_of(run, i));
	return points;
}

const struct seep_stamp *seep_points_next(struct seep_points *points)
{
	const struct seep_run *run = points->run;
	size_t n = points->begins ? run->n_events : run->n_stamps;

	while (points->at < n) {
		size_t at = points->at++;
		const struct seep_stamp *stamp = points->begins ? begin_of(run, at)
								: &run->stamps[at];

		if (seep_points_usable(run, stamp))
			return stamp;
	}
	return NULL;
}

bool seep_points_have_indices(const struct seep_run *run)
{
	int64_t last = -1;

	for (size_t i = 0; i < run->n_events; i++) {
		if (run->events[i].index <= last)
			return false;
		last = run->events[i].index;
	}
	return true;
}

int64_t seep_points_index(const struct seep_event *event, bool have_indices)
{
	return have_indices ? event->index : event->number;
}

const char *seep_points_clean(const struct seep_view *view, const char *text, const char *except)
{
	char *clean = seep_arena_copy(view->arena, *text ? text : "_", *text ? strlen(text) : 1);

	for (char *c = clean; *c; c++)
		if (*c < 0x20 || *c > 0x7e || strchr(except, *c))
			*c = '_';
	return clean;
}
