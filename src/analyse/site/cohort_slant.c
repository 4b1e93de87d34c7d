/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the amounts that the cohorts of a site keep change during the run. */
#include "analyse/site/cohort.h"
#include "analyse/site/cohort_table.h"
#include "analyse/threshold/thresholds.h"

#include <math.h>

struct seep_cohort_half seep_cohort_half(const struct seep_cohort_table *c, const double *values,
					 size_t first, size_t end)
{
	double n = (double)(end - first), squares = 0;
	struct seep_cohort_half half = { 0, 0 };
	size_t i;

	for (i = first; i < end; i++)
		half.mean += values[i] / seep_cohort_events(c, i, i + 1) / n;
	for (i = first; i < end; i++) {
		double d = values[i] / seep_cohort_events(c, i, i + 1) - half.mean;

		squares += d * d;
	}
	if (n > 1)
		half.error2 = squares / (n - 1) / n;
	return half;
}

bool seep_cohort_thins_out(const struct seep_cohort_table *c)
{
	double places = 0, n = 0;
	size_t i;

	for (i = 1; i < c->end; i++)
		if (c->blocks[i] > 0) {
			places += ((double)i - .5) / (double)(c->end - 1);
			n++;
		}
	return n > 0 && (places / n - .5) * sqrt(12 * n) < -THINNER;
}

bool seep_cohort_keeps_rarely(const struct seep_cohort_table *c)
{
	double blocks = 0;
	size_t i;

	for (i = c->first; i < c->end; i++)
		blocks += c->blocks[i];
	return blocks < REGULAR_PART * seep_cohort_events(c, c->first, c->end);
}

bool seep_cohort_declines(const struct seep_cohort_table *c)
{
	double n = (double)(c->end - c->first), x = 0, y = 0, xx = 0, xy = 0, yy = 0, slope, error;
	size_t i;

	for (i = c->first; i < c->end; i++) {
		x += ((double)i - (double)c->first) / n;
		y += c->blocks[i] / seep_cohort_events(c, i, i + 1) / n;
	}
	for (i = c->first; i < c->end; i++) {
		double dx = (double)i - (double)c->first - x;
		double dy = c->blocks[i] / seep_cohort_events(c, i, i + 1) - y;

		xx += dx * dx;
		xy += dx * dy;
		yy += dy * dy;
	}
	if (n < 3 || !(xx > 0) || !(y > 0))
		return false;
	slope = xy / xx;
	error = sqrt(fmax(yy - slope * xy, 0) / (n - 2) / xx);
	return slope * n / 2 < -DECLINED * y && -slope > DECLINES * error;
}

/*
 * A third of the run, or of the work if it comes in bursts: one third of the run may have a burst
 * less than another.
 */
static size_t end_third(const struct seep_cohort_table *c, size_t first, size_t third)
{
	double work = seep_cohort_work(c, c->first, c->end) / 3;
	size_t end = first;

	if (!c->bursts)
		return first + third;
	while (end < c->end && seep_cohort_work(c, first, end) < work)
		end++;
	return end;
}

bool seep_cohort_slows_down(const struct seep_cohort_table *c)
{
	size_t third = (c->end - c->first) / 3, first = c->first, i, k;
	double before = INFINITY;

	if (!third)
		return false;
	for (i = 0; i < 3; i++) {
		size_t end = end_third(c, first, third);
		double blocks = 0, mean;

		for (k = first; k < end; k++)
			blocks += c->blocks[k];
		mean = blocks / fmax(seep_cohort_work(c, first, end), 1);
		if (mean > SLOWER * before)
			return false;
		before = mean;
		first = end;
	}
	return true;
}

/* How much more the younger half keeps; 0: not clearly more. */
static double find_rise(const struct seep_cohort_table *c, const double *values, size_t first,
			size_t end)
{
	size_t middle = first + (end - first) / 2;
	struct seep_cohort_half old = seep_cohort_half(c, values, first, middle);
	struct seep_cohort_half young = seep_cohort_half(c, values, middle, end);
	double rise = young.mean - old.mean;

	return rise > RISES * sqrt(old.error2 + young.error2) ? rise : 0;
}

bool seep_cohort_rises(const struct seep_site *site, const struct seep_cohort_table *c,
		       size_t first, size_t end)
{
	double deaths = (double)seep_cohort_aged_deaths(site);
	double events = seep_cohort_events(c, first, first + (end - first) / 2);

	if (deaths < DEATHS_EXPLAIN * find_rise(c, c->blocks, first, end) * events)
		return true;
	return deaths < 1 && find_rise(c, c->bytes, first, end) > 0; /* larger blocks */
}

/* The place where the means before and after differ most clearly. */
static size_t find_change(const struct seep_cohort_table *c, size_t first, size_t end)
{
	double all = 0, before = 0, events = seep_cohort_events(c, first, end), best = 0;
	size_t i, at = first;

	for (i = first; i < end; i++)
		all += c->blocks[i];
	for (i = first + 1; i < end; i++) {
		double past = seep_cohort_events(c, first, i), rise;

		before += c->blocks[i - 1];
		rise = (all - before) / (events - past) - before / past;
		if (rise > 0 && rise * rise * past * (events - past) > best &&
		    i - first >= COHORTS_ENOUGH && end - i >= COHORTS_ENOUGH) {
			best = rise * rise * past * (events - past);
			at = i;
		}
	}
	return at;
}

size_t seep_cohort_onset(const struct seep_cohort_table *c, size_t first, size_t end)
{
	size_t at = find_change(c, first, end);
	struct seep_cohort_half before, since;
	double error2;

	if (at == first)
		return first;
	before = seep_cohort_half(c, c->blocks, first, at);
	since = seep_cohort_half(c, c->blocks, at, end);
	/* are these few clearly unlike the others?  Rare survivors begin late by chance */
	error2 = since.error2 * (1 + (double)(end - at) / (double)(at - first));
	if (before.mean > ONSET_BEFORE * since.mean ||
	    since.mean - before.mean <= RISES * sqrt(fmax(error2, before.error2)))
		return first;
	/* it may have begun within a cohort of several events */
	if (c->start[at + 1] - c->start[at] > 1 && end - at > COHORTS_ENOUGH)
		at++;
	return at;
}

double seep_cohort_deaths_from(const struct seep_site *site, int64_t age)
{
	double sum = 0;
	size_t k;

	for (k = 1; k < SEEP_TRACE_AGE_BINS; k++)
		if (((int64_t)1 << (k - 1)) >= age)
			sum += (double)site->ages[k];
	return sum;
}

bool seep_cohort_is_queue(const struct seep_site *site, const struct seep_cohort_table *c,
		     int64_t complete)
{
	double births = (double)site->born_blocks / (double)(complete > 0 ? complete : 1);
	double alive = 0, length, aged = (double)seep_cohort_aged_deaths(site);
	size_t first = c->n;

	while (first > 0 && c->blocks[first - 1] >=
			    QUEUE_THERE * births * seep_cohort_events(c, first - 1, first))
		alive += c->blocks[--first];
	length = seep_cohort_events(c, first, c->n);
	if (first == 0 || length < QUEUE_EVENTS || alive < QUEUE_BLOCKS || aged < QUEUE_BLOCKS)
		return false;
	return alive >= QUEUE_FULL * births * length &&
	       aged - seep_cohort_deaths_from(site, (int64_t)(length / 2)) >= QUEUE_YOUNG * aged;
}

bool seep_cohort_frees_old(const struct seep_site *site, const struct seep_cohort_table *c,
			   int64_t parts)
{
	int64_t end = c->start[c->n], old = end / parts;
	double survivors = 0;
	size_t i;

	for (i = c->first; i < c->n && c->start[i + 1] <= end - old; i++)
		survivors += c->blocks[i];
	return old > 1 && seep_cohort_deaths_from(site, old) > EVICTED_OLD * survivors;
}

/* How many slices before this event changed the heap; if not known, all of them. */
static double find_work(const struct seep_cohort_clock *clock, int64_t event)
{
	size_t low = 0, high = clock->n_work;

	if (!high)
		return (double)event;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (clock->index[middle] <= (double)event)
			low = middle;
		else
			high = middle;
	}
	return clock->work[low];
}

void seep_cohort_read_work(struct seep_cohort_table *c, const struct seep_cohort_clock *clock)
{
	size_t i;

	c->bursts = clock->n_work > 0;
	for (i = 0; i <= c->n; i++)
		c->work[i] = find_work(clock, c->start[i]);
}
