/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/analysis.h"
#include "cli/common/command.h"
#include "cli/common/graphviz.h"
#include "cli/common/options.h"
#include "cli/common/output.h"
#include "cli/common/self.h"
#include "import/import.h"
#include "model/symbols/symbols.h"
#include "render/text/diff.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum form {
	FORM_TEXT,
	FORM_JSON,
	FORM_DOT,
	FORM_SVG,
};

struct diff_options {
	enum form form;
	bool all;
	bool live;
	const char *output;      /* NULL: standard output */
	const char *before, *after;
	struct seep_import_options import;
};

static const char *const form_names[] = {
	[FORM_TEXT] = "text", [FORM_JSON] = "json", [FORM_DOT] = "dot", [FORM_SVG] = "svg", NULL,
};

static const char *form_value(size_t i)
{
	return form_names[i];
}

static int set_form(void *field, const char *value, struct seep_err *err)
{
	for (size_t i = 0; form_names[i]; i++)
		if (!strcmp(value, form_names[i])) {
			*(enum form *)field = (enum form)i;
			return 0;
		}
	return seep_err_set(err, EINVAL, "--to: there is no output format '%.100s'; choose text, "
			    "json, dot or svg", value);
}

static int set_json(void *field, const char *value, struct seep_err *err)
{
	(void)value;
	(void)err;
	*(enum form *)field = FORM_JSON;
	return 0;
}

#define AT(field) offsetof(struct diff_options, field)

static const struct seep_option option_table[] = {
	{ "json", 'j', NULL, "Print JSON; the same as --to json.",
	  .at = AT(form), .set = set_json },
	{ "all", 'a', NULL, "Also show what did not change.", .at = AT(all) },
	{ "live", 'l', NULL, "Compare the memory that is live at the end instead of the growth "
	  "rates.",
	  .at = AT(live) },
	{ "to", 't', "FORMAT", "text, json, dot or svg. dot and svg draw a call graph of the live "
	  "memory.",
	  .at = AT(form), .set = set_form, .value = form_value },
	{ "output", 'o', "FILE",
	  "Write to FILE, which appears when it is complete. The default, -, is standard output.",
	  .at = AT(output), .set = seep_options_set_output },
	{ "force", 'f', NULL, "Replace FILE if it exists. This is the default.",
	  .set = seep_options_ignore },
	{ "unit", 'u', "UNIT",
	  "Memory unit to assume if a file does not state one: KiB, kB, MiB, B.",
	  .at = AT(import.unit_bytes), .set = seep_options_set_unit,
	  .value = seep_options_unit_value },
	{ .name = NULL },
};

static int parse(int argc, char **argv, struct diff_options *options, struct seep_err *err)
{
	struct seep_operands_found found;
	int status = seep_option_table_parse(&seep_command_diff, argc, argv, options, &found, err);

	if (status)
		return status;
	if (found.n != 2) {
		seep_err_set(err, EINVAL, "seep diff takes two files, but %zu %s given; for "
			     "example: %.200s diff before.seep after.seep", found.n,
			     found.n == 1 ? "was" : "were", seep_self());
		return SEEP_STATUS_FAILED;
	}
	options->before = found.words[0];
	options->after = found.words[1];
	return 0;
}

static bool is_graph(const struct diff_options *options)
{
	return options->form == FORM_DOT || options->form == FORM_SVG;
}

static int write_svg(struct seep_diff *diff, struct seep_view *view, struct seep_err *err)
{
	FILE *out = view->out, *graph = tmpfile();
	int rc;

	if (!graph)
		return seep_err_set(err, errno, "no temporary file could be created: %s",
				    strerror(errno));
	view->out = graph;
	seep_diff_dot(diff);
	view->out = out;
	rc = seep_graphviz_svg(graph, out, err);
	fclose(graph);
	return rc;
}

/* view is that of the run after, which the diff prints to. */
static int write_form(struct seep_diff *diff, struct seep_view *view, enum form form,
		      struct seep_err *err)
{
	switch (form) {
	case FORM_TEXT:
		seep_diff_text(diff);
		return 0;
	case FORM_JSON:
		seep_diff_json(diff);
		return 0;
	case FORM_DOT:
		seep_diff_dot(diff);
		return 0;
	case FORM_SVG:
		return write_svg(diff, view, err);
	}
	return 0;
}

static int write_file(struct seep_diff *diff, struct seep_view *view,
		      const struct diff_options *options, struct seep_err *err)
{
	struct seep_output output;
	int rc = seep_output_open(&output, options->output, err);

	if (rc)
		return rc;
	view->out = output.out;
	view->style = seep_style_of(output.out);
	rc = write_form(diff, view, options->form, err);
	return seep_output_settle(&output, rc, err);
}

/* Where blocks were allocated; who freed them is not compared. */
static void name_sites(struct seep_analysis *analysis)
{
	seep_analysis_resolve(analysis, 0, 0);
	for (size_t i = 0; i < analysis->run.n_sites; i++)
		seep_symbols_resolve(analysis->symbols, &analysis->run.sites[i].stack);
	seep_symbols_note(analysis->symbols, &analysis->run);
}

static int compare(struct seep_analysis *before, struct seep_analysis *after,
		   const struct diff_options *options, struct seep_err *err)
{
	struct seep_view views[] = { seep_analysis_view(before, stdout),
				     seep_analysis_view(after, stdout) };
	struct seep_compare_side sides[] = {
		{ &before->run, &before->verdict, before->json },
		{ &after->run, &after->verdict, after->json },
	};
	struct seep_compare comparison;
	struct seep_calls calls;
	struct seep_diff diff = { &views[0], &views[1], &comparison, NULL, options->all };
	bool alive = before->run.has_heap && after->run.has_heap;

	if ((is_graph(options) || options->live) && !alive)
		return seep_err_set(err, ENODATA, "'%.200s' does not record live memory by site; "
				    "traces from %.200s run and heap profiles do",
				    before->run.has_heap ? after->run.path : before->run.path,
				    seep_self());
	name_sites(before);
	name_sites(after);
	seep_compare_runs(&comparison, &sides[0], &sides[1], options->live || is_graph(options),
			  &after->arena);
	if (alive && (comparison.live || options->form == FORM_JSON)) {
		seep_calls_compare(&calls, &sides[0], &sides[1], &after->arena);
		diff.calls = &calls;
	}
	return options->output ? write_file(&diff, &views[1], options, err)
			       : write_form(&diff, &views[1], options->form, err);
}

static int run_diff(int argc, char **argv, struct seep_err *err)
{
	struct diff_options options = { 0 };
	const struct seep_analysis_options how = { .import = &options.import, .saved = true };
	struct seep_analysis before, after;
	int status = parse(argc, argv, &options, err);

	if (status)
		return status;
	if (options.output &&
	    (seep_output_check(options.output, err) ||
	     seep_output_check_inputs(options.output, &options.before, 1, err) ||
	     seep_output_check_inputs(options.output, &options.after, 1, err)))
		return SEEP_STATUS_FAILED;
	if (seep_analysis_open_as(&before, &options.before, 1, &how, err))
		return SEEP_STATUS_FAILED;
	status = SEEP_STATUS_FAILED;
	if (!seep_analysis_open_as(&after, &options.after, 1, &how, err)) {
		if (!compare(&before, &after, &options, err))
			status = 0;
		seep_analysis_close(&after);
	}
	seep_analysis_close(&before);
	return status;
}

const struct seep_command seep_command_diff = {
	.name = "diff",
	.summary = "show what changed between two runs or heap profiles",
	.operands_text = "BEFORE AFTER",
	.operands = SEEP_OPERANDS_FILES,
	.examples =
		"  seep diff before.seep after.seep           did the fix work?\n"
		"  seep diff first.heap second.heap           like jeprof --base: what is alive\n"
		"  seep diff --to svg -o x.svg a.heap b.heap  as a call graph\n",
	.notes =
		"The exit status is 0 whatever changed, 125 on failure. For a gate in CI use\n"
		"seep check --baseline.\n",
	.options = option_table,
	.run = run_diff,
};
