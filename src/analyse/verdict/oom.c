/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/verdict/oom.h"

#include "analyse/series/glsmix.h"
#include "analyse/threshold/thresholds.h"

#include <math.h>
#include <string.h>

#define VM_QUANTUM 135168        /* step of the break in bytes; arenas take more */

/* What is compared with the limits of one kind: how much there is, and how fast it grows. */
struct level {
	bool known;
	double bytes;
	struct seep_estimate per_event;
};

/* Resident memory and swap, as last read. */
static struct level read_rss(const struct seep_verdict *verdict,
			     const struct seep_evidence *evidence)
{
	const struct seep_run *run = evidence->run;
	struct level level = {
		.known = evidence->rss.has_closing && verdict->bytes_per_event.known,
		.bytes = evidence->rss.closing,
		.per_event = verdict->bytes_per_event,
	};

	/* what the allocator keeps besides a leak fills the memory too */
	if (evidence->rss_trend.course == SEEP_COURSE_GROWS &&
	    evidence->rss_trend.bytes_per_event.low > level.per_event.high)
		level.per_event = evidence->rss_trend.bytes_per_event;
	if (run->n_anchors && run->anchors[run->n_anchors - 1].flags & SEEP_ANCHOR_RSS)
		level.bytes += (double)run->anchors[run->n_anchors - 1].swap_bytes;
	if (verdict->from_heap && UNTOUCHED * level.bytes <
		    verdict->bytes_per_event.value * seep_trend_events(&evidence->heap_rate)) {
		level.per_event = evidence->rss_trend.bytes_per_event;
		level.known = evidence->rss_trend.course == SEEP_COURSE_GROWS;
	}
	return level;
}

/* Address space at the anchors of RSS, less what the tracker took during the run. */
static struct seep_series read_addresses(const struct seep_evidence *evidence,
					 struct seep_arena *arena)
{
	const struct seep_run *run = evidence->run;
	struct seep_series vm = evidence->rss;
	size_t i;

	vm.values = seep_arena_array(arena, vm.n, sizeof(double));
	vm.quantum = VM_QUANTUM;
	for (i = 0; i < vm.n; i++) {
		const struct seep_event *event = &run->events[vm.events[i]];
		const struct seep_stamp *begin = &run->stamps[event->first_stamp];

		vm.values[i] = (double)begin->vm_bytes - (double)begin->tracker_bytes;
	}
	for (i = run->n_stamps; i-- > 0;)
		if (run->stamps[i].flags & SEEP_STAMP_RSS) {
			vm.closing = (double)run->stamps[i].vm_bytes;
			break;
		}
	return vm;
}

/*
 * What grows in memory also grows in address space, but that comes in large pieces, so its own
 * slope says little.  It counts if it is clearly steeper, because memory is mapped and not touched.
 */
static struct level read_vm(const struct seep_verdict *verdict,
			    const struct seep_evidence *evidence, struct seep_arena *arena)
{
	struct seep_series series = read_addresses(evidence, arena);
	struct level level = {
		.known = series.has_closing && series.closing > 0 && verdict->bytes_per_event.known,
		.bytes = series.closing,
		.per_event = verdict->bytes_per_event,
	};
	struct seep_rate rate;

	seep_rate_estimate(&rate, &series);
	if (rate.bytes_per_event.known && rate.bytes_per_event.low > level.per_event.high)
		level.per_event = rate.bytes_per_event;
	return level;
}

/* Seconds from event to event.  If not known, as if there were no spread. */
static struct seep_estimate read_period(const struct seep_verdict *verdict,
					struct seep_arena *arena)
{
	const struct seep_series *series = verdict->basis.series;
	const struct seep_rate *rate = verdict->basis.rate;
	struct seep_estimate period = { false, rate->period_s, rate->period_s, rate->period_s };
	double *ns = seep_arena_array(arena, rate->n, sizeof(double));
	struct seep_glsmix fit;
	size_t i;

	if (rate->n < VALUES_FOR_RATE)
		return period;
	for (i = 0; i < rate->n; i++)
		ns[i] = 1e9 * (series->seconds[rate->first + i] - series->seconds[rate->first]);
	seep_glsmix_trend(&fit, ns, series->index + rate->first, rate->n, 0);
	if (!fit.known || !(fit.mean > 0))
		return period;
	period.known = true;
	/* A period is positive: its interval is symmetric on a logarithmic scale. */
	period.low = period.value * exp(fmin(1e-9 * fit.low / period.value - 1, 0));
	period.high = period.value * exp(fmax(1e-9 * fit.high / period.value - 1, 0));
	return period;
}

/* How far the time may be off, as a factor, from two independent uncertainties. */
static double combine(double one, double other)
{
	if (!(one > 0) || !(other > 0) || isinf(one) || isinf(other))
		return INFINITY;
	return exp(hypot(log(one), log(other)));
}

static struct seep_oom reach(const struct seep_limit *limit, const struct level *level,
			     const struct seep_estimate *period)
{
	const struct seep_estimate *rate = &level->per_event;
	struct seep_oom oom = {
		.known = true,
		.limit_bytes = limit->bytes,
		.limit_source = limit->source,
		.room_bytes = fmax((double)(limit->bytes - limit->others_bytes) - level->bytes, 0),
		.high = INFINITY,
		.events_high = INFINITY,
	};

	oom.bytes_per_event = rate->value;
	oom.events = oom.room_bytes / rate->value;
	oom.events_low = oom.room_bytes / rate->high;
	oom.seconds = oom.events * period->value;
	oom.low = oom.seconds / combine(rate->high / rate->value, period->value / period->low);
	if (rate->low > 0) {
		oom.events_high = oom.room_bytes / rate->low;
		oom.high = oom.seconds *
			   combine(rate->value / rate->low, period->high / period->value);
	}
	return oom;
}

static void keep_first(struct seep_oom *first, const struct seep_oom *oom)
{
	if (!first->known || oom->seconds < first->seconds ||
	    (oom->seconds <= first->seconds && oom->limit_bytes < first->limit_bytes))
		*first = *oom;
}

void seep_oom_reach(struct seep_verdict *verdict, const struct seep_evidence *evidence,
		    struct seep_arena *arena)
{
	const struct seep_run *run = evidence->run;
	struct level rss = read_rss(verdict, evidence);
	struct level vm = read_vm(verdict, evidence, arena);
	struct seep_estimate period = read_period(verdict, arena);
	size_t i;

	memset(&verdict->oom, 0, sizeof(verdict->oom));
	memset(&verdict->slowdown, 0, sizeof(verdict->slowdown));
	for (i = 0; i < run->n_limits; i++) {
		const struct seep_limit *limit = &run->limits[i];
		const struct level *level = limit->counts == SEEP_LIMIT_VM ? &vm : &rss;
		struct seep_oom oom;

		if (limit->bytes <= 0 || !level->known || !(level->per_event.value > 0) ||
		    !(period.value > 0))
			continue;
		oom = reach(limit, level, &period);
		keep_first(limit->slows ? &verdict->slowdown : &verdict->oom, &oom);
	}
	if (verdict->oom.known && verdict->slowdown.seconds >= verdict->oom.seconds)
		verdict->slowdown.known = false;
}
