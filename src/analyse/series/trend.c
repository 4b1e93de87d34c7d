/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The first of these that applies decides: restarts (the parts between them are pooled), a tail at
 * rest, teeth or stairs, the shape.  Each ends in settle(), which compares a rate with 0 and with
 * the tolerance: the series grows, does not, or the question stays open.
 */
#include "analyse/series/trend.h"

#include "analyse/threshold/thresholds.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define PARTS_MAX 64
#define TAIL_PARTS 5

double seep_trend_events(const struct seep_rate *rate)
{
	return (double)(rate->first + rate->n) * rate->stride;
}

double seep_trend_tolerance(const struct seep_rate *rate)
{
	double sum = fmax(TOLERATED_PART * rate->level, TOLERATED_SUM);

	return fmax(TOLERATED_BYTES, sum / seep_trend_events(rate));
}

double seep_trend_tolerated(const struct seep_trend *trend, const struct seep_rate *rate)
{
	return trend->tolerance * seep_trend_events(rate);
}

double seep_trend_change(const struct seep_series *series, const struct seep_rate *rate,
			 double *events)
{
	*events = series->index[series->n - 1] - series->index[rate->first];
	return series->values[series->n - 1] - series->values[rate->first];
}

bool seep_trend_is_straight(const struct seep_trend *trend)
{
	const double *bic = trend->fit.bic;

	return trend->fit.known && trend->fit.shape == SEEP_SHAPE_LINE &&
	       fmin(fmin(bic[SEEP_SHAPE_CURVE], bic[SEEP_SHAPE_BEND]), bic[SEEP_SHAPE_KINK]) >
		       bic[SEEP_SHAPE_LINE] + SHAPE_STRAIGHT;
}

static bool is_shown(const struct seep_estimate *e, double p_plus, double doubt)
{
	return e->known && e->low > 0 && p_plus < doubt;
}

/* It grows, it does not, or the question stays open. */
static void settle(struct seep_trend *trend, const struct seep_estimate *e, double p_plus,
		   double doubt, enum seep_told_by told_by)
{
	trend->bytes_per_event = *e;
	trend->p_plus = p_plus;
	trend->told_by = told_by;
	trend->course = SEEP_COURSE_OPEN;
	if (is_shown(e, p_plus, doubt))
		trend->course = SEEP_COURSE_GROWS;
	else if (e->known && e->high < trend->tolerance)
		trend->course = SEEP_COURSE_FLAT;
}

/* The mean over a part of the values. */
static double mean_of(const double *values, size_t first, size_t end)
{
	double sum = 0;
	size_t i;

	for (i = first; i < end; i++)
		sum += values[i] - values[0];
	return sum / (double)(end - first) + values[0];
}

/* Has the last quarter slowed down against the one before? */
static bool still_bends(const double *y, size_t n)
{
	size_t eighth = n / 8;
	double at[3];

	if (!eighth)
		return false;
	at[0] = mean_of(y, n - 4 * eighth - eighth / 2, n - 4 * eighth + (eighth + 1) / 2);
	at[1] = mean_of(y, n - 2 * eighth - eighth / 2, n - 2 * eighth + (eighth + 1) / 2);
	at[2] = mean_of(y, n - eighth, n);
	/* the last mean is half an eighth before the end */
	return (at[2] - at[1]) / 1.5 < STILL_BENDING * (at[1] - at[0]) / 2;
}

/* Larger than what is tolerated over the run? */
static bool matters(const struct seep_trend *trend, double rise, double events)
{
	return rise > trend->tolerance * events;
}

/*
 * Less than is tolerated, but so far above the noise of an exact series that it cannot be
 * overlooked.  A step of that size is one table that grew, and not a course.
 */
static bool is_clear(const struct seep_trend *trend, double rise, double until, double events,
		     enum seep_course course)
{
	const struct seep_shape_fit *fit = &trend->fit;
	double plain = fmin(fit->bic[SEEP_SHAPE_FLAT], fit->bic[SEEP_SHAPE_LINE]);

	return course == SEEP_COURSE_LEVELS_OFF && trend->noise >= 0 && rise >= trend->small &&
	       rise > SMALL_RISE_NOISES * trend->noise && until >= SMALL_RISE_PART * events &&
	       plain - fit->bic[fit->shape] > SMALL_RISE_BETTER && fit->rate.high * events < rise &&
	       !(fit->tau > TAU_SETTLED * events);
}

/*
 * A rise that has ended, if the slope after it says so.  until: events during which it rose; a
 * rise within the first few is a warm-up that is not reported.
 */
static void level_off(struct seep_trend *trend, double rise, double until, double events,
		      double doubt, enum seep_course course)
{
	const struct seep_shape_fit *fit = &trend->fit;

	settle(trend, &fit->rate, fit->p_plus, doubt, SEEP_TOLD_BY_END);
	if (trend->course == SEEP_COURSE_GROWS ||
	    until < fmax(EARLY_EVENTS, EARLY_PART * events))
		return;
	if (!matters(trend, rise + fmin(fit->rate.high, 0) * events, events)) {
		/* it does not matter, or was given back afterwards */
		if (!is_clear(trend, rise, until, events, course))
			return;
		trend->course = course;
		trend->rise = rise;
		return;
	}
	trend->course = SEEP_COURSE_OPEN;
	trend->likely = course;
	trend->rise = rise;
	if (fit->rate.high * events < fmax(LEFT_OVER * rise, trend->tolerance * events))
		trend->course = course;
}

/* It gets faster, so the last quarter counts. */
static void judge_rising(struct seep_trend *trend, const double *y, const double *x, size_t n,
			 double quantum, double doubt)
{
	size_t first = n - n / 4;
	struct seep_estimate last;
	struct seep_glsmix mix;

	if (n - first < FASTER_EVENTS)
		return;
	seep_glsmix_trend(&mix, y + first, x + first, n - first, quantum);
	last = (struct seep_estimate){ mix.known, mix.mean, mix.low, mix.high };
	if (!is_shown(&last, mix.p_plus, doubt))
		return;
	settle(trend, &last, mix.p_plus, doubt, SEEP_TOLD_BY_END);
	trend->since = x[first];
}

static void judge_curve(struct seep_trend *trend, const double *y, size_t n, double events,
			double doubt)
{
	const struct seep_shape_fit *fit = &trend->fit;
	double gone = 1 - exp(-events / fit->tau);

	level_off(trend, fit->height * gone, TAUS_ENOUGH * fit->tau, events, doubt,
		  SEEP_COURSE_LEVELS_OFF);
	if (fit->height <= 0)
		return;
	if (trend->course == SEEP_COURSE_GROWS && still_bends(y, n)) {
		trend->course = SEEP_COURSE_LEVELS_OFF;
		trend->rise = fit->height * gone;
	}
	if (trend->course == SEEP_COURSE_LEVELS_OFF && fit->tau > TAU_SETTLED * events) {
		trend->course = SEEP_COURSE_OPEN;
		trend->needed = TAUS_ENOUGH * fit->tau;
	}
}

static void judge_kink(struct seep_trend *trend, const double *y, size_t n, double x0,
		       double events, double doubt)
{
	const struct seep_shape_fit *fit = &trend->fit;
	double rise = fit->before * (fit->at - x0);

	level_off(trend, rise, fit->at - x0, events, doubt, SEEP_COURSE_LEVELS_OFF);
	trend->since = fit->at;
	if (trend->course == SEEP_COURSE_GROWS && fit->before > fit->rate.value &&
	    still_bends(y, n)) {
		trend->course = SEEP_COURSE_LEVELS_OFF;
		trend->rise = rise;
	}
}

/*
 * Where the shape begins: after the warm-up, if that is short and what it added beyond the rate
 * does not matter.  Otherwise the warm-up is part of the shape.
 */
static size_t find_start(const struct seep_trend *trend, const struct seep_series *series,
			 const struct seep_rate *rate)
{
	const double *y = series->values, *x = series->index;
	size_t first = rate->first;
	double excess;

	if (first < 2 || first * WARMUP_SHORT > series->n)
		return 1;
	excess = y[first] - y[1] - rate->bytes_per_event.value * (x[first] - x[1]);
	return excess < trend->tolerance * seep_trend_events(rate) ? first : 1;
}

static bool is_step(const struct seep_shape_fit *fit)
{
	return fit->known && fit->height > 0 &&
	       (fit->shape == SEEP_SHAPE_STEP || fit->shape == SEEP_SHAPE_STEP_LINE);
}

/*
 * One step has been found.  Is there another after it is taken out?  The slope at the end would
 * have to make up for steps that were not looked for.
 */
static void judge_steps(struct seep_trend *trend, const double *y, const double *x, size_t n,
			double quantum, double doubt, struct seep_arena *arena)
{
	double *rest = seep_arena_array(arena, n, sizeof(*rest)), last = trend->fit.at;
	struct seep_shape_fit next = trend->fit;
	double rise = next.height;
	size_t i, steps = 1;

	memcpy(rest, y, n * sizeof(*rest));
	while (is_step(&next) && steps < STEPS_MOST) {
		for (i = 0; i < n; i++)
			rest[i] -= x[i] > next.at ? next.height : 0;
		seep_shape_choose(&next, rest, x, n, quantum);
		if (!is_step(&next))
			break;
		trend->fit.rate = next.rate;
		trend->fit.p_plus = next.p_plus;
		rise += next.height;
		last = fmax(last, next.at);
		steps++;
	}
	trend->fit.at = last;
	level_off(trend, rise, last - x[0], x[n - 1] - x[0], doubt, SEEP_COURSE_STEP);
	if (trend->likely == SEEP_COURSE_STEP)
		trend->steps = steps;
}

/* How far a value is from the mean of its neighbours, as a standard deviation of one value. */
static double find_noise(const double *y, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 1; i + 1 < n; i++)
		sum += pow(y[i] - (y[i - 1] + y[i + 1]) / 2, 2);
	return n > 2 ? sqrt(sum / (double)(n - 2) / 1.5) : 0;
}

static void judge_shape(struct seep_trend *trend, const struct seep_series *series,
			const struct seep_rate *rate, double doubt, struct seep_arena *arena)
{
	size_t first = find_start(trend, series, rate);
	const double *y = series->values + first, *x = series->index + first;
	size_t n = series->n - first;
	double events = x[n - 1] - x[0];

	seep_shape_choose(&trend->fit, y, x, n, series->quantum);
	trend->small = fmax(SMALL_RISE, TOLERATED_PART * rate->level);
	trend->noise = series->quantum > 0 ? -1 : find_noise(y, n);
	switch (trend->fit.shape) {
	case SEEP_SHAPE_FLAT:
	case SEEP_SHAPE_LINE:
	case SEEP_SHAPES:
		break;
	case SEEP_SHAPE_STEP:
	case SEEP_SHAPE_STEP_LINE:
		judge_steps(trend, y, x, n, series->quantum, doubt, arena);
		return;
	case SEEP_SHAPE_CURVE:
	case SEEP_SHAPE_BEND:
		judge_curve(trend, y, n, events, doubt);
		if (trend->fit.height < 0)
			judge_rising(trend, y, x, n, series->quantum, doubt);
		return;
	case SEEP_SHAPE_KINK:
		judge_kink(trend, y, n, x[0], events, doubt);
		return;
	}
	settle(trend, &rate->bytes_per_event, rate->p_plus, doubt, SEEP_TOLD_BY_LINE);
}

static bool judge_jumps(struct seep_trend *trend, const struct seep_series *series, double doubt,
			struct seep_arena *arena)
{
	double *scratch = seep_arena_array(arena, series->n + 1, sizeof(double));
	const double *y = series->values;
	size_t n = series->n;

	seep_jumps_find_teeth(&trend->teeth, y, series->index, n, scratch);
	if (trend->teeth.found) {
		settle(trend, &trend->teeth.rate, trend->teeth.p_plus, doubt,
		       SEEP_TOLD_BY_TROUGHS);
		if (trend->course != SEEP_COURSE_GROWS)
			trend->course = SEEP_COURSE_TEETH;
		return true;
	}
	seep_jumps_find_stairs(&trend->stairs, y, series->index, n, scratch);
	if (!trend->stairs.found || !(trend->stairs.rate.low > 0) ||
	    (double)trend->stairs.steps * trend->stairs.height < STAIRS_PART * (y[n - 1] - y[1]))
		return false;
	settle(trend, &trend->stairs.rate, 0, doubt, SEEP_TOLD_BY_STAIRS);
	if (trend->stairs.rate.high < trend->tolerance)
		trend->course = SEEP_COURSE_FLAT; /* some steps of a page, say */
	return true;
}

/*
 * In slices of time, a load comes and goes, and no curve fits that.  But a level that has not moved
 * in the last fifth of the run, after moving before, has come to rest.
 */
static bool judge_tail(struct seep_trend *trend, const struct seep_series *series)
{
	size_t n = series->n, first = n - n / TAIL_PARTS;
	const double *y = series->values, *x = series->index;
	double least, most, low, high, events;

	if (!series->slices || n < TAIL_SLICES)
		return false;
	seep_series_ends(y + 1, n - 1, &least, &most);
	seep_series_ends(y + first, n - first, &low, &high);
	events = x[n - 1] - x[first];
	if (high - low > TAIL_MOVES * (most - least) ||
	    most - least <= trend->tolerance * x[n - 1] ||
	    (low + high) / 2 < (least + most) / 2)
		return false;
	trend->course = SEEP_COURSE_LEVELS_OFF;
	trend->told_by = SEEP_TOLD_BY_END;
	trend->since = x[first];
	trend->rise = fmax((low + high) / 2 - y[1], 0);
	trend->bytes_per_event = (struct seep_estimate){
		true, (y[n - 1] - y[first]) / events, -(high - low) / events, (high - low) / events,
	};
	return true;
}

/* The rates of the parts between restarts, weighed by how well each is known. */
struct parts {
	size_t n;
	double value[PARTS_MAX], se[PARTS_MAX];
};

static void add_part(struct parts *parts, const struct seep_series *series, size_t first,
		     size_t end)
{
	struct seep_series part = *series;
	struct seep_rate rate;

	if (end - first < VALUES_FOR_RATE || parts->n == PARTS_MAX)
		return;
	part.n = end - first;
	part.values += first;
	part.index += first;
	part.seconds += first;
	seep_rate_estimate(&rate, &part);
	if (!rate.bytes_per_event.known)
		return;
	parts->value[parts->n] = rate.bytes_per_event.value;
	/* a part without any noise is not known for certain */
	parts->se[parts->n++] = fmax(rate.floor / INTERVAL_SIGMAS,
				     RESTART_ERROR_LEAST * fabs(rate.bytes_per_event.value) +
					     RESTART_ERROR_LEAST);
}

static bool judge_restarts(struct seep_trend *trend, const struct seep_series *series,
			   double doubt)
{
	double weights = 0, mean = 0, q = 0, se, width;
	struct seep_estimate pooled;
	struct parts parts = { 0 };
	size_t i, first = 0, restarts = 0;

	for (i = 0; i < series->n; i++)
		restarts += series->restarts[i];
	if (!restarts || restarts * RESTARTS_RARE > series->n)
		return false; /* the indices do not count events */
	for (i = 1; i <= series->n; i++)
		if (i == series->n || series->restarts[i]) {
			add_part(&parts, series, first, i);
			first = i;
		}
	if (parts.n < 2)
		return false;
	for (i = 0; i < parts.n; i++) {
		weights += 1 / (parts.se[i] * parts.se[i]);
		mean += parts.value[i] / (parts.se[i] * parts.se[i]);
	}
	mean /= weights;
	for (i = 0; i < parts.n; i++)
		q += pow((parts.value[i] - mean) / parts.se[i], 2);
	trend->parts = parts.n;
	trend->unlike = gsl_cdf_chisq_Q(q, (double)parts.n - 1) < RESTART_PARTS_UNLIKE;
	/* parts that differ by more than their errors are a sample of what may come */
	se = sqrt(fmax(1, q / ((double)parts.n - 1)) / weights);
	width = q > (double)parts.n - 1
		? gsl_cdf_tdist_Pinv(1 - INTERVAL_TAIL, (double)parts.n - 1) : INTERVAL_SIGMAS;
	pooled = (struct seep_estimate){ true, mean, mean - width * se, mean + width * se };
	settle(trend, &pooled, gsl_cdf_ugaussian_P(-mean / se), doubt, SEEP_TOLD_BY_RESTARTS);
	return true;
}

static bool start(struct seep_trend *trend, const struct seep_series *series,
		  const struct seep_rate *rate)
{
	memset(trend, 0, sizeof(*trend));
	trend->parts = 1;
	trend->p_plus = 1;
	if (!series->n)
		return false;
	trend->tolerance = seep_trend_tolerance(rate);
	return true;
}

static void ask_for_more(struct seep_trend *trend, const struct seep_rate *rate)
{
	double value = trend->bytes_per_event.value;

	if (trend->course == SEEP_COURSE_OPEN && !(trend->needed > 0))
		trend->needed = seep_rate_events_needed(
			rate, fmax(value, trend->tolerance - value));
}

void seep_trend_find(struct seep_trend *trend, const struct seep_series *series,
		     const struct seep_rate *rate, double doubt, struct seep_arena *arena)
{
	if (!start(trend, series, rate))
		return;
	if (series->n < EVENTS_FOR_SHAPE)
		settle(trend, &rate->bytes_per_event, rate->p_plus, doubt, SEEP_TOLD_BY_LINE);
	else if (!judge_restarts(trend, series, doubt) && !judge_tail(trend, series) &&
		 !judge_jumps(trend, series, doubt, arena))
		judge_shape(trend, series, rate, doubt, arena);
	ask_for_more(trend, rate);
}

void seep_trend_find_line(struct seep_trend *trend, const struct seep_series *series,
			  const struct seep_rate *rate, double doubt)
{
	if (!start(trend, series, rate))
		return;
	settle(trend, &rate->bytes_per_event, rate->p_plus, doubt, SEEP_TOLD_BY_LINE);
	ask_for_more(trend, rate);
}
