/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/gate/exclude.h"

#include "analyse/threshold/thresholds.h"

#include <math.h>

/* Live bytes that were born before a given event; the bins are traversed once. */
struct births {
	const struct seep_cohorts *cohorts;
	int64_t snapshot_event;
	size_t bin;
	double sum;              /* of the bins before this one */
};

static double part_of_bin(const struct births *births, int64_t number)
{
	const struct seep_cohorts *c = births->cohorts;
	int64_t start = c->first_event + (int64_t)births->bin * c->events_per_bin;
	int64_t width = c->events_per_bin;

	if (births->snapshot_event + 1 - start < width) /* the last bin is not full yet */
		width = births->snapshot_event + 1 - start;
	if (number <= start)
		return 0;
	return width <= 0 || number >= start + width ? 1
						     : (double)(number - start) / (double)width;
}

static double born_before(struct births *births, int64_t number)
{
	const struct seep_cohorts *c = births->cohorts;
	double part;

	for (; births->bin < c->n_bins; births->bin++) {
		part = part_of_bin(births, number);
		if (part < 1)
			return births->sum + part * (double)c->live_bytes[births->bin];
		births->sum += (double)c->live_bytes[births->bin];
	}
	return births->sum;
}

/* Adds what the site holds at the start of each event in the trace, and at the end of the run. */
static void add_site(const struct seep_run *run, const struct seep_site *site, double *at_begin,
		     double *at_end)
{
	struct births begin = { .cohorts = &site->cohorts, .snapshot_event = run->snapshot_event };
	struct births end = begin;
	size_t e;

	if (site->cohorts.events_per_bin <= 0)
		return;
	begin.sum = end.sum = (double)site->cohorts.early_bytes;
	for (e = 0; e < run->n_events; e++) {
		at_begin[e] += born_before(&begin, run->events[e].number);
		at_end[e] += born_before(&end, run->events[e].number + 1);
	}
}

static bool is_steady(const struct seep_cohorts *c)
{
	double least = INFINITY, most = 0;
	size_t b;

	for (b = 0; b + 1 < c->n_bins; b++) { /* the last bin is not full */
		least = fmin(least, (double)c->live_bytes[b]);
		most = fmax(most, (double)c->live_bytes[b]);
	}
	return most - least <= WITHOUT_STEADY * most;
}

/* Bin widths and the stride of a trace are powers of two, so the larger one fits both. */
static int64_t find_stride(const struct seep_site *site, int64_t stride)
{
	const struct seep_cohorts *c = &site->cohorts;
	int64_t width = c->events_per_bin;

	if (width <= stride || width & (width - 1) || c->first_event % width || is_steady(c))
		return stride;
	return width;
}

static void copy_stamps(struct seep_run *rest, const struct seep_run *run, const double *at_begin,
			const double *at_end, bool keep_rss, struct seep_arena *arena)
{
	size_t i;

	rest->stamps = seep_arena_array(arena, run->n_stamps, sizeof(*rest->stamps));
	for (i = 0; i < run->n_stamps; i++) {
		struct seep_stamp *stamp = &rest->stamps[i];

		*stamp = run->stamps[i];
		if (!keep_rss)
			stamp->flags &= (uint16_t)~SEEP_STAMP_RSS;
		if (stamp->event < 0 || (size_t)stamp->event >= run->n_events)
			continue;
		stamp->live_bytes -= (int64_t)(stamp->flags & SEEP_STAMP_END
					       ? at_end[stamp->event] : at_begin[stamp->event]);
	}
}

void seep_exclude_sites(struct seep_run *rest, const struct seep_run *run, const bool *left_out,
			bool keep_rss, struct seep_arena *arena)
{
	double *at_begin = seep_arena_array(arena, run->n_events, sizeof(double));
	double *at_end = seep_arena_array(arena, run->n_events, sizeof(double));
	size_t i;

	*rest = *run;
	rest->sites = seep_arena_array(arena, run->n_sites, sizeof(*rest->sites));
	rest->n_sites = 0;
	for (i = 0; i < run->n_sites; i++) {
		const struct seep_site *site = &run->sites[i];

		if (!left_out[i]) {
			rest->sites[rest->n_sites++] = *site;
		} else if (site->kind == SEEP_MEMORY_HEAP) {
			add_site(run, site, at_begin, at_end);
			rest->stride = find_stride(site, rest->stride);
		}
	}
	copy_stamps(rest, run, at_begin, at_end, keep_rss, arena);
	if (!keep_rss)
		rest->n_anchors = 0;
}
