/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The verdict as an ordered table of rules over evidence that does not change.
 *
 * The first rule that holds decides.  `seep report --explain` names it, and docs/method.md
 * shows the same table.  No evidence is not reported as no leak: flat comes with its bound.
 */
#ifndef SEEP_ANALYSE_VERDICT_RULES_H
#define SEEP_ANALYSE_VERDICT_RULES_H

#include "analyse/verdict/evidence.h"
#include "analyse/verdict/verdict.h"

struct seep_rule {
	const char *id;          /* verdict.rule in the JSON */
	const char *question;    /* that it answers with yes */
	const char *answer;      /* the kind, in words */
	bool (*holds)(const struct seep_evidence *evidence);
	void (*conclude)(struct seep_verdict *verdict, const struct seep_evidence *evidence);
	enum seep_reason reason;
};

extern const struct seep_rule seep_rules[];
extern const size_t seep_rules_n;

/* The first that holds; the last one always does. */
const struct seep_rule *seep_rules_find(const struct seep_evidence *evidence);

#endif
