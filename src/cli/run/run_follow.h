/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the traces of followed child programs and prints one line about each. */
#ifndef SEEP_CLI_RUN_RUN_FOLLOW_H
#define SEEP_CLI_RUN_RUN_FOLLOW_H

#include "base/arena.h"
#include "cli/run/run_trace.h"

#define SEEP_FOLLOW_MAX 256 /* most traces of child programs in a run with --follow */

struct seep_followed {
	uint64_t pid;
	const char *name;        /* of the program */
	const char *trace;       /* path, quoted for the shell */
	bool is_short;           /* too short to judge */
	size_t events;
	const char *headline;    /* of its verdict; the end of its line */
	const char *next;        /* a command that shows which of its sites grows, or NULL */
	double growth;           /* bytes over the whole run, if it certainly grows; else 0 */
};

struct seep_run_follow {
	struct seep_arena arena;
	struct seep_followed *programs; /* largest growth first */
	size_t n;
	size_t n_unread;         /* traces that could not be read */
};

/*
 * Reads and judges the traces of all child programs of the run whose trace is name.
 * material_bytes as in --material; 0: the default.
 */
void seep_run_follow_judge(struct seep_run_follow *follow, const char *name,
			   int64_t started_real_ns, double material_bytes);
void seep_run_follow_release(struct seep_run_follow *follow);

/*
 * The command to suggest: it shows the program that grows most.  If none grows and the main
 * program was idle, it shows one that could be judged.  NULL if there is none.
 */
const char *seep_run_follow_next(struct seep_run_follow *follow, bool idle);

/* Prints the list to stderr, without the suggested command. */
void seep_run_follow_tell(const struct seep_run_follow *follow,
			  const struct seep_run_trace *trace);

#endif
