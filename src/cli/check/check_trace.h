/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace as seep check sees it: judged without suppressed sites, with function names. */
#ifndef SEEP_CLI_CHECK_CHECK_TRACE_H
#define SEEP_CLI_CHECK_CHECK_TRACE_H

#include "cli/check/check_suppress.h"
#include "cli/common/analysis.h"
#include "render/gate/check.h"

struct seep_check_trace {
	struct seep_analysis analysis;
	struct seep_run rest;    /* the run without suppressed sites, if there are any */
	struct seep_verdict verdict; /* on rest if sites are suppressed, else on the run */
	struct seep_finding *findings; /* growing and suppressed sites, by rank */
	size_t n_findings;
	struct seep_finding *suspects; /* not suppressed, most bytes first; only if wanted */
	size_t n_suspects;
	size_t suspects_total;   /* may be more than n_suspects */
};

struct seep_check_trace_plan {
	struct seep_analysis_options analysis;
	struct seep_suppressions *suppressions;
	bool suspects;           /* whether to list suspects */
};

/* The rates in the findings are per event. */
int seep_check_trace_open(struct seep_check_trace *trace, const char *path,
			  const struct seep_check_trace_plan *plan, struct seep_err *err);
void seep_check_trace_close(struct seep_check_trace *trace);

#endif
