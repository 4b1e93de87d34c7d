/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Known and accepted sites, read from a file:
 *
 *	# a comment
 *	Geant4::Cache::*  # a reason, shown where the site is suppressed
 *
 * Each line is a pattern for function names as the report shows them.  A site is suppressed if
 * any frame in its stack matches.
 */
#ifndef SEEP_CLI_CHECK_CHECK_SUPPRESS_H
#define SEEP_CLI_CHECK_CHECK_SUPPRESS_H

#include "base/arena.h"
#include "base/err.h"
#include "model/run.h"

struct seep_suppression {
	const char *pattern;
	const char *reason;      /* from the comment behind the pattern, or NULL */
	size_t line;             /* line number in the file */
	size_t sites;            /* number of sites that matched so far */
};

struct seep_suppressions {
	const char *path;
	struct seep_suppression *items;
	size_t n;
};

int seep_suppress_read(struct seep_suppressions *list, const char *path, struct seep_arena *arena,
		       struct seep_err *err);

/* Returns the first pattern that matches a frame, or NULL, and counts every match. */
const struct seep_suppression *seep_suppress_find(struct seep_suppressions *list,
						  const struct seep_stack *stack);

/* Sets the match counts to 0. */
void seep_suppress_reset(struct seep_suppressions *list);

/* Returns how many patterns have matched nothing. */
size_t seep_suppress_unused(const struct seep_suppressions *list);

#endif
