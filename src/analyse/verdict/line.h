/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rate of the verdict as a line to draw over its series.
 *
 * A rate is a slope.  Its line goes through the middle of the values; the ends of the interval
 * are two more lines through the same point, the band.  If a series has stepped, bent or levelled
 * off, the rate is the one at its end, and the line covers only the events from there on.  It ends
 * before a clean-up.
 */
#ifndef SEEP_ANALYSE_VERDICT_LINE_H
#define SEEP_ANALYSE_VERDICT_LINE_H

#include "analyse/series/series.h"
#include "analyse/verdict/verdict.h"

struct seep_line {
	bool known;
	double first, last;      /* the events that it belongs to */
	double middle, level;    /* of these, and of their values */
	double rate, low, high;  /* bytes per event */
};

/* Not known if the verdict has no rate or the series fewer than two values for it. */
void seep_line_fit(struct seep_line *line, const struct seep_verdict *verdict,
		   const struct seep_run *run, const struct seep_series *series);

/* The bytes at an event, by the line's rate or an end of its interval. */
static inline double seep_line_at(const struct seep_line *line, double rate, double event)
{
	return line->level + rate * (event - line->middle);
}

#endif
