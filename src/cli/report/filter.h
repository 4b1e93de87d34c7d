/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which sites of a run are shown: --focus, --ignore, --module, --phase and --site REGEX. */
#ifndef SEEP_CLI_REPORT_FILTER_H
#define SEEP_CLI_REPORT_FILTER_H

#include "base/err.h"
#include "cli/common/analysis.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The expressions are extended regular expressions.  They are matched with the name of a function
 * and with its place, such as "hits.cc:183".
 */
struct seep_filter {
	const char *focus;       /* show only sites with such a frame in their stack */
	const char *ignore;      /* ... and none with such a frame */
	const char *module;      /* ... whose own frame is in this object: "libfoo.so" */
	const char *phase;       /* ... whose blocks are born after this stamp */
};

/*
 * Sets *hidden to an array with a value for each site of the verdict, or to NULL if nothing was
 * asked for; *by to the options, for messages.  Looks up all names that this takes.
 */
int seep_filter_apply(const struct seep_filter *filter, struct seep_analysis *analysis,
		      bool **hidden, const char **by, struct seep_err *err);

/*
 * The sites whose own frame matches the pattern, or if there is none, those with any such frame:
 * all others are hidden.  *n is how many match.
 */
int seep_filter_find(const char *pattern, struct seep_analysis *analysis, bool **hidden,
		     size_t *n, struct seep_err *err);

#endif
