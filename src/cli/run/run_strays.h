/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that --follow names and that cannot be tracked: the loader ignores a preload
 * it may not use without a word, so seep run looks after its descendants now and then.
 * Those that were gone before anybody looked would not have had a trace either.
 */
#ifndef SEEP_CLI_RUN_RUN_STRAYS_H
#define SEEP_CLI_RUN_RUN_STRAYS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SEEP_STRAYS_SEEN 256
#define SEEP_STRAYS_NAMED 4

struct seep_strays {
	const char *names;       /* as given to --follow; NULL: nobody is looked after */
	const char *library;     /* the tracker */
	int64_t period_ns, due_ns;
	struct seep_stray {
		pid_t pid;
		uint32_t looks;  /* at which it was found like this */
		char name[64];
		const char *why;
	} seen[SEEP_STRAYS_SEEN];
	size_t n_seen;
};

/* Looks after the descendants of pid, if it is time to. */
void seep_strays_look(struct seep_strays *strays, pid_t pid, int64_t now_ns);

/* One line on stderr, if there were any. */
void seep_strays_tell(const struct seep_strays *strays);

#endif
