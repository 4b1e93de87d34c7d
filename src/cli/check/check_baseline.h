/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The baseline of a check: another trace, or a report that was saved as JSON. */
#ifndef SEEP_CLI_CHECK_CHECK_BASELINE_H
#define SEEP_CLI_CHECK_CHECK_BASELINE_H

#include "analyse/gate/budget.h"
#include "base/arena.h"
#include "base/err.h"
#include "cli/check/check_new.h"
#include "cli/check/check_suppress.h"
#include "render/fingerprint.h"

struct seep_baseline_site {
	struct seep_fingerprint fingerprint;
	struct seep_estimate bytes_per_event;
};

struct seep_baseline {
	const char *path;
	bool slices;             /* its events are time slices */
	double events;
	double events_per_s;     /* 0: unknown */
	struct seep_estimate bytes_per_event; /* without suppressed sites */
	struct seep_baseline_site *sites; /* that grow and are not suppressed */
	size_t n_sites;
	struct seep_fingerprint *suspects; /* without suppressed ones */
	size_t n_suspects;
	struct seep_check_sites known; /* growing sites and suspects, for matching */
	bool no_builds;          /* see struct seep_compare_side */
	struct seep_check_trace *trace; /* the source of all this; NULL: it is a report */
};

/* plan: how the checked trace is read.  The baseline's suspects are always listed. */
int seep_baseline_read(struct seep_baseline *baseline, const char *path,
		       const struct seep_check_trace_plan *plan, struct seep_arena *arena,
		       struct seep_err *err);

void seep_baseline_release(struct seep_baseline *baseline);

/* Whether a site with this name grows or is suspect in the baseline. */
bool seep_baseline_knows(const struct seep_baseline *baseline,
			 const struct seep_fingerprint *fingerprint);

/* NULL if no site with this name grows in the baseline. */
const struct seep_baseline_site *seep_baseline_find(const struct seep_baseline *baseline,
						    const struct seep_fingerprint *fingerprint);

#endif
