/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace read and judged: the steps that every command that shows something begins with. */
#ifndef SEEP_CLI_COMMON_ANALYSIS_H
#define SEEP_CLI_COMMON_ANALYSIS_H

#include "analyse/judge.h"
#include "analyse/verdict/verdict.h"
#include "base/arena.h"
#include "base/err.h"
#include "model/run.h"
#include "render/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct seep_import_options;
struct seep_symbols;

#define SEEP_ANALYSIS_END UINT64_MAX /* as at_event: at the very end, after any clean-up */

/* How a run is read and judged; all of it may be 0. */
struct seep_analysis_options {
	const struct seep_import_options *import; /* of files that do not tell their unit */
	uint64_t at_event;       /* as it was in that event, from 1 on; 0: before a clean-up */
	double material_bytes;   /* what counts as material; 0: the default */
};

struct seep_analysis {
	struct seep_arena arena;
	struct seep_run run;
	struct seep_verdict verdict;
	struct seep_judge_options judge; /* that it was judged with */
	struct seep_symbols *symbols;
	size_t n_recorded_notes; /* of run.notes; the rest is about names that are missing */
};

int seep_analysis_open(struct seep_analysis *analysis, const char *path, struct seep_err *err);

/* The same of several files that are one run, and of files that do not tell their unit. */
int seep_analysis_open_files(struct seep_analysis *analysis, const char *const *paths, size_t n,
			     const struct seep_import_options *options, struct seep_err *err);

/* The same, in a certain way. */
int seep_analysis_open_as(struct seep_analysis *analysis, const char *const *paths, size_t n,
			  const struct seep_analysis_options *options, struct seep_err *err);

void seep_analysis_close(struct seep_analysis *analysis);

/* Whether time slices were events, and too few of them passed. */
bool seep_analysis_is_short(const struct seep_analysis *analysis);

/*
 * Names the frames of n sites of the verdict from first on; all their stacks.  What
 * cannot be named any more becomes a note of the run.
 */
void seep_analysis_resolve(struct seep_analysis *analysis, size_t first, size_t n);

/* The same of so many suspects, most bytes first. */
void seep_analysis_resolve_suspects(struct seep_analysis *analysis, size_t most);

/* Names what the text report will show. */
void seep_analysis_resolve_text(struct seep_analysis *analysis, bool all);

/* Ready to print on the stream. */
struct seep_view seep_analysis_view(struct seep_analysis *analysis, FILE *out);

#endif
