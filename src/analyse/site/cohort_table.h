/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cohorts of one site, for the files that judge them. */
#ifndef SEEP_ANALYSE_SITE_COHORT_TABLE_H
#define SEEP_ANALYSE_SITE_COHORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seep_site;

#define SEEP_COHORTS_MAX 128

struct seep_cohort_table {
	size_t n;
	int64_t start[SEEP_COHORTS_MAX + 1]; /* events; n + 1 of them, the last is the end */
	double work[SEEP_COHORTS_MAX + 1]; /* start[] minus events with an unchanged heap */
	double blocks[SEEP_COHORTS_MAX], bytes[SEEP_COHORTS_MAX]; /* alive */
	double variance[SEEP_COHORTS_MAX]; /* of bytes, where they are estimates from a sample */
	double weight;           /* blocks that one in the sample stands for; 1: all are there */
	size_t first, end;       /* the mature ones */
	bool slices;             /* events are slices of time */
	bool bursts;             /* ... and the work comes in bursts, see work */
	bool restarted;          /* the program restarted: everything died, so deaths say nothing */
};

struct seep_cohort_half {
	double mean, error2;     /* of a value per event, and the square of its standard error */
};

static inline double seep_cohort_events(const struct seep_cohort_table *c, size_t first, size_t end)
{
	return (double)(c->start[end] - c->start[first]);
}

static inline double seep_cohort_work(const struct seep_cohort_table *c, size_t first, size_t end)
{
	return c->work[end] - c->work[first];
}

struct seep_cohort_half seep_cohort_half(const struct seep_cohort_table *c, const double *values,
					 size_t first, size_t end);

/*
 * Rare survivors of a leak are spread over the run.  Those of a pool, which grows when more is in
 * use than ever before, become rarer and rarer.  The very first event is ignored.
 */
bool seep_cohort_thins_out(const struct seep_cohort_table *c);

/* Most events keep nothing. */
bool seep_cohort_keeps_rarely(const struct seep_cohort_table *c);

/*
 * Do the cohorts keep less and less, by a line through what they keep per event?  The line must
 * fall clearly, and far enough from one half to the other.
 */
bool seep_cohort_declines(const struct seep_cohort_table *c);

/*
 * The same for slices of time, whose load comes and goes: each third of the run keeps clearly
 * less than the one before.
 */
bool seep_cohort_slows_down(const struct seep_cohort_table *c);

/* Does the younger half clearly keep more or larger blocks, and deaths do not explain it? */
bool seep_cohort_rises(const struct seep_site *site, const struct seep_cohort_table *c,
		       size_t first, size_t end);

/* Deaths at this age, in events, or later. */
double seep_cohort_deaths_from(const struct seep_site *site, int64_t age);

/*
 * A cache frees blocks that it has held for long; a leak does not.  Do many blocks die that are
 * older than one of this many parts of the run, compared with the survivors of that age?
 */
bool seep_cohort_frees_old(const struct seep_site *site, const struct seep_cohort_table *c,
			   int64_t parts);

/*
 * More is put into a queue than is taken out.  The blocks of the last events are all there, and
 * those that left had to wait longer and longer: many of them waited less than half as long as the
 * oldest one that is still there.
 */
bool seep_cohort_is_queue(const struct seep_site *site, const struct seep_cohort_table *c,
			  int64_t complete);

/*
 * The first cohort that keeps something after a stretch that kept hardly anything; first if there
 * is no such change.
 */
size_t seep_cohort_onset(const struct seep_cohort_table *c, size_t first, size_t end);

#endif
