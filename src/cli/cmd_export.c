/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/analysis.h"
#include "cli/common/command.h"
#include "cli/common/inputs.h"
#include "cli/common/options.h"
#include "cli/common/output.h"
#include "cli/common/output_folder.h"
#include "cli/common/self.h"
#include "model/symbols/symbols.h"
#include "render/export/export.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct export_options {
	const struct seep_export_format *format;
	bool list;               /* only list the formats */
	const char *output;      /* NULL: standard output */
	bool force;
	uint64_t at_event;       /* see struct seep_analysis_options */
	struct seep_inputs inputs;
};

static int list_formats(void)
{
	for (size_t i = 0; i < seep_export_n_formats; i++)
		printf("%-15s %s\n", seep_export_formats[i]->name, seep_export_formats[i]->what);
	return 0;
}

static const char *format_value(size_t i)
{
	if (i < seep_export_n_formats)
		return seep_export_formats[i]->name;
	return i == seep_export_n_formats ? "list" : NULL;
}

static int set_format(void *field, const char *value, struct seep_err *err)
{
	struct export_options *options = field;

	options->list = !strcmp(value, "list");
	options->format = seep_export_find(value);
	if (options->format || options->list)
		return 0;
	return seep_err_set(err, EINVAL, "there is no format '%.100s'; %.200s export --to list "
			    "lists them", value, seep_self());
}

#define AT(field) offsetof(struct export_options, field)

static const struct seep_option option_table[] = {
	{ "to", 't', "FORMAT", "The format to write; list shows all of them.",
	  .set = set_format, .value = format_value, .in_usage = true },
	{ "output", 'o', "PATH",
	  "Write to the file or folder PATH, which appears when it is complete. The default, -, is "
	  "standard output.",
	  .at = AT(output), .set = seep_options_set_output },
	{ "force", 'f', NULL, "Replace an existing folder. Files are always replaced.",
	  .at = AT(force) },
	{ "at-event", 0, "N",
	  "Export the run as it was in event N; see seep run --dump-from. 'end' is after the "
	  "program freed its memory at exit.",
	  .at = AT(at_event), .set = seep_options_set_moment },
	{ "unit", 'u', "UNIT",
	  "Memory unit to assume if FILE does not state one: KiB, kB, MiB, B.",
	  .at = AT(inputs.import.unit_bytes), .set = seep_options_set_unit,
	  .value = seep_options_unit_value },
	{ .name = NULL },
};

static int parse(int argc, char **argv, struct export_options *options, struct seep_err *err)
{
	struct seep_operands_found found;
	int status = seep_option_table_parse(&seep_command_export, argc, argv, options, &found,
					     err);

	seep_inputs_take(&options->inputs, &found);
	return status;
}

/* Errors that do not depend on the trace. */
static int check_usage(const struct export_options *options, struct seep_err *err)
{
	const struct seep_export_format *format = options->format;

	if (!format)
		return seep_err_set(err, EINVAL, "name a format, for example --to csv; %.200s "
				    "export --to list lists them", seep_self());
	if (format->write_folder && !options->output)
		return seep_err_set(err, EINVAL, "%s is a folder of files; name it with -o "
				    "FOLDER", format->name);
	if (format->binary && !options->output && isatty(STDOUT_FILENO))
		return seep_err_set(err, EINVAL, "%s cannot be shown in a terminal; name a file "
				    "with -o FILE", format->name);
	return 0;
}

static int write_file(struct seep_view *view, const struct export_options *options,
		      struct seep_err *err)
{
	struct seep_output output;
	int rc = seep_output_open(&output, options->output, err);

	if (rc)
		return rc;
	view->out = output.out;
	rc = options->format->write(view, err);
	return seep_output_settle(&output, rc, err);
}

static int write_folder(struct seep_view *view, const struct export_options *options,
			struct seep_err *err)
{
	struct seep_output_folder folder;
	int rc = seep_output_folder_open(&folder, options->output, options->force, err);

	if (rc)
		return rc;
	rc = options->format->write_folder(view, &folder.files, err);
	if (!rc)
		rc = seep_output_folder_commit(&folder, err);
	if (rc)
		seep_output_folder_abandon(&folder);
	return rc;
}

static int export(struct seep_analysis *analysis, const struct export_options *options,
		  struct seep_err *err)
{
	struct seep_view view = seep_analysis_view(analysis, stdout);

	if (options->format->needs_sites && (!analysis->run.has_heap || !analysis->run.n_sites))
		return seep_err_set(err, ENODATA, "'%.200s' has no call sites, which %s requires; "
				    "%.200s run records them", analysis->run.path,
				    options->format->name, seep_self());
	if (options->format->needs_sites) {
		seep_analysis_resolve(analysis, 0, analysis->verdict.n_sites);
		seep_symbols_locate(analysis->symbols, &analysis->run);
	} else if (options->format->names_sites) {
		seep_analysis_resolve(analysis, 0, options->format->names_sites);
	}
	if (options->format->write_folder)
		return write_folder(&view, options, err);
	if (options->output)
		return write_file(&view, options, err);
	return options->format->write(&view, err);
}

static int run_export(int argc, char **argv, struct seep_err *err)
{
	struct export_options options = { 0 };
	struct seep_inputs *inputs = &options.inputs;
	struct seep_analysis_options how = { .import = &inputs->import };
	struct seep_arena arena;
	struct seep_analysis analysis;
	int status = parse(argc, argv, &options, err);

	if (status)
		return status;
	if (options.list)
		return list_formats();
	if (check_usage(&options, err))
		return SEEP_STATUS_FAILED;
	seep_arena_init(&arena);
	status = SEEP_STATUS_FAILED;
	how.at_event = options.at_event;
	if (!seep_inputs_find(inputs, &arena, err) &&
	    !seep_output_check_inputs(options.output, inputs->paths, inputs->n, err) &&
	    !seep_analysis_open_as(&analysis, inputs->paths, inputs->n, &how, err)) {
		status = export(&analysis, &options, err) ? SEEP_STATUS_FAILED : 0;
		seep_analysis_close(&analysis);
	}
	seep_arena_release(&arena);
	return status;
}

const struct seep_command seep_command_export = {
	.name = "export",
	.summary = "convert a run to another program's format",
	.operands_text = "[FILE]...",
	.operands = SEEP_OPERANDS_FILES,
	.examples =
		"  seep export --to csv > run.csv     the newest trace in this directory\n"
		"  seep export --to list              all formats\n",
	.notes = "The exit status is 0, or 125 if the export failed.\n",
	.options = option_table,
	.run = run_export,
};
