/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace as seep check sees it: judged without what is suppressed, its sites named. */
#ifndef SEEP_CLI_CHECK_CHECK_TRACE_H
#define SEEP_CLI_CHECK_CHECK_TRACE_H

#include "cli/check/check_suppress.h"
#include "cli/common/analysis.h"
#include "render/gate/check.h"

struct seep_check_trace {
	struct seep_analysis analysis;
	struct seep_run rest;    /* the run without what is suppressed, if anything is */
	struct seep_verdict verdict; /* the one that counts */
	struct seep_finding *findings; /* sites that grow, and those suppressed; by rank */
	size_t n_findings;
	struct seep_finding *suspects; /* not suppressed, most bytes first; if they are wanted */
	size_t n_suspects;
	size_t suspects_total;   /* more may be counted than are listed */
};

struct seep_check_trace_plan {
	struct seep_analysis_options analysis;
	struct seep_suppressions *suppressions;
	bool suspects;           /* they are to be listed */
};

/* The rates of the findings are per event. */
int seep_check_trace_open(struct seep_check_trace *trace, const char *path,
			  const struct seep_check_trace_plan *plan, struct seep_err *err);
void seep_check_trace_close(struct seep_check_trace *trace);

#endif
