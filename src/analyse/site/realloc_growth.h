/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks that grow: what it costs, what a reservation would save, and whether it is
 * what the site grows by.
 *
 * docs/method.md has the rules with their reasons.
 */
#ifndef SEEP_ANALYSE_SITE_REALLOC_GROWTH_H
#define SEEP_ANALYSE_SITE_REALLOC_GROWTH_H

#include "analyse/series/estimate.h"
#include "model/run.h"

/* What a site is measured by. */
struct seep_realloc_growth_scale {
	int64_t events;          /* 0: there are none, and nothing is per event */
	double born_bytes;       /* of the whole heap */
};

struct seep_realloc_growth_scale seep_realloc_growth_read_scale(const struct seep_run *run);

/* What is saved if each block is made reserve_bytes large before anything is put in. */
struct seep_realloc_growth_advice {
	bool worth;              /* else only chains_per_event and typical_bytes are known */
	double chains_per_event; /* 0: no events */
	double typical_bytes;    /* nine of ten chains end at this size or below it */
	double reserve_bytes;
	double item_bytes;       /* every block began with one of these; 0: it cannot be told */
	double covered;          /* share of the chains that would not grow any more */
	double moves, copied_bytes; /* saved, per chain */
	double peak_bytes;       /* saved at the moment when the old block and the new are there */
};

void seep_realloc_growth_advise(struct seep_realloc_growth_advice *advice,
				const struct seep_site *site,
				struct seep_realloc_growth_scale scale);

/*
 * Does the site grow because its blocks do, and not because there are more of them?  True
 * if four fifths of what it has added and kept was added to blocks that were there, and the
 * largest of these rose event after event.
 */
bool seep_realloc_growth_is_growth(const struct seep_site *site, int64_t events);

/* Whether the largest array of a site is filled on and on. */
enum seep_realloc_growth_climb {
	SEEP_CLIMB_UNKNOWN,      /* it grew too seldom, or by small steps, or not steadily */
	SEEP_CLIMB_STOPS,        /* far slower at last, or the next growth should have come */
	SEEP_CLIMB_MAY_GO_ON,    /* a table that is nearly full may look the same */
	SEEP_CLIMB_GOES_ON,
};

/*
 * Up to the event until, it has not grown again, which may be after the snapshot of the sites.
 * If it goes on or may do so, rate is what is put into it per event, and its upper end
 * what is reserved for that.
 */
enum seep_realloc_growth_climb seep_realloc_growth_climb(const struct seep_site *site,
							 int64_t events,
							 double until, struct seep_estimate *rate);

#endif
