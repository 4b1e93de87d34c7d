/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and judges a trace: the steps that every command that shows results starts with. */
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

#define SEEP_ANALYSIS_END UINT64_MAX /* for at_event: the very end, after any clean-up */

/* How a run is read and judged.  Zeros are valid defaults. */
struct seep_analysis_options {
	const struct seep_import_options *import; /* for files that do not state their unit */
	uint64_t at_event;       /* the run as it was at this event, from 1; 0: before a clean-up */
	double material_bytes;   /* see --material; 0: the default */
	bool saved;              /* a report that was saved as JSON will do, too */
};

struct seep_analysis {
	struct seep_arena arena;
	struct seep_run run;
	struct seep_verdict verdict;
	struct seep_judge_options judge; /* the options that were used */
	struct seep_symbols *symbols;
	const char *json;        /* the text of a saved report; NULL: it was a trace */
	size_t n_recorded_notes; /* of run.notes; the later ones are about missing names */
};

int seep_analysis_open(struct seep_analysis *analysis, const char *path, struct seep_err *err);

/* The same for several files of one run, and for files that do not state their unit. */
int seep_analysis_open_files(struct seep_analysis *analysis, const char *const *paths, size_t n,
			     const struct seep_import_options *options, struct seep_err *err);

/* The same with all options. */
int seep_analysis_open_as(struct seep_analysis *analysis, const char *const *paths, size_t n,
			  const struct seep_analysis_options *options, struct seep_err *err);

void seep_analysis_close(struct seep_analysis *analysis);

/* Whether events are time slices and there were too few of them. */
bool seep_analysis_is_short(const struct seep_analysis *analysis);

/*
 * Looks up the function names in all stacks of n sites of the verdict, starting at first.  If
 * names are no longer available, the run gets a note.
 */
void seep_analysis_resolve(struct seep_analysis *analysis, size_t first, size_t n);

/* The same for at most this many suspects, most bytes first. */
void seep_analysis_resolve_suspects(struct seep_analysis *analysis, size_t most);

/* The same for everything that the text report will show. */
void seep_analysis_resolve_text(struct seep_analysis *analysis, bool all);

/*
 * How many sites, from the first on, the JSON report has, the hidden ones (NULL: none) included;
 * all: as many as there is room for.
 */
size_t seep_analysis_json_sites(const struct seep_analysis *analysis, const bool *hidden,
				bool all);

/* The same for everything that some report shows without being asked for more, or that grows. */
void seep_analysis_resolve_reported(struct seep_analysis *analysis);

/* A view of the analysis that prints to out. */
struct seep_view seep_analysis_view(struct seep_analysis *analysis, FILE *out);

#endif
