/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether the growth of a run stays within a budget.
 *
 *   over     the run grows, and the lower end of the rate's interval is above the budget
 *   within   the upper end is not above it; or the budget is 0, and the verdict is flat
 *   open     neither: a sentence gives the reason and how many more events would settle it
 *
 * However long the run, the interval never excludes all growth.  With a budget of 0, the kind of
 * the verdict therefore decides.  With a baseline, the rate is the growth beyond the baseline.  A
 * site that did not grow in the baseline and now grows by more than the budget is over it, even
 * if other sites grow less: fixing one leak does not pay for a new one.
 */
#ifndef SEEP_ANALYSE_GATE_BUDGET_H
#define SEEP_ANALYSE_GATE_BUDGET_H

#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "model/run.h"

struct seep_budget {
	double bytes;
	bool per_second;         /* otherwise per event */
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
	int64_t min_events;      /* shorter runs are not judged */
	const struct seep_estimate *baseline; /* in the unit of the budget; NULL: none */
	size_t n_new;            /* sites that count and did not grow in the baseline */
	struct seep_estimate new_rate; /* the sum of their rates, in the unit of the budget */
};

struct seep_budget_answer {
	enum seep_budget_outcome outcome;
	struct seep_estimate rate; /* of the run, in the unit of the budget */
	struct seep_estimate beyond; /* the same, beyond the baseline */
	double scale;            /* from per event to the unit of the budget; 0: unknown */
	double events_more;      /* roughly how many would settle it; 0: unknown */
	const char *why;         /* one sentence */
};

void seep_budget_judge(struct seep_budget_answer *answer,
		       const struct seep_budget_question *question, struct seep_arena *arena);

/* Whether a site's additional growth, in the unit of the budget, counts on its own. */
bool seep_budget_counts(const struct seep_budget_question *question,
			const struct seep_estimate *more);

/* Makes a budget of 0 per second if events are time slices. */
struct seep_budget seep_budget_settle(struct seep_budget budget, const struct seep_run *run);

const char *seep_budget_per(const struct seep_budget *budget); /* "event" or "s" */

/* The factor from a rate per event to the unit of the budget; 0: unknown. */
double seep_budget_scale(const struct seep_budget *budget, const struct seep_run *run,
			 const struct seep_verdict *verdict);

struct seep_estimate seep_budget_scaled(const struct seep_estimate *rate, double scale);

/* Sum and difference of independent estimates. */
struct seep_estimate seep_budget_add(const struct seep_estimate *a, const struct seep_estimate *b);
struct seep_estimate seep_budget_subtract(const struct seep_estimate *a,
					  const struct seep_estimate *b);

#endif
