/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a gate found, for those who show it: the text below, render/gate/junit.h,
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
	size_t rank;             /* in the report, from 1 on */
	struct seep_fingerprint fingerprint;
	struct seep_estimate rate; /* in the unit of the budget */
	bool suppressed;
	const char *reason;      /* of that, as the user wrote it; NULL: none */
	bool is_new;             /* there is a baseline, and it does not grow there */
	bool rose;               /* new, or it keeps more than there */
	bool fails;              /* new, and more than the budget allows all by itself */
	bool accused;            /* it brings the run over the budget */
};

struct seep_check {
	const struct seep_view *view; /* its verdict is that of all sites */
	const struct seep_verdict *verdict; /* the one that counts, without suppressed sites */
	struct seep_budget budget;
	struct seep_budget_answer answer;
	const struct seep_finding *findings; /* by rate */
	size_t n_findings;
	const struct seep_finding *suspects; /* if they fail: by bytes, without those before */
	size_t n_suspects;
	size_t suspects_total;   /* more may be counted than are listed */
	bool strict;             /* suspects fail */
	const struct seep_estimate *baseline; /* in the unit of the budget; NULL: none */
	const char *baseline_name;
	size_t n_unused;         /* suppressions that match nothing */
	bool unused_fail;        /* and this is a failure */
	bool keeps_trace;        /* it can be looked at later */
	const char *root;        /* of the sources, absolute; or NULL */
	const char *version;     /* of seep */
};

/* Three to eight lines: the outcome, the numbers, the sites, the next command. */
void seep_check_text(const struct seep_check *check);

/* "PASS", "FAIL" or "CANNOT TELL". */
const char *seep_check_word(const struct seep_check *check);

/* The outcome, unused suppressions and suspects considered. */
enum seep_budget_outcome seep_check_outcome(const struct seep_check *check);

/* Why it is so, in one sentence. */
const char *seep_check_why(const struct seep_check *check);

/* The function of the site, safe to be shown. */
const char *seep_check_function(const struct seep_check *check, const struct seep_finding *finding);

/* What the site does, in one sentence. */
const char *seep_check_message(const struct seep_check *check, const struct seep_finding *finding);

/* The file name of the program, safe to be shown. */
const char *seep_check_program(const struct seep_check *check);

/* "64 kB/event" */
const char *seep_check_budget(const struct seep_check *check);

#endif
