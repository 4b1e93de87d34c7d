/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a report that was saved as JSON: read back, shown, and compared with itself. */
#include "analyse/compare/compare.h"
#include "render/json/json_read.h"
#include "render/text/site.h"
#include "render/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void demand(bool truth)
{
	if (!truth)
		abort();
}

static void look_at(const struct seep_run *run, const struct seep_verdict *verdict)
{
	demand(run->names && run->n_notes && run->saved);
	demand(seep_run_marked(run) >= 0);
	for (size_t i = 0; i < verdict->n_sites; i++) {
		const struct seep_site *site = verdict->sites[i].site;
		const struct seep_estimate *rate = &verdict->sites[i].bytes_per_event;

		demand(site->after_stamp < run->n_names && site->stack.n_frames);
		demand(site->stack.own_frame < site->stack.n_frames);
		demand(site->cohorts.n_bins <= SEEP_TRACE_COHORT_BINS);
		demand(!rate->known || (rate->low <= rate->value && rate->value <= rate->high));
	}
	for (size_t i = 0; i < verdict->n_drivers; i++)
		demand(verdict->drivers[i].counter < run->n_counters);
}

static void show(const struct seep_run *run, const struct seep_verdict *verdict,
		 struct seep_arena *arena)
{
	static FILE *nowhere;
	struct seep_view view = { .run = run, .verdict = verdict, .arena = arena,
				  .self = "seep" };

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	demand(nowhere);
	view.out = nowhere;
	view.style = seep_style_of(nowhere);
	seep_text_report(&view, true);
	if (verdict->n_sites)
		seep_site_page(&view, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct seep_compare_side side = { .no_builds = true };
	struct seep_compare comparison;
	struct seep_err err = { 0 };
	struct seep_verdict verdict;
	struct seep_arena arena;
	struct seep_run run;

	seep_arena_init(&arena);
	if (seep_json_read(&run, &verdict, "fuzz", (const char *)data, bytes, &arena, &err)) {
		demand(err.code && err.text[0]);
	} else {
		look_at(&run, &verdict);
		show(&run, &verdict, &arena);
		side.run = &run;
		side.verdict = &verdict;
		seep_compare_runs(&comparison, &side, &side, false, &arena);
		seep_compare_runs(&comparison, &side, &side, true, &arena);
	}
	seep_arena_release(&arena);
	return 0;
}
