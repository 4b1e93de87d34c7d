/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sites that grow but did not grow in the baseline, even if the total grows less.  Sites are
 * matched as in seep diff.
 */
#ifndef SEEP_CLI_CHECK_CHECK_NEW_H
#define SEEP_CLI_CHECK_CHECK_NEW_H

#include "analyse/compare/compare.h"
#include "analyse/gate/budget.h"
#include "cli/check/check_suppress.h"
#include "cli/check/check_trace.h"

/* The sites to compare: those that grow or may grow, and are not suppressed. */
struct seep_check_sites {
	struct seep_run run;
	struct seep_verdict verdict;
};

/* sites refers to memory of the trace and is valid as long as the trace is. */
void seep_check_sites_of(struct seep_check_sites *sites, struct seep_check_trace *trace,
			 struct seep_suppressions *suppressions);

/*
 * Sets is_new, rose and fails in the findings, and n_new and new_rate in the question.  scales
 * convert rates per event to the unit of the budget: [0] for the baseline, [1] for the trace.
 */
void seep_check_new_find(struct seep_check_trace *trace, struct seep_suppressions *suppressions,
			 const struct seep_compare_side *baseline, const double *scales,
			 struct seep_budget_question *question);

#endif
