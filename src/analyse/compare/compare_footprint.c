/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/compare/compare_footprint.h"

#include "analyse/series/series.h"
#include "analyse/words/unit.h"

#include <math.h>

/* The figures of one run. */
struct extent {
	double peak_heap, peak_rss, end_rss;
	int64_t end_ns;
	double moves, copied_bytes;
};

static void take_rss(struct extent *extent, double bytes, int64_t t_ns)
{
	extent->peak_rss = fmax(extent->peak_rss, bytes);
	if (t_ns < extent->end_ns)
		return;
	extent->end_rss = bytes;
	extent->end_ns = t_ns;
}

static void take_rss_of_all(struct extent *extent, const struct seep_run *run)
{
	double bytes;

	for (size_t i = 0; i < run->n_stamps; i++)
		if (seep_series_value(&run->stamps[i], SEEP_SERIES_RSS, &bytes))
			take_rss(extent, bytes, run->stamps[i].t_ns);
	for (size_t i = 0; i < run->n_anchors; i++)
		if (run->anchors[i].flags & SEEP_ANCHOR_RSS)
			take_rss(extent, (double)(run->anchors[i].rss_bytes -
						  run->anchors[i].tracker_bytes),
				 run->anchors[i].t_ns);
	for (size_t i = 0; i < run->n_samples; i++)
		if (run->samples[i].flags & SEEP_SAMPLE_RSS)
			take_rss(extent, (double)(run->samples[i].rss_bytes -
						  run->samples[i].tracker_bytes),
				 run->samples[i].t_ns);
}

static void take_heap(struct extent *extent, const struct seep_run *run)
{
	double bytes;

	extent->peak_heap = (double)run->live_bytes;
	for (size_t i = 0; i < run->n_stamps; i++)
		if (seep_series_value(&run->stamps[i], SEEP_SERIES_HEAP, &bytes))
			extent->peak_heap = fmax(extent->peak_heap, bytes);
	for (size_t i = 0; i < run->n_anchors; i++)
		extent->peak_heap = fmax(extent->peak_heap, (double)run->anchors[i].live_bytes);
}

/* Files of other profilers do not say which blocks grew. */
static void take_moves(struct extent *extent, const struct seep_run *run)
{
	if (run->n_dumps)
		return;
	extent->moves = extent->copied_bytes = 0;
	for (size_t i = 0; i < run->n_sites; i++) {
		const struct seep_moves *moves = run->sites[i].moves;

		extent->moves += moves ? (double)moves->moves : 0;
		extent->copied_bytes += moves ? (double)moves->copied_bytes : 0;
	}
}

static struct extent measure(const struct seep_run *run)
{
	struct extent extent = { NAN, NAN, NAN, INT64_MIN, NAN, NAN };

	take_rss_of_all(&extent, run);
	if (run->has_heap && !run->saved) {
		take_heap(&extent, run);
		take_moves(&extent, run);
	}
	return extent;
}

/* The number of events or seconds that moves are divided by; 0: unknown. */
static double count_units(const struct seep_run *run, bool seconds)
{
	double events = (double)seep_run_marked(run), per_s = seep_unit_count_per_s(run);

	if (!seconds)
		return events;
	if (run->wall_ns > 0)
		return (double)run->wall_ns * 1e-9;
	return per_s > 0 ? events / per_s : 0;
}

void seep_compare_footprint_of(struct seep_compare_footprint *footprint,
			       const struct seep_run *before,
			       const struct seep_run *after)
{
	struct extent one = measure(before), two = measure(after);
	bool seconds = seep_run_has_slices(before) || seep_run_has_slices(after);
	double units[] = { count_units(before, seconds), count_units(after, seconds) };

	*footprint = (struct seep_compare_footprint){
		.peak_heap = { one.peak_heap, two.peak_heap },
		.peak_rss = { one.peak_rss, two.peak_rss },
		.end_rss = { one.end_rss, two.end_rss },
		.per = seconds ? "s" : "event",
	};
	if (!(units[0] > 0) || !(units[1] > 0)) {
		units[0] = units[1] = 1;
		footprint->per = NULL;
	}
	footprint->moves =
		(struct seep_compare_footprint_pair){ one.moves / units[0], two.moves / units[1] };
	footprint->copied_bytes = (struct seep_compare_footprint_pair){ one.copied_bytes / units[0],
								two.copied_bytes / units[1] };
}
