/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a known leak is read back as.
 *
 * Under seep calibrate the tracker loses a known number of bytes per event, of changing
 * size (record/heap/hook/injection.h).  The levels of the live heap and of RSS are explained
 * by the sum of these bytes and by the number of events:
 *
 *     level = gain * (bytes lost so far) + own * (events so far) + noise
 *
 * A gain of 1 says that what leaks is read as it is; own is what the program adds by itself,
 * which a plain measurement would have taken for a part of the leak.
 */
#ifndef SEEP_ANALYSE_GATE_CALIBRATE_H
#define SEEP_ANALYSE_GATE_CALIBRATE_H

#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "model/run.h"

#define SEEP_CALIBRATE_COUNTER "seep.injected"

enum seep_calibrate_outcome {
	SEEP_CALIBRATE_RIGHT,    /* the interval of the gain holds 1, and is narrow */
	SEEP_CALIBRATE_WRONG,    /* it does not hold 1 */
	SEEP_CALIBRATE_UNKNOWN,  /* it is wide, or there is none */
};

struct seep_calibrate_reading {
	enum seep_calibrate_outcome outcome;
	struct seep_estimate gain;
	struct seep_estimate own; /* bytes per event of the program itself */
	bool incomplete;         /* not all levels were seen forth and back: then it is unknown */
	double events_needed;    /* in all, for a narrow interval; 0: not known or not needed */
	const char *unit_error;  /* the mistake that makes such a gain, or NULL */
};

struct seep_calibrate {
	enum seep_calibrate_outcome outcome; /* of both: the worse one */
	const char *sentence;
	double level_bytes;      /* per event, at the first of the two levels; the other is twice */
	double injected_bytes;   /* in all */
	int64_t events_used;
	struct seep_calibrate_reading heap, rss;
};

void seep_calibrate_judge(struct seep_calibrate *calibrate, const struct seep_run *run,
			  struct seep_arena *arena);

/* "right", "wrong" or "unknown". */
const char *seep_calibrate_outcome_name(enum seep_calibrate_outcome outcome);

#endif
