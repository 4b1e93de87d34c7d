/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/analysis.h"
#include "cli/common/progress.h"
#include "cli/common/self.h"
#include "import/import.h"
#include "model/load/load.h"
#include "model/load/load_cut.h"
#include "model/symbols/symbols.h"
#include "render/text/advice.h"
#include "render/text/suspects.h"
#include "render/text/text.h"

#include <string.h>

#define SLICES_MIN 3 /* fewer cannot be judged */

int seep_study_open(struct seep_study *study, const char *path, struct seep_err *err)
{
	return seep_study_open_files(study, &path, 1, NULL, err);
}

int seep_study_open_files(struct seep_study *study, const char *const *paths, size_t n,
			  const struct seep_import_options *options, struct seep_err *err)
{
	const struct seep_study_options plain = { .import = options };

	return seep_study_open_as(study, paths, n, &plain, err);
}

int seep_study_open_as(struct seep_study *study, const char *const *paths, size_t n,
		       const struct seep_study_options *options, struct seep_err *err)
{
	struct seep_reader reader;
	int rc;

	memset(study, 0, sizeof(*study));
	rc = seep_import_open(&reader, paths, n, options->import, err);
	if (rc)
		return rc;
	if (options->at_event && options->at_event != SEEP_STUDY_END) {
		rc = seep_load_cut(&reader, options->at_event, err);
		if (rc) {
			seep_reader_close(&reader);
			return rc;
		}
	}
	seep_arena_init(&study->arena);
	seep_progress_step("reading the trace");
	if (options->at_event == SEEP_STUDY_END)
		seep_load_records_at_end(&study->run, &reader, &study->arena);
	else
		seep_load_records(&study->run, &reader, &study->arena);
	seep_reader_close(&reader);
	study->run.n_files = n;
	study->n_recorded_notes = study->run.n_notes;
	seep_progress_step("judging it");
	study->judge.material_bytes = options->material_bytes;
	seep_judge(&study->verdict, &study->run, &study->judge, &study->arena);
	return 0;
}

void seep_study_close(struct seep_study *study)
{
	if (study->symbols)
		seep_symbols_close(study->symbols);
	seep_arena_release(&study->arena);
}

bool seep_study_is_short(const struct seep_study *study)
{
	const struct seep_run *run = &study->run;

	return !run->n_events || (run->n_events < SLICES_MIN && strcmp(run->event_source, "api"));
}

void seep_study_resolve(struct seep_study *study, size_t first, size_t n)
{
	seep_progress_step("looking up names");
	if (!study->symbols)
		study->symbols = seep_symbols_open(&study->run, &study->arena);
	for (size_t i = first; i < study->verdict.n_sites && i - first < n; i++) {
		size_t index = (size_t)(study->verdict.sites[i].site - study->run.sites);
		struct seep_site *site = &study->run.sites[index];

		seep_symbols_resolve(study->symbols, &site->stack);
		for (size_t j = 0; j < site->n_freed_by; j++)
			seep_symbols_resolve(study->symbols, &site->freed_by[j].stack);
	}
	seep_symbols_note(study->symbols, &study->run);
}

void seep_study_resolve_suspects(struct seep_study *study, size_t most)
{
	size_t n;
	const struct seep_suspect *list = seep_suspect_list(&study->run, &study->verdict,
							    &study->arena, &n);

	for (size_t i = 0; i < n && i < most; i++)
		seep_study_resolve(study, list[i].rank - 1, 1);
}

void seep_study_resolve_text(struct seep_study *study, bool all)
{
	size_t n;
	const size_t *shown = seep_text_pick(&study->verdict, all, &study->arena, &n);

	for (size_t i = 0; i < n; i++)
		seep_study_resolve(study, shown[i], 1);
	seep_study_resolve_suspects(study, all ? study->verdict.n_sites : SEEP_SUSPECTS_SHOWN);
	n = seep_advice_pick(&study->run, &study->verdict, all);
	if (n < study->verdict.n_sites)
		seep_study_resolve(study, n, 1);
}

struct seep_view seep_study_view(struct seep_study *study, FILE *out)
{
	struct seep_view view = {
		.run = &study->run,
		.verdict = &study->verdict,
		.arena = &study->arena,
		.out = out,
		.style = seep_style_of(out),
		.n_recorded_notes = study->n_recorded_notes,
		.self = seep_self(),
	};

	return view;
}
