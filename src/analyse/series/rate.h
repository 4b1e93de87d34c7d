/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes per event of one series, with what the number of events allows:
 *
 *   events   what is estimated
 *   1 - 2    nothing; value is the plain difference, known is false
 *   3 - 4    the mean increment; an interval by Student's t where two are left
 *   5 - 9    GLSmix without the first event
 *   10 -     GLSmix after the warm-up that MSER finds
 */
#ifndef SEEP_ANALYSE_SERIES_RATE_H
#define SEEP_ANALYSE_SERIES_RATE_H

#include "analyse/series/estimate.h"
#include "analyse/series/glsmix.h"
#include "analyse/series/series.h"

struct seep_rate {
	struct seep_estimate bytes_per_event;
	double p_plus;           /* probability that there is no growth; 1 if nothing is known */
	double floor;            /* growth per event too small to have been seen */
	double level;            /* mean of the values used */
	double period_s;         /* mean time from event to event, 0 if not known */
	size_t first;            /* first anchor used */
	size_t n;                /* anchors used */
	double stride;           /* events from one to the next */
	size_t steps_up;         /* of the n - 1 increments used */
	double unseen;           /* bytes that may have been added without a sample (95 %) */
	bool skewed;             /* increments so lopsided that the interval is too narrow */
	struct seep_glsmix mix;  /* mix.known is false below 5 events */
};

void seep_rate_estimate(struct seep_rate *rate, const struct seep_series *series);

/*
 * The level is an estimate from one sample per mean bytes, so what was added since the first event
 * is known no better than its number of samples.
 */
void seep_rate_widen(struct seep_rate *rate, double mean);

/* The 95 % interval of a sum based on count independent samples (Garwood). */
void seep_rate_bound_count(double sum, double count, double *low, double *high);

/*
 * About how many events would bring the half width of the interval down to
 * target bytes per event; 0 if that cannot be told.
 */
double seep_rate_events_needed(const struct seep_rate *rate, double target);

#endif
