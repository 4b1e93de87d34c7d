/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A made-up run and what is true of it: what the generators hand to the scoreboard.
 *
 * A generator fills case->fake.run as model/load/load.c would have filled it from a trace
 * of such a program (model/run.h says what each field means), and case->truth with what
 * a verdict on it should say.  It knows nothing of how the verdict is reached.
 */
#ifndef SEEP_TESTS_SCORE_H
#define SEEP_TESTS_SCORE_H

#include "analyse/verdict/verdict.h"
#include "fake_run.h"
#include "noise.h"

#define SCORE_KIND(kind) (1u << (kind))

struct score_truth {
	unsigned int kinds;      /* SCORE_KIND()s; any of these is right */
	bool leaks;              /* memory is kept for ever: another kind is a missed leak */
	double bytes_per_event;  /* at the end of the run, in the mean; NAN: no rate to be found */
	const char *phase;       /* the stamp's name that begins the planted phase, or NULL */
	uint32_t site;           /* id of the site that keeps most, or 0 */
	const char *drivers[4];  /* counters of which each would be right; the rest NULL */
};

struct score_case {
	struct fake fake;        /* the generator calls fake_init, the scoreboard fake_release */
	struct score_truth truth;
};

struct score_scenario {
	int number;              /* as in the list of scenarios, 1 to 42 */
	const char *name;
	/* n events; everything else is drawn from noise, so that a seed tells all. */
	void (*make)(struct score_case *c, size_t n, struct noise *noise);
};

extern const struct score_scenario score_dev[];      /* thresholds may be tuned on these */
extern const size_t score_n_dev;
extern const struct score_scenario score_held_out[]; /* ... and never on these */
extern const size_t score_n_held_out;
extern const struct score_scenario score_third[];    /* ... nor rules made after these */
extern const size_t score_n_third;
extern const struct score_scenario score_lifelike[]; /* likewise */
extern const size_t score_n_lifelike;

#endif
