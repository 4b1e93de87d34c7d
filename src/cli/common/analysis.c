/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/analysis.h"
#include "cli/common/progress.h"
#include "cli/common/saved.h"
#include "cli/common/self.h"
#include "import/import.h"
#include "model/load/load.h"
#include "model/load/load_cut.h"
#include "model/symbols/symbols.h"
#include "render/json/json_read.h"
#include "render/text/advice.h"
#include "render/text/suspects.h"
#include "render/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLICES_MIN 3 /* fewer cannot be judged */
/* Sites in the JSON unless all are asked for, or more are accused. */
#define JSON_SITES 50
/* ... and at most; a report of 10^5 sites would have 340 MB, and nobody could read it. */
#define JSON_SITES_MOST 5000

int seep_analysis_open(struct seep_analysis *analysis, const char *path, struct seep_err *err)
{
	return seep_analysis_open_files(analysis, &path, 1, NULL, err);
}

int seep_analysis_open_files(struct seep_analysis *analysis, const char *const *paths, size_t n,
			     const struct seep_import_options *options, struct seep_err *err)
{
	const struct seep_analysis_options plain = { .import = options };

	return seep_analysis_open_as(analysis, paths, n, &plain, err);
}

static int open_saved(struct seep_analysis *analysis, const char *path, char *text, size_t bytes,
		      struct seep_err *err)
{
	int rc;

	seep_arena_init(&analysis->arena);
	analysis->json = seep_arena_copy(&analysis->arena, text, bytes);
	rc = seep_json_read(&analysis->run, &analysis->verdict, path, text, bytes,
			    &analysis->arena, err);
	if (rc)
		seep_arena_release(&analysis->arena);
	else
		analysis->n_recorded_notes = analysis->run.n_notes - 1; /* the last is about it */
	return rc;
}

static int refuse_saved(const struct seep_analysis_options *options, const char *path,
			struct seep_err *err)
{
	if (!options->saved)
		return seep_err_set(err, EINVAL, "%s: a saved report or other JSON, and not a "
				    "trace; only seep report, diff and check --baseline read "
				    "saved reports", path);
	if (options->at_event)
		return seep_err_set(err, EINVAL, "%s: a saved report has no snapshots; --at-event "
				    "needs the trace", path);
	return 0;
}

int seep_analysis_open_as(struct seep_analysis *analysis, const char *const *paths, size_t n,
			  const struct seep_analysis_options *options, struct seep_err *err)
{
	struct seep_reader reader;
	char *text = NULL;
	size_t bytes;
	int rc = n == 1 ? seep_saved_read(paths[0], &text, &bytes, err) : 0;

	memset(analysis, 0, sizeof(*analysis));
	if (text && !rc) {
		rc = refuse_saved(options, paths[0], err);
		if (!rc)
			rc = open_saved(analysis, paths[0], text, bytes, err);
		free(text);
		return rc;
	}
	if (rc)
		return rc;
	rc = seep_import_open(&reader, paths, n, options->import, err);
	if (rc)
		return rc;
	if (options->at_event && options->at_event != SEEP_ANALYSIS_END) {
		rc = seep_load_cut(&reader, options->at_event, err);
		if (rc) {
			seep_reader_close(&reader);
			return rc;
		}
	}
	seep_arena_init(&analysis->arena);
	seep_progress_step("reading the trace");
	if (options->at_event == SEEP_ANALYSIS_END)
		seep_load_records_at_end(&analysis->run, &reader, &analysis->arena);
	else
		seep_load_records(&analysis->run, &reader, &analysis->arena);
	seep_reader_close(&reader);
	analysis->run.n_files = n;
	analysis->n_recorded_notes = analysis->run.n_notes;
	seep_progress_step("judging it");
	analysis->judge.material_bytes = options->material_bytes;
	seep_judge(&analysis->verdict, &analysis->run, &analysis->judge, &analysis->arena);
	return 0;
}

void seep_analysis_close(struct seep_analysis *analysis)
{
	if (analysis->symbols)
		seep_symbols_close(analysis->symbols);
	seep_arena_release(&analysis->arena);
}

bool seep_analysis_is_short(const struct seep_analysis *analysis)
{
	const struct seep_run *run = &analysis->run;

	return !run->n_events || (run->n_events < SLICES_MIN &&
				  !seep_run_has_marks(run));
}

void seep_analysis_resolve(struct seep_analysis *analysis, size_t first, size_t n)
{
	seep_progress_step("looking up names");
	if (!analysis->symbols)
		analysis->symbols = seep_symbols_open(&analysis->run, &analysis->arena);
	for (size_t i = first; i < analysis->verdict.n_sites && i - first < n; i++) {
		size_t index = (size_t)(analysis->verdict.sites[i].site - analysis->run.sites);
		struct seep_site *site = &analysis->run.sites[index];

		seep_symbols_resolve(analysis->symbols, &site->stack);
		for (size_t j = 0; j < site->n_freed_by; j++)
			seep_symbols_resolve(analysis->symbols, &site->freed_by[j].stack);
	}
	seep_symbols_note(analysis->symbols, &analysis->run);
}

void seep_analysis_resolve_suspects(struct seep_analysis *analysis, size_t most)
{
	size_t n;
	const struct seep_suspect *list = seep_suspect_list(&analysis->run, &analysis->verdict,
							    &analysis->arena, &n);

	for (size_t i = 0; i < n && i < most; i++)
		seep_analysis_resolve(analysis, list[i].rank - 1, 1);
}

void seep_analysis_resolve_text(struct seep_analysis *analysis, bool all)
{
	size_t n;
	const size_t *shown = seep_text_pick(&analysis->verdict, NULL, all,
					     &analysis->arena, &n);

	for (size_t i = 0; i < n; i++)
		seep_analysis_resolve(analysis, shown[i], 1);
	seep_analysis_resolve_suspects(analysis, all ? analysis->verdict.n_sites
				       : SEEP_SUSPECTS_SHOWN);
	n = seep_advice_pick(&analysis->run, &analysis->verdict, all);
	if (n < analysis->verdict.n_sites)
		seep_analysis_resolve(analysis, n, 1);
}

/* The accused ones, and some others to compare them with. */
size_t seep_analysis_json_sites(const struct seep_analysis *analysis, const bool *hidden,
				bool all)
{
	const struct seep_verdict *verdict = &analysis->verdict;
	size_t shown = 0, end = 0;

	for (size_t i = 0; i < verdict->n_sites && shown < JSON_SITES_MOST; i++) {
		bool wanted = all || shown < JSON_SITES ||
			      seep_view_is_accused(&verdict->sites[i]);

		if (!wanted || (hidden && hidden[i]))
			continue;
		shown++;
		end = i + 1;
	}
	return end;
}

void seep_analysis_resolve_reported(struct seep_analysis *analysis)
{
	const struct seep_verdict *verdict = &analysis->verdict;
	size_t left = JSON_SITES_MOST;

	seep_analysis_resolve_text(analysis, false);
	seep_analysis_resolve(analysis, 0, seep_analysis_json_sites(analysis, NULL, false));
	seep_analysis_resolve_suspects(analysis, SEEP_SUSPECTS_JSON);
	for (size_t i = 0; i < verdict->n_sites && left; i++)
		if (verdict->sites[i].verdict != SEEP_SITE_NONE) {
			seep_analysis_resolve(analysis, i, 1);
			left--;
		}
}

struct seep_view seep_analysis_view(struct seep_analysis *analysis, FILE *out)
{
	struct seep_view view = {
		.run = &analysis->run,
		.verdict = &analysis->verdict,
		.arena = &analysis->arena,
		.out = out,
		.style = seep_style_of(out),
		.n_recorded_notes = analysis->n_recorded_notes,
		.self = seep_self(),
	};

	return view;
}
