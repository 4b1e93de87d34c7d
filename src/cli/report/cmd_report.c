/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/analysis.h"
#include "cli/common/command.h"
#include "cli/report/filter.h"
#include "cli/common/inputs.h"
#include "cli/common/options.h"
#include "cli/common/progress.h"
#include "cli/report/source_lines.h"
#include "cli/run/run_follow.h"
#include "render/json/json.h"
#include "render/text/site.h"
#include "render/text/stamp_tables.h"
#include "render/text/suspects.h"
#include "render/text/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* From here on a line on the terminal says what takes so long. */
#define PROGRESS_AFTER_MS 1000

/* Sites that one command shows in full, if more match. */
#define PAGES_MOST 3

/* Which sites --site asks for; neither: the whole report. */
struct site_choice {
	size_t rank;             /* 0: none */
	const char *pattern;     /* NULL: none */
};

struct report_options {
	bool json;
	bool all;
	bool explain;
	bool stamps;
	bool no_source;
	struct site_choice site;
	struct seep_filter filter;
	uint64_t at_event;       /* see struct seep_analysis_options */
	double material_bytes;   /* 0: the default */
	struct seep_inputs inputs;
};

/* Digits alone are a rank. */
static int set_site(void *field, const char *value, struct seep_err *err)
{
	struct site_choice *choice = field;

	*choice = (struct site_choice){ .rank = 0 };
	if (*value && !value[strspn(value, "0123456789")])
		return seep_options_count(value, "site number", &choice->rank, err);
	if (!*value)
		return seep_err_set(err, EINVAL, "--site needs the number of a site or a regular "
				    "expression");
	choice->pattern = value;
	return 0;
}

#define AT(field) offsetof(struct report_options, field)

static const struct seep_option option_table[] = {
	{ "json", 'j', NULL, "Print JSON. Bytes, seconds and events are plain numbers.",
	  .at = AT(json) },
	{ "all", 'a', NULL, "Show every site, including those that do not grow.", .at = AT(all) },
	{ "explain", 'e', NULL, "Show step by step how the verdict was reached.",
	  .at = AT(explain) },
	{ "site", 's', "SITE",
	  "Show one site in full: its number, or a regular expression for its function or place. "
	  "With --json as one object.",
	  .at = AT(site), .set = set_site },
	{ "focus", 0, "REGEX",
	  "List only sites with a matching function or place in their call stack.",
	  .at = AT(filter.focus) },
	{ "ignore", 0, "REGEX", "Leave out sites with a matching function or place.",
	  .at = AT(filter.ignore) },
	{ "module", 0, "MODULE", "List only sites in this program or library.",
	  .at = AT(filter.module) },
	{ "phase", 0, "STAMP", "List only sites that allocate after this stamp.",
	  .at = AT(filter.phase) },
	{ "no-source", 0, NULL, "Do not show source code with --site.", .at = AT(no_source) },
	{ "material", 0, "SIZE",
	  "Minimum size at which memory that a site keeps only occasionally counts as a leak. "
	  "Default: a small fraction of the live heap.",
	  .at = AT(material_bytes), .set = seep_options_set_material },
	{ "at-event", 0, "N",
	  "Show the run as it was in event N; see seep run --dump-from. 'end' is after the "
	  "program freed its memory at exit.",
	  .at = AT(at_event), .set = seep_options_set_moment },
	{ "stamps", 't', NULL, "Show what was measured at each stamp, with a straight-line fit.",
	  .at = AT(stamps) },
	{ "unit", 'u', "UNIT",
	  "Memory unit to assume if a file does not state one: KiB, kB, MiB, B.",
	  .at = AT(inputs.import.unit_bytes), .set = seep_options_set_unit,
	  .value = seep_options_unit_value },
	{ .name = NULL },
};

static int parse(int argc, char **argv, struct report_options *options, struct seep_err *err)
{
	struct seep_operands_found found;
	int status = seep_option_table_parse(&seep_command_report, argc, argv, options, &found,
					     err);

	seep_inputs_take(&options->inputs, &found);
	return status;
}

static void note_children(const struct seep_view *view, const struct seep_run_follow *follow)
{
	const char *note;

	if (!follow->n)
		return;
	note = seep_arena_printf(view->arena, "%zu process%s that it started %s of %s own: %s "
				 "report %s", follow->n, follow->n == 1 ? "" : "es",
				 follow->n == 1 ? "has a trace" : "have traces",
				 follow->n == 1 ? "its" : "their", view->self,
				 follow->programs[0].trace);
	seep_view_wrap(view, "  note    ", note);
}

/* Where the program only started others, what is to be seen is in their traces. */
static void show_text(struct seep_analysis *analysis, const struct seep_view *view,
		      const struct report_options *options)
{
	struct seep_run_follow follow;
	const char *elsewhere = NULL;

	seep_run_follow_judge(&follow, analysis->run.path, analysis->run.started_real_ns,
			      analysis->judge.material_bytes);
	seep_analysis_resolve_text(analysis, options->all);
	seep_progress_end();
	seep_text_evidence(view, options->all);
	if (options->explain)
		seep_text_reasoning(view);
	note_children(view, &follow);
	if (!seep_text_has_accused(view))
		elsewhere = seep_run_follow_next(&follow, seep_analysis_is_short(analysis));
	if (elsewhere)
		fprintf(view->out, "%s\n", elsewhere);
	else
		seep_text_next(view, options->all);
	seep_run_follow_release(&follow);
}

static bool is_filtered(const struct seep_filter *filter)
{
	return filter->focus || filter->ignore || filter->module || filter->phase;
}

/* A saved report has what it shows, and no more. */
static int check_saved(const struct seep_analysis *analysis, const struct report_options *options,
		       struct seep_err *err)
{
	bool site = options->site.rank || options->site.pattern;
	const char *option = options->stamps ? "--stamps" : options->explain ? "--explain"
			     : !options->json ? NULL : site ? "--json with --site"
			     : is_filtered(&options->filter) ? "--json with a filter" : NULL;

	if (!analysis->json || !option)
		return 0;
	return seep_err_set(err, EINVAL, "%s: a saved report and not a trace; %s needs the trace",
			    analysis->run.path, option);
}

static void show_page(struct seep_analysis *analysis, struct seep_view *view,
		      const struct report_options *options, size_t rank)
{
	const struct seep_stack *stack;

	seep_analysis_resolve(analysis, rank - 1, 1);
	seep_progress_end();
	if (options->json) {
		seep_json_site(view->out, view->run, view->verdict, rank);
		return;
	}
	stack = &view->verdict->sites[rank - 1].site->stack;
	view->excerpt = options->no_source ? NULL
			: seep_source_lines_read(view->run, seep_view_own_frame(stack),
						 view->arena);
	seep_site_page(view, rank);
}

/* Several pages, or if there are too many, the list of the sites. */
static int show_matching(struct seep_analysis *analysis, struct seep_view *view,
			 const struct report_options *options, struct seep_err *err)
{
	const struct seep_verdict *verdict = &analysis->verdict;
	bool *hidden, first = true;
	size_t n;

	if (seep_filter_find(options->site.pattern, analysis, &hidden, &n, err))
		return SEEP_STATUS_FAILED;
	if (options->json && n > 1) {
		seep_err_set(err, EINVAL, "%zu sites match '%.200s'; with --json, use the number "
			     "of one, or --focus", n, options->site.pattern);
		return SEEP_STATUS_FAILED;
	}
	for (size_t i = 0; i < verdict->n_sites && n <= PAGES_MOST; i++) {
		if (hidden[i])
			continue;
		if (!first)
			fputc('\n', view->out);
		show_page(analysis, view, options, i + 1);
		first = false;
	}
	if (n <= PAGES_MOST)
		return 0;
	view->hidden = hidden;
	seep_progress_end();
	fprintf(view->out, "%zu sites match; show one with --site N\n", n);
	seep_text_sites(view, true);
	return 0;
}

static int show_site(struct seep_analysis *analysis, struct seep_view *view,
		     const struct report_options *options, struct seep_err *err)
{
	size_t rank = options->site.rank;

	if (options->site.pattern)
		return show_matching(analysis, view, options, err);
	if (rank > analysis->verdict.n_sites) {
		seep_err_set(err, EINVAL, "there is no site %zu; the trace has %zu", rank,
			     analysis->verdict.n_sites);
		return SEEP_STATUS_FAILED;
	}
	show_page(analysis, view, options, rank);
	return 0;
}

static void show_json(struct seep_analysis *analysis, const struct seep_view *view,
		      const struct report_options *options)
{
	size_t n = seep_analysis_json_sites(analysis, view->hidden, options->all);

	if (analysis->json) {
		fputs(analysis->json, view->out);
		return;
	}
	seep_analysis_resolve(analysis, 0, n);
	seep_analysis_resolve_suspects(analysis, SEEP_SUSPECTS_JSON);
	seep_progress_end();
	seep_json_report(view, n);
}

static int show(struct seep_analysis *analysis, const struct report_options *options,
		struct seep_err *err)
{
	struct seep_view view = seep_analysis_view(analysis, stdout);
	bool *hidden;

	if (check_saved(analysis, options, err))
		return SEEP_STATUS_FAILED;
	if (options->site.rank || options->site.pattern)
		return show_site(analysis, &view, options, err);
	if (seep_filter_apply(&options->filter, analysis, &hidden, &view.hidden_by, err))
		return SEEP_STATUS_FAILED;
	view.hidden = hidden;
	if (options->stamps) {
		seep_progress_end();
		seep_stamp_tables_page(&view);
	} else if (options->json) {
		show_json(analysis, &view, options);
	} else {
		show_text(analysis, &view, options);
	}
	return 0;
}

static int run_report(int argc, char **argv, struct seep_err *err)
{
	struct report_options options = { 0 };
	struct seep_inputs *inputs = &options.inputs;
	struct seep_analysis_options how = { .import = &inputs->import, .saved = true };
	struct seep_arena arena;
	struct seep_analysis analysis;
	int status = parse(argc, argv, &options, err);

	if (status)
		return status;
	seep_arena_init(&arena);
	status = SEEP_STATUS_FAILED;
	if (!seep_inputs_find(inputs, &arena, err)) {
		if (inputs->newest && isatty(STDOUT_FILENO))
			fprintf(stderr, "seep: %s\n", inputs->newest);
		if (isatty(STDERR_FILENO))
			seep_progress_start(STDERR_FILENO, PROGRESS_AFTER_MS);
		how.at_event = options.at_event;
		how.material_bytes = options.material_bytes;
		if (!seep_analysis_open_as(&analysis, inputs->paths, inputs->n, &how, err)) {
			status = show(&analysis, &options, err);
			seep_analysis_close(&analysis);
		}
	}
	seep_progress_end();
	seep_arena_release(&arena);
	return status;
}

const struct seep_command seep_command_report = {
	.name = "report",
	.summary = "show the verdict on a run and the evidence for it",
	.operands_text = "[FILE]...",
	.operands = SEEP_OPERANDS_FILES,
	.examples =
		"  seep report                   the newest trace in this directory\n"
		"  seep report --site 1          who allocates there, who frees, what survives\n"
		"  seep report --focus parse     only sites with such a function in their stack\n"
		"  seep report --json | jq .verdict\n"
		"  seep report SProf.txt         a file that another program wrote\n"
		"  seep report jeprof.*.heap     several dumps as one series\n\n"
		"FILE may also come from Opticks (SProf.txt, run_meta.txt, .npy), prmon, mprof,\n"
		"psrecord, jemalloc, gperftools, pprof, heaptrack or massif. Every command that\n"
		"takes a FILE reads these formats.\n",
	.notes =
		"The exit status is 0 whatever the verdict is, 125 if there is no trace to read.\n",
	.options = option_table,
	.run = run_report,
};
