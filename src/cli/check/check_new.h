/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sites that grow and did not in the baseline, however much less all of it grows.  Sites are
 * matched as by seep diff.
 */
#ifndef SEEP_CLI_CHECK_CHECK_NEW_H
#define SEEP_CLI_CHECK_CHECK_NEW_H

#include "analyse/compare/compare.h"
#include "analyse/gate/budget.h"
#include "cli/check/check_suppress.h"
#include "cli/check/check_trace.h"

/* What is compared: the sites that grow, or may, and are not suppressed. */
struct seep_check_sites {
	struct seep_run run;
	struct seep_verdict verdict;
};

/* sites is as the trace but for those left out, and lives as long as it. */
void seep_check_sites_of(struct seep_check_sites *sites, struct seep_check_trace *trace,
			 struct seep_suppressions *suppressions);

/*
 * Fills is_new, rose and fails of the findings, and the new sites of the question.  scales: from
 * per event to the unit of the budget, of the baseline and of the trace.
 */
void seep_check_new_find(struct seep_check_trace *trace, struct seep_suppressions *suppressions,
			 const struct seep_compare_side *baseline, const double *scales,
			 struct seep_budget_question *question);

#endif
