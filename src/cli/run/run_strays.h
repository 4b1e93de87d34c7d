/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Child programs that --follow selects but that cannot be tracked.  The loader silently ignores
 * a preload that it may not use, so seep run checks its descendants from time to time.  Programs
 * that end before the first check would have been too short for a trace anyway.
 */
#ifndef SEEP_CLI_RUN_RUN_STRAYS_H
#define SEEP_CLI_RUN_RUN_STRAYS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SEEP_STRAYS_SEEN 256
#define SEEP_STRAYS_NAMED 4

struct seep_strays {
	const char *names;       /* as given to --follow; NULL: nothing is checked */
	const char *library;     /* path of the tracker */
	int64_t period_ns, due_ns;
	struct seep_stray {
		pid_t pid;
		uint32_t looks;  /* number of checks that found it untracked */
		char name[64];
		const char *why;         /* it cannot be tracked */
	} seen[SEEP_STRAYS_SEEN];
	size_t n_seen;
};

/* Checks the descendants of pid if a check is due. */
void seep_strays_look(struct seep_strays *strays, pid_t pid, int64_t now_ns);

/* Prints one line to stderr if there were strays. */
void seep_strays_tell(const struct seep_strays *strays);

#endif
