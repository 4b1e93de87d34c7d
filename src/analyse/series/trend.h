/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one series does over the events, and whether it will go on.
 *
 * The plain rate (rate.h) takes the series as a line after its warm-up.  Here seep first asks
 * whether the series jumps (jumps.h) or bends (shape.h); the rate that counts is the one at the
 * end.  There are three outcomes: it grows; it does not, within a bound; or it is too early to say.
 */
#ifndef SEEP_ANALYSE_SERIES_TREND_H
#define SEEP_ANALYSE_SERIES_TREND_H

#include "analyse/series/jumps.h"
#include "analyse/series/rate.h"
#include "analyse/series/series.h"
#include "analyse/series/shape.h"
#include "base/arena.h"

enum seep_course {
	SEEP_COURSE_OPEN,        /* growth can be neither shown nor excluded */
	SEEP_COURSE_FLAT,        /* no growth beyond the tolerance */
	SEEP_COURSE_GROWS,       /* and goes on */
	SEEP_COURSE_LEVELS_OFF,  /* it grew, ever slower or until some event */
	SEEP_COURSE_STEP,        /* it rose in one event, or in each of a few */
	SEEP_COURSE_TEETH,       /* up and down, and the troughs do not rise */
};

/* What the rate of a course comes from. */
enum seep_told_by {
	SEEP_TOLD_BY_LINE,
	SEEP_TOLD_BY_STAIRS,
	SEEP_TOLD_BY_TROUGHS,
	SEEP_TOLD_BY_END,        /* the slope behind a bend, a kink or a step */
	SEEP_TOLD_BY_RESTARTS,   /* the mean of the parts between restarts */
};

struct seep_trend {
	enum seep_course course;
	enum seep_course likely; /* if open: the course of its shape, if that is clear; else open */
	enum seep_told_by told_by;
	struct seep_estimate bytes_per_event; /* at the end */
	double since;            /* the rate covers the events from this one on; 0: all */
	double p_plus;           /* probability that there is no growth */
	double rise;             /* bytes that it rose by, in steps or until it levelled off */
	size_t steps;            /* if the course, or the likely one, is by steps; else 0 */
	double needed;           /* events that would settle it, or 0 */
	double tolerance;        /* bytes per event that do not matter here */
	double small;            /* a smaller rise is not reported, however clear */
	double noise;            /* of a single value; negative: values come in whole pages */
	size_t parts;            /* between restarts; 1 if there were none */
	bool unlike;             /* the parts do not grow alike */
	struct seep_teeth teeth;
	struct seep_stairs stairs;
	struct seep_shape_fit fit;
};

/* rate is the series' plain rate.  doubt: how improbable no growth must be. */
void seep_trend_find(struct seep_trend *trend, const struct seep_series *series,
		     const struct seep_rate *rate, double doubt, struct seep_arena *arena);

/* The same by the plain rate alone, where the values are too rough to have a shape. */
void seep_trend_find_line(struct seep_trend *trend, const struct seep_series *series,
			  const struct seep_rate *rate, double doubt);

/*
 * Growth per event that is too small to matter here: 64 B, or what would not
 * add 1 % of the level or 256 KiB over the whole run.
 */
double seep_trend_tolerance(const struct seep_rate *rate);

/* Bytes that the series may grow by over the whole run without being said to grow. */
double seep_trend_tolerated(const struct seep_trend *trend, const struct seep_rate *rate);

/* Bytes from the first value behind the warm-up to the last, and the events between them. */
double seep_trend_change(const struct seep_series *series, const struct seep_rate *rate,
			 double *events);

/* Clearly a line, and neither bent nor broken. */
bool seep_trend_is_straight(const struct seep_trend *trend);

/* The events that the series covers, up to the last. */
double seep_trend_events(const struct seep_rate *rate);

#endif
