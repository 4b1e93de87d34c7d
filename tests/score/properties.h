/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What must hold for the verdict on any run, whatever is true of it: the order of its sites
 * does not matter, its numbers agree with each other, and its bounds agree with the trace.
 */
#ifndef SEEP_TESTS_SCORE_PROPERTIES_H
#define SEEP_TESTS_SCORE_PROPERTIES_H

#include "score.h"

#define PROPERTIES_ORDERS 5      /* in which the sites of each run are judged again */

enum property {
	ORDER_KIND,
	ORDER_RULE,
	ORDER_RATE,
	ORDER_ACCUSED,
	SUM_CLOSES,
	SUM_AGREES_WITH_RATE,
	PHASE_SHARES,
	SITE_SHARE,
	SITE_SHARES,
	FLAT_BOUND,
	TOTAL_BOUND,
	RISE,
	EVENTS,
	INTERVALS,
	OOM,
	N_PROPERTIES,
};

/* What one run breaks. */
struct finding {
	bool filled;
	enum seep_kind kind;
	unsigned int broken;     /* bits of properties */
	char words[N_PROPERTIES][96]; /* what was seen, of those that are broken */
};

const char *property_name(enum property property);

/* Judges the run in several orders of its sites.  The seed draws the orders. */
void properties_find(struct finding *finding, struct score_case *c, uint64_t seed);

/* properties_verdict.c: one verdict by itself. */
void properties_of_verdict(struct finding *finding, const struct seep_verdict *verdict,
			   const struct seep_run *run);

void finding_add(struct finding *finding, enum property property, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
