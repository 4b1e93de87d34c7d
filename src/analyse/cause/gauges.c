/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gauges come with every event and are judged like memory, by rate.h and trend.h.  Descriptors and
 * threads are small whole numbers, read at anchors that get rarer as the run goes on.  They get a
 * line fit of their own, and conditions that a pool or a busy moment does not meet.
 */
#include "analyse/cause/gauges.h"

#include "analyse/series/rate.h"
#include "analyse/series/series.h"
#include "analyse/series/trend.h"
#include "analyse/threshold/thresholds.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

const char *seep_gauges_unit_name(enum seep_gauge_unit unit)
{
	static const char *const names[] = {
		[SEEP_GAUGE_BYTES] = "bytes",
		[SEEP_GAUGE_DESCRIPTORS] = "descriptors",
		[SEEP_GAUGE_THREADS] = "threads",
	};

	return names[unit];
}

/* Otherwise the gauges come from seep watch or another tool, and are memory by other names. */
static bool has_own_gauges(const struct seep_run *run)
{
	return run->has_heap || seep_run_has_marks(run);
}

static void start_series(struct seep_series *series, const struct seep_run *run, size_t room,
			 double quantum, struct seep_arena *arena)
{
	*series = (struct seep_series){
		.kind = SEEP_SERIES_RSS,
		.stride = 1,
		.slices = seep_run_has_slices(run),
		.quantum = quantum,
		.events = seep_arena_array(arena, room, sizeof(size_t)),
		.index = seep_arena_array(arena, room, sizeof(double)),
		.values = seep_arena_array(arena, room, sizeof(double)),
		.seconds = seep_arena_array(arena, room, sizeof(double)),
		.restarts = seep_arena_array(arena, room, sizeof(bool)),
	};
}

/* Takes the first value of each event, up to the clean-up. */
static void add_value(struct seep_series *series, const struct seep_run *run, int64_t event,
		      int64_t t_ns, double value)
{
	size_t i = series->n;

	if (event < 0 || event >= seep_run_end(run) ||
	    (i && (double)event <= series->index[i - 1]))
		return;
	series->events[i] = seep_run_place(run, event);
	series->index[i] = (double)event;
	series->seconds[i] = seep_run_seconds(run, t_ns);
	series->values[i] = value;
	series->n++;
}

static void end_series(struct seep_series *series)
{
	size_t last = series->n - 1;

	if (series->n > 1)
		series->stride = (series->index[last] - series->index[0]) / (double)last;
	series->has_closing = series->n;
	series->closing = series->n ? series->values[last] : 0;
}

/* An event without a value has 0, which counts only if the program gave all values. */
static void read_gauge(struct seep_series *series, const struct seep_run *run,
		       const struct seep_counter *counter, struct seep_arena *arena)
{
	size_t e;

	start_series(series, run, run->n_events, 0, arena);
	for (e = 0; e < run->n_events; e++) {
		const struct seep_event *event = &run->events[e];
		bool between = run->stride > 1 && event->number % run->stride;
		bool given = counter->given >= run->n_events || counter->values[e] < 0 ||
			     counter->values[e] > 0;

		if (given && !between)
			add_value(series, run, event->number,
				  run->stamps[event->first_stamp].t_ns, counter->values[e]);
	}
	end_series(series);
}

static void read_anchors(struct seep_series *series, const struct seep_run *run, bool threads,
			 struct seep_arena *arena)
{
	uint16_t wanted = SEEP_ANCHOR_BEGIN |
			  (threads ? SEEP_ANCHOR_THREADS : SEEP_ANCHOR_DESCRIPTORS);
	size_t i;

	start_series(series, run, run->n_anchors, 1, arena);
	for (i = 0; i < run->n_anchors; i++) {
		const struct seep_anchor *a = &run->anchors[i];

		if ((a->flags & wanted) == wanted)
			add_value(series, run, a->event, a->t_ns,
				  (double)(threads ? a->threads : a->descriptors));
	}
	end_series(series);
}

static void read_samples(struct seep_series *series, const struct seep_run *run, bool threads,
			 struct seep_arena *arena)
{
	uint32_t wanted = threads ? SEEP_SAMPLE_THREADS : SEEP_SAMPLE_DESCRIPTORS;
	size_t i;

	start_series(series, run, run->n_samples, 1, arena);
	for (i = 0; i < run->n_samples; i++) {
		const struct seep_sample *s = &run->samples[i];

		if (s->flags & wanted)
			add_value(series, run, s->event, s->t_ns,
				  (double)(threads ? s->threads : s->descriptors));
	}
	end_series(series);
}

static void judge_bytes(struct seep_gauge_result *gauge, const struct seep_series *series,
			struct seep_arena *arena)
{
	struct seep_trend trend;
	struct seep_rate rate;
	double rise;

	seep_rate_estimate(&rate, series);
	seep_trend_find(&trend, series, &rate, RSS_DOUBT, arena);
	rise = series->values[series->n - 1] - series->values[rate.first];
	gauge->rises = trend.course == SEEP_COURSE_GROWS &&
		       rise > trend.tolerance * seep_trend_events(&rate);
	gauge->per_event = gauge->rises ? trend.bytes_per_event : rate.bytes_per_event;
}

/* Values behind the warm-up, with their line. */
struct counts {
	const double *x, *y;
	size_t n;
	double slope;            /* least squares */
	double error;            /* standard error of the slope */
};

static struct counts find_counts(const struct seep_series *series, const struct seep_run *run)
{
	double warm = fmax((double)seep_run_end(run) / WARM_PARTS, 1);
	size_t first = 0;

	while (first < series->n && series->index[first] < warm)
		first++;
	return (struct counts){ series->index + first, series->values + first,
				series->n - first, 0, 0 };
}

/*
 * Anchors get rarer as a run goes on, so methods for values at equal distances do not apply.  The
 * values may scatter around the line or wander off it: the model that makes the slope less certain
 * counts.
 */
static void fit_line(struct counts *c)
{
	double n = (double)c->n, x = 0, y = 0, squares = 0, products = 0, scatter = 0, wander = 0;
	double span = c->x[c->n - 1] - c->x[0], mean;
	size_t i;

	for (i = 0; i < c->n; i++) {
		x += c->x[i] / n;
		y += (c->y[i] - c->y[0]) / n; /* exact where it rests */
	}
	for (i = 0; i < c->n; i++) {
		squares += (c->x[i] - x) * (c->x[i] - x);
		products += (c->x[i] - x) * (c->y[i] - c->y[0] - y);
	}
	c->slope = products / squares;
	mean = (c->y[c->n - 1] - c->y[0]) / span;
	for (i = 0; i < c->n; i++) {
		scatter += pow(c->y[i] - c->y[0] - y - c->slope * (c->x[i] - x), 2) / (n - 2);
		if (i)
			wander += pow(c->y[i] - c->y[i - 1] - mean * (c->x[i] - c->x[i - 1]), 2) /
				  (c->x[i] - c->x[i - 1]) / (n - 2);
	}
	c->error = sqrt(fmax(scatter / squares, wander / span));
}

/* It did not come in one step, nor only in the first half. */
static bool goes_on(const struct counts *c)
{
	size_t last = c->n - 1, i, half = 0;
	double rise = c->y[last] - c->y[0], span = c->x[last] - c->x[0];

	for (i = 1; i <= last; i++) {
		if (c->y[i] - c->y[i - 1] > COUNT_STEP * rise)
			return false;
		if (c->x[i] - c->x[0] <= span / 2)
			half = i;
	}
	return c->y[last] - c->y[half] >= COUNT_LATE * rise / span * (c->x[last] - c->x[half]);
}

static void judge_counts(struct seep_gauge_result *gauge, const struct seep_series *series,
			 const struct seep_run *run)
{
	struct seep_estimate *e = &gauge->per_event;
	struct counts c = find_counts(series, run);
	double df = (double)c.n - 2, width, p_plus;

	if (c.n < 3)
		return;
	fit_line(&c);
	width = gsl_cdf_tdist_Pinv(1 - INTERVAL_TAIL, df) * c.error;
	*e = (struct seep_estimate){ true, c.slope, c.slope - width, c.slope + width };
	p_plus = c.error > 0 ? gsl_cdf_tdist_P(-c.slope / c.error, df) : !(c.slope > 0);
	gauge->rises = c.n >= COUNT_VALUES && e->low > 0 && p_plus < RSS_DOUBT &&
		       c.y[c.n - 1] - c.y[0] >= COUNT_RISE && goes_on(&c);
}

static void judge(struct seep_gauge_result *gauge, const struct seep_series *series,
		  const struct seep_run *run, struct seep_arena *arena)
{
	size_t last = series->n - 1;
	double seconds = series->seconds[last] - series->seconds[0];

	gauge->first = series->values[0];
	gauge->last = series->values[last];
	if (gauge->unit == SEEP_GAUGE_BYTES)
		judge_bytes(gauge, series, arena);
	else
		judge_counts(gauge, series, run);
	if (seconds > 0)
		gauge->per_s = gauge->per_event.value * (series->index[last] - series->index[0]) /
			       seconds;
}

void seep_gauges_judge(struct seep_gauge_result **gauges, size_t *n, const struct seep_run *run,
		       struct seep_arena *arena)
{
	struct seep_gauge_result *all = seep_arena_array(arena, run->n_counters + 2, sizeof(*all));
	struct seep_series series;
	size_t c, unit;

	*gauges = all;
	*n = 0;
	for (c = 0; c < run->n_counters && has_own_gauges(run); c++) {
		if (!run->counters[c].gauge)
			continue;
		read_gauge(&series, run, &run->counters[c], arena);
		if (!series.n)
			continue;
		all[*n].name = run->counters[c].name;
		all[*n].unit = SEEP_GAUGE_BYTES;
		judge(&all[(*n)++], &series, run, arena);
	}
	for (unit = SEEP_GAUGE_DESCRIPTORS; unit <= SEEP_GAUGE_THREADS; unit++) {
		bool threads = unit == SEEP_GAUGE_THREADS;

		if (seep_run_has_slices(run))
			read_samples(&series, run, threads, arena);
		else
			read_anchors(&series, run, threads, arena);
		if (!series.n)
			continue;
		all[*n].name = seep_gauges_unit_name((enum seep_gauge_unit)unit);
		all[*n].unit = (enum seep_gauge_unit)unit;
		judge(&all[(*n)++], &series, run, arena);
	}
}
