/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the facts of a run to its verdict: evidence, rules, causes, words.  Everything that wants
 * a verdict calls seep_judge().
 */
#ifndef SEEP_ANALYSE_JUDGE_H
#define SEEP_ANALYSE_JUDGE_H

#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "model/run.h"

struct seep_judge_options {
	double material_bytes;   /* smaller amounts do not matter; 0: the default */
};

/* *verdict lives in the arena.  options may be NULL. */
void seep_judge(struct seep_verdict *verdict, const struct seep_run *run,
		const struct seep_judge_options *options, struct seep_arena *arena);

#endif
