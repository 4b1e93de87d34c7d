/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/series/rate.h"

#include "analyse/series/warmup.h"
#include "analyse/threshold/thresholds.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

static void describe_steps(struct seep_rate *rate, const double *y)
{
	double mean = 0, m2 = 0, m3 = 0, d, n = (double)rate->n - 1;
	size_t i;

	for (i = 0; i < rate->n; i++)
		rate->level += y[i] / (double)rate->n;
	if (rate->n < 2)
		return;
	mean = (y[rate->n - 1] - y[0]) / n;
	for (i = 0; i + 1 < rate->n; i++) {
		d = seep_series_step(y, i) - mean;
		m2 += d * d / n;
		m3 += d * d * d / n;
		rate->steps_up += seep_series_step(y, i) > 0;
	}
	if (m2 > 0) {
		double skew = fabs(m3 / pow(m2, 1.5));

		rate->skewed = skew > SKEW_SIGMAS * sqrt(6 / n) &&
			       (rate->n < SKEW_FEW || skew > SKEW_STRONG) && rate->n < SKEW_MANY;
	}
}

/* Few events: the mean increment, and Student's t where there are two. */
static void estimate_few(struct seep_rate *rate, const double *y, const double *x)
{
	struct seep_estimate *e = &rate->bytes_per_event;
	double n = (double)rate->n - 1, squares = 0, se;
	size_t i;

	rate->p_plus = 1;
	if (rate->n < 2)
		return;
	e->value = e->low = e->high = (y[rate->n - 1] - y[0]) / (x[rate->n - 1] - x[0]);
	if (rate->n < 3)
		return;
	for (i = 0; i + 1 < rate->n; i++)
		squares += pow(seep_series_step(y, i) - e->value, 2);
	se = sqrt(squares / (n - 1) / n);
	e->known = true;
	e->low -= gsl_cdf_tdist_Pinv(1 - INTERVAL_TAIL, n - 1) * se;
	e->high += gsl_cdf_tdist_Pinv(1 - INTERVAL_TAIL, n - 1) * se;
	if (se > 0)
		rate->p_plus = gsl_cdf_tdist_P(-e->value / se, n - 1);
	else
		rate->p_plus = e->value > 0 ? 0 : 1;
}

static void estimate_mix(struct seep_rate *rate, const double *y, const double *x, double quantum)
{
	struct seep_estimate *e = &rate->bytes_per_event;

	seep_glsmix_trend(&rate->mix, y, x, rate->n, quantum);
	e->known = rate->mix.known;
	e->value = rate->mix.mean;
	e->low = rate->mix.low;
	e->high = rate->mix.high;
	rate->p_plus = rate->mix.known ? rate->mix.p_plus : 1;
}

void seep_rate_estimate(struct seep_rate *rate, const struct seep_series *series)
{
	struct seep_estimate *e = &rate->bytes_per_event;
	const double *y, *x;

	memset(rate, 0, sizeof(*rate));
	rate->stride = series->stride > 1 ? series->stride : 1;
	if (series->n >= EVENTS_FOR_WARMUP)
		rate->first = seep_warmup_cut(series->values, series->n);
	else if (series->n > 2)
		rate->first = 1;
	rate->n = series->n - rate->first;
	y = series->values + rate->first;
	x = series->index + rate->first;
	describe_steps(rate, y);
	if (series->n < VALUES_FOR_RATE)
		estimate_few(rate, y, x);
	else
		estimate_mix(rate, y, x, series->quantum);
	if (rate->n > 1) {
		double events = x[rate->n - 1] - x[0];

		rate->period_s = (series->seconds[series->n - 1] -
				  series->seconds[rate->first]) / events;
		rate->floor = fmax((e->high - e->low) / 2,
				   QUANTUM_DOUBT * series->quantum / events);
	}
}

/* The inverse does not converge for very few or very many; there it is 0, or normal. */
void seep_rate_bound_count(double sum, double count, double *low, double *high)
{
	if (count > COUNT_MANY) {
		*low = sum * (1 - INTERVAL_SIGMAS / sqrt(count));
		*high = sum * (1 + INTERVAL_SIGMAS / sqrt(count));
		return;
	}
	*low = count > COUNT_FEW
		? sum * gsl_cdf_chisq_Pinv(INTERVAL_TAIL, 2 * count) / (2 * count) : 0;
	*high = sum / count * gsl_cdf_chisq_Pinv(1 - INTERVAL_TAIL, 2 * count + 2) / 2;
}

/*
 * Samples that come or go are noise, which the estimate above has seen; a leak
 * from which there is none yet it has not.
 */
void seep_rate_widen(struct seep_rate *rate, double mean)
{
	struct seep_estimate *e = &rate->bytes_per_event;
	double events = ((double)rate->n - 1) * rate->stride;
	double growth = fmax(e->value, 0) * events, low = 0, high;

	rate->unseen = mean * gsl_cdf_chisq_Pinv(1 - INTERVAL_TAIL, 2) / 2;
	if (!e->known || !(events > 0))
		return;
	if (growth > 0)
		seep_rate_bound_count(growth, growth / mean, &low, &high);
	else
		high = rate->unseen;
	e->low = fmin(e->low, low / events);
	e->high = fmax(e->high, high / events);
	rate->floor = fmax(rate->floor, (e->high - e->low) / 2);
}

double seep_rate_events_needed(const struct seep_rate *rate, double target)
{
	double half = (rate->bytes_per_event.high - rate->bytes_per_event.low) / 2, power;

	if (!rate->mix.known || !(target > 0))
		return 0;
	/* noise that stays averages out slower than noise around a level */
	power = rate->mix.walk_weight > NOISE_STAYS ? 2 : 2. / 3;
	return ceil((double)(rate->first + rate->n) * rate->stride *
		    fmax(pow(half / target, power), 1));
}
