/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of a known leak is measured.
 *
 * Under seep calibrate, the tracker leaks a known number of bytes per event, which changes from
 * block to block (record/heap/hook/injection.h).  The levels of the live heap and of RSS are
 * explained by the sum of these bytes and by the number of events:
 *
 *     level = gain * (bytes injected so far) + own * (events so far) + noise
 *
 * A gain of 1 means that leaks are measured correctly.  own is the growth of the program itself,
 * which a plain measurement would count as part of the leak.
 */
#ifndef SEEP_ANALYSE_GATE_CALIBRATE_H
#define SEEP_ANALYSE_GATE_CALIBRATE_H

#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "model/run.h"

#define SEEP_CALIBRATE_COUNTER "seep.injected"

enum seep_calibrate_outcome {
	SEEP_CALIBRATE_RIGHT,    /* the interval of the gain contains 1 and is narrow */
	SEEP_CALIBRATE_WRONG,    /* it does not contain 1 */
	SEEP_CALIBRATE_UNKNOWN,  /* it is wide, or there is no interval */
};

struct seep_calibrate_reading {
	enum seep_calibrate_outcome outcome;
	struct seep_estimate gain;
	struct seep_estimate own; /* growth of the program itself, in bytes per event */
	bool incomplete;         /* a row of levels is missing, so the outcome is unknown */
	double events_needed;    /* in total, for a narrow interval; 0: unknown or not needed */
	const char *unit_error;  /* the confusion of units that would explain the gain, or NULL */
};

struct seep_calibrate {
	enum seep_calibrate_outcome outcome; /* the worse of the two readings */
	const char *sentence;
	double level_bytes;      /* L, per event; the other level is 2L */
	double injected_bytes;   /* in total */
	int64_t events_used;
	struct seep_calibrate_reading heap, rss;
};

void seep_calibrate_judge(struct seep_calibrate *calibrate, const struct seep_run *run,
			  struct seep_arena *arena);

/* "right", "wrong" or "unknown". */
const char *seep_calibrate_outcome_name(enum seep_calibrate_outcome outcome);

#endif
