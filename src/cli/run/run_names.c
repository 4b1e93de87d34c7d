/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/run_names.h"
#include "os/clock.h"
#include "render/safe.h"

#include <inttypes.h>
#include <stdio.h>

/* Each child may be a large program; those that are left over keep the names that are needed. */
#define CHILDREN_NS 20000000000

void seep_run_names_add(struct seep_stored_names *names, struct seep_analysis *analysis)
{
	struct seep_err err = { 0 };

	seep_analysis_resolve_reported(analysis);
	if (seep_stored_names_add(names, &analysis->run, analysis->symbols, &err) &&
	    !names->failure) /* else the report has a note about it already */
		fprintf(stderr, "seep: %s\n", seep_safe_text(&analysis->arena, err.text));
}

void seep_run_names_store(const char *path)
{
	struct seep_stored_names names;
	struct seep_analysis analysis;
	struct seep_err ignored = { 0 };

	if (seep_stored_names_open(&names, path, &ignored))
		return;
	if (!seep_analysis_open(&analysis, path, &ignored)) {
		seep_run_names_add(&names, &analysis);
		seep_analysis_close(&analysis);
	}
	seep_stored_names_close(&names);
}

void seep_run_names_store_children(const struct seep_run_trace *trace)
{
	int64_t end_ns = seep_clock_mono_ns() + CHILDREN_NS;
	struct seep_run_children children;
	char path[PATH_MAX + 32];

	seep_run_trace_children(trace->path, trace->started_real_ns, &children);
	for (size_t i = 0; i < children.n && i < SEEP_RUN_CHILDREN; i++) {
		if (seep_clock_mono_ns() > end_ns)
			return;
		snprintf(path, sizeof(path), "%s.%" PRIu64, trace->path, children.pids[i]);
		seep_run_names_store(path);
	}
}
