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

#define SEEP_STUDY_END UINT64_MAX /* as at_event: at the very end, after any clean-up */

/* How a run is read and judged; all of it may be 0. */
struct seep_study_options {
	const struct seep_import_options *import; /* of files that do not tell their unit */
	uint64_t at_event;       /* as it was in that event, from 1 on; 0: before a clean-up */
	double material_bytes;   /* what counts as material; 0: the default */
};

struct seep_study {
	struct seep_arena arena;
	struct seep_run run;
	struct seep_verdict verdict;
	struct seep_judge_options judge; /* that it was judged with */
	struct seep_symbols *symbols;
	size_t n_recorded_notes; /* of run.notes; the rest is about names that are missing */
};

int seep_study_open(struct seep_study *study, const char *path, struct seep_err *err);

/* The same of several files that are one run, and of files that do not tell their unit. */
int seep_study_open_files(struct seep_study *study, const char *const *paths, size_t n,
			  const struct seep_import_options *options, struct seep_err *err);

/* The same, in a certain way. */
int seep_study_open_as(struct seep_study *study, const char *const *paths, size_t n,
		       const struct seep_study_options *options, struct seep_err *err);

void seep_study_close(struct seep_study *study);

/* Whether time slices were events, and too few of them passed. */
bool seep_study_is_short(const struct seep_study *study);

/*
 * Names the frames of n sites of the verdict from first on; all their stacks.  What
 * cannot be named any more becomes a note of the run.
 */
void seep_study_resolve(struct seep_study *study, size_t first, size_t n);

/* The same of so many suspects, most bytes first. */
void seep_study_resolve_suspects(struct seep_study *study, size_t most);

/* Names what the text report will show. */
void seep_study_resolve_text(struct seep_study *study, bool all);

/* Ready to print on the stream. */
struct seep_view seep_study_view(struct seep_study *study, FILE *out);

#endif
