/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What seep check found.  Shown as the text below, and by render/gate/junit.h,
 * render/gate/sarif.h and render/gate/github.h.
 */
#ifndef SEEP_RENDER_GATE_CHECK_H
#define SEEP_RENDER_GATE_CHECK_H

#include "analyse/gate/budget.h"
#include "render/fingerprint.h"
#include "render/text/suspects.h"
#include "render/view.h"

/* A site that takes part in the growth, or is suspect. */
struct seep_finding {
	const struct seep_suspect *suspect; /* what it keeps; NULL: it grows */
	const struct seep_site_result *result;
	size_t rank;             /* in the report, from 1 */
	struct seep_fingerprint fingerprint;
	struct seep_estimate rate; /* in the unit of the budget */
	bool suppressed;
	const char *reason;      /* the user's reason for the suppression; NULL: none */
	bool is_new;             /* there is a baseline, in which the site does not grow */
	bool rose;               /* new, or it keeps more than in the baseline */
	bool fails;              /* new, and over the budget by itself */
	bool accused;            /* it brings the run over the budget */
};

struct seep_check {
	const struct seep_view *view; /* its verdict covers all sites */
	const struct seep_verdict *verdict; /* the one that counts, without suppressed sites */
	struct seep_budget budget;
	struct seep_budget_answer answer;
	const struct seep_finding *findings; /* by rate */
	size_t n_findings;
	const struct seep_finding *suspects; /* if they fail: by bytes, without those in findings */
	size_t n_suspects;
	size_t suspects_total;   /* may be more than are listed */
	bool strict;             /* suspects fail */
	const struct seep_estimate *baseline; /* in the unit of the budget; NULL: none */
	const char *baseline_name;
	size_t n_unused;         /* suppressions that match nothing */
	bool unused_fail;        /* ... and that fails the check */
	bool keeps_trace;        /* the trace can be looked at later */
	const char *root;        /* of the sources, absolute; or NULL */
	const char *version;     /* of seep */
};

/* Three to eight lines: the outcome, the numbers, the sites, the next command. */
void seep_check_text(const struct seep_check *check);

/* "PASS", "FAIL" or "CANNOT TELL". */
const char *seep_check_word(const struct seep_check *check);

/* The outcome, taking unused suppressions and suspects into account. */
enum seep_budget_outcome seep_check_outcome(const struct seep_check *check);

/* The reason for the outcome, in one sentence. */
const char *seep_check_why(const struct seep_check *check);

/* The function of the site, as a safe text. */
const char *seep_check_function(const struct seep_check *check, const struct seep_finding *finding);

/* What the site does, in one sentence. */
const char *seep_check_message(const struct seep_check *check, const struct seep_finding *finding);

/* The file name of the program, as a safe text. */
const char *seep_check_program(const struct seep_check *check);

/* "64 kB/event" */
const char *seep_check_budget(const struct seep_check *check);

#endif
