/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sites that are known and accepted, out of a file:
 *
 *	# a comment
 *	Geant4::Cache::*  # a reason, shown where the site is suppressed
 *
 * A line is a pattern for the name of a function, as the report shows it; a site is
 * suppressed if any frame of its stack matches.
 */
#ifndef SEEP_CLI_CHECK_CHECK_SUPPRESS_H
#define SEEP_CLI_CHECK_CHECK_SUPPRESS_H

#include "base/arena.h"
#include "base/err.h"
#include "model/run.h"

struct seep_suppression {
	const char *pattern;
	const char *reason;      /* or NULL */
	size_t line;             /* in the file */
	size_t sites;            /* that it has matched */
};

struct seep_suppressions {
	const char *path;
	struct seep_suppression *items;
	size_t n;
};

int seep_suppress_read(struct seep_suppressions *list, const char *path, struct seep_arena *arena,
		       struct seep_err *err);

/* The first that matches a frame of the stack, or NULL; all that match are counted. */
const struct seep_suppression *seep_suppress_find(struct seep_suppressions *list,
						  const struct seep_stack *stack);

/* As if none of them had matched anything yet. */
void seep_suppress_reset(struct seep_suppressions *list);

/* Those that have matched nothing. */
size_t seep_suppress_unused(const struct seep_suppressions *list);

#endif
