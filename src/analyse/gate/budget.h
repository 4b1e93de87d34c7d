/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether the growth of a run keeps to a budget.
 *
 *   over     the run grows, and the lower end of the rate's interval is above the budget
 *   within   the upper end is not above it; or the budget is 0, and the verdict is flat
 *   open     neither: a sentence says why, and how many more events would settle it
 *
 * A budget of 0 is never met by an interval, however long the run: there it is the
 * kind of the verdict that counts.  With a baseline the rate is what the run grows by
 * beyond it.  And a site that grows by more than the budget and did not before is over it as
 * well, though others may grow less: a leak that was fixed does not pay for a new one.
 */
#ifndef SEEP_ANALYSE_GATE_BUDGET_H
#define SEEP_ANALYSE_GATE_BUDGET_H

#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "model/run.h"

struct seep_budget {
	double bytes;
	bool per_second;         /* else per event */
};

enum seep_budget_outcome {
	SEEP_BUDGET_WITHIN,
	SEEP_BUDGET_OVER,
	SEEP_BUDGET_OPEN,
};

struct seep_budget_question {
	const struct seep_run *run;
	const struct seep_verdict *verdict;
	struct seep_budget budget;
	int64_t min_events;      /* fewer are not judged */
	const struct seep_estimate *baseline; /* in the unit of the budget; NULL: none */
	size_t n_new;            /* sites that did not grow there, and count */
	struct seep_estimate new_rate; /* of these, in the unit of the budget */
};

struct seep_budget_answer {
	enum seep_budget_outcome outcome;
	struct seep_estimate rate; /* of the run, in the unit of the budget */
	struct seep_estimate beyond; /* the same beyond the baseline */
	double scale;            /* from per event to that unit; 0: not known */
	double events_more;      /* that would settle it, about; 0: not known */
	const char *why;         /* one sentence */
};

void seep_budget_judge(struct seep_budget_answer *answer,
		       const struct seep_budget_question *question, struct seep_arena *arena);

/* Whether a site that grows by so much more, in the unit of the budget, counts by itself. */
bool seep_budget_counts(const struct seep_budget_question *question,
			const struct seep_estimate *more);

/* Where slices of time are the events, a budget of 0 is told per second. */
struct seep_budget seep_budget_settle(struct seep_budget budget, const struct seep_run *run);

const char *seep_budget_per(const struct seep_budget *budget); /* "event" or "s" */

/* From a rate per event to one in the unit of the budget; 0: that is not known. */
double seep_budget_scale(const struct seep_budget *budget, const struct seep_run *run,
			 const struct seep_verdict *verdict);

struct seep_estimate seep_budget_scaled(const struct seep_estimate *rate, double scale);

/* Sum and difference of estimates that are independent of each other. */
struct seep_estimate seep_budget_add(const struct seep_estimate *a, const struct seep_estimate *b);
struct seep_estimate seep_budget_subtract(const struct seep_estimate *a,
					  const struct seep_estimate *b);

#endif
