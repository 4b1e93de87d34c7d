/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs that were followed: their traces judged, and told in a line each. */
#ifndef SEEP_CLI_RUN_RUN_FOLLOW_H
#define SEEP_CLI_RUN_RUN_FOLLOW_H

#include "base/arena.h"
#include "cli/run/run_trace.h"

#define SEEP_FOLLOW_MAX 256 /* traces that a run with --follow may leave beside its own */

struct seep_followed {
	uint64_t pid;
	const char *name;        /* of the program */
	const char *trace;       /* as one word for the shell */
	bool is_short;           /* too short to judge */
	size_t events;
	const char *headline;    /* of its verdict; ends its line */
	const char *next;        /* the command that shows which one grows, or NULL */
	double growth;           /* bytes over its events, where that is sure; else 0 */
};

struct seep_run_follow {
	struct seep_arena arena;
	struct seep_followed *programs; /* the largest growth first */
	size_t n;
	size_t n_unread;         /* traces that could not be read */
};

/*
 * Reads and judges the traces of all children of the run whose trace has this name;
 * material_bytes: 0 for the default.
 */
void seep_run_follow_judge(struct seep_run_follow *follow, const char *name,
			   int64_t started_real_ns, double material_bytes);
void seep_run_follow_release(struct seep_run_follow *follow);

/*
 * The command that shows which of them grows; if none does, and the program itself
 * was idle, one that shows what could be judged.  NULL if there is neither.
 */
const char *seep_run_follow_next(struct seep_run_follow *follow, bool idle);

/* The list on stderr, without the command to type next. */
void seep_run_follow_tell(const struct seep_run_follow *follow,
			  const struct seep_run_trace *trace);

#endif
