/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Selects the rates to compare.  The verdict on one run may be about its live heap and the verdict
 * on the other about RSS.  The difference of these two would mean nothing, so one series is used
 * for both runs.
 */
#include "analyse/compare/compare_sides.h"

#include "analyse/series/rate.h"
#include "analyse/series/series.h"
#include "analyse/series/trend.h"
#include "analyse/threshold/thresholds.h"

static struct seep_estimate measure(const struct seep_run *run, enum seep_series_kind kind,
				    struct seep_arena *arena)
{
	struct seep_series series;
	struct seep_trend trend = { 0 };
	struct seep_rate rate;

	seep_series_build(&series, run, kind, arena);
	if (!series.n)
		return (struct seep_estimate){ .known = false };
	seep_rate_estimate(&rate, &series);
	if (kind == SEEP_SERIES_HEAP && run->sampling.mean_bytes) {
		seep_rate_widen(&rate, (double)run->sampling.mean_bytes);
		return rate.bytes_per_event;
	}
	seep_trend_find(&trend, &series, &rate, INTERVAL_TAIL, arena);
	return trend.bytes_per_event.known ? trend.bytes_per_event : rate.bytes_per_event;
}

/*
 * If both runs grow, or neither does: the live heap, which has no noise.  If only one run grows:
 * the series in which it grows.
 */
static bool picks_heap(const struct seep_compare_side *sides)
{
	const struct seep_verdict *before = sides[0].verdict, *after = sides[1].verdict;
	bool grew = seep_verdict_kind_grows(before->kind);
	bool grows = seep_verdict_kind_grows(after->kind);

	if (before->from_heap == after->from_heap)
		return before->from_heap;
	if (!sides[0].run->has_heap || !sides[1].run->has_heap)
		return false;
	return grew == grows || (grew ? before : after)->from_heap;
}

void seep_compare_series(struct seep_compare *compare, const struct seep_compare_side *sides,
			 struct seep_arena *arena)
{
	compare->mixed = sides[0].verdict->from_heap != sides[1].verdict->from_heap;
	compare->heap = picks_heap(sides);
	for (int s = 0; s < 2; s++) {
		bool own = sides[s].verdict->from_heap == compare->heap;

		*(s ? &compare->bytes.after : &compare->bytes.before) =
			own ? sides[s].verdict->bytes_per_event
			    : measure(sides[s].run, compare->heap ? SEEP_SERIES_HEAP
								  : SEEP_SERIES_RSS, arena);
	}
}
