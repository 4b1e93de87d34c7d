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
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct export_options {
	const struct seep_export_format *format;
	bool list;               /* only the formats are asked for */
	const char *output;      /* NULL: standard output */
	struct seep_inputs inputs;
};

static int list_formats(void)
{
	for (size_t i = 0; i < seep_export_n_formats; i++)
		printf("%-15s %s\n", seep_export_formats[i]->name, seep_export_formats[i]->what);
	return 0;
}

static int take_format(const char *name, struct export_options *options, struct seep_err *err)
{
	options->format = seep_export_find(name);
	if (options->format)
		return 0;
	return seep_err_set(err, EINVAL, "there is no format '%.100s'; %.200s export --to list "
			    "shows those that there are", name, seep_self());
}

static int parse(int argc, char **argv, struct export_options *options, struct seep_err *err)
{
	static const struct option long_options[] = {
		{ "to", required_argument, NULL, 't' },
		{ "output", required_argument, NULL, 'o' },
		{ "unit", required_argument, NULL, 'u' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, ":t:o:u:h", long_options, NULL)) != -1) {
		switch (c) {
		case 't':
			options->list = !strcmp(optarg, "list");
			if (!options->list && take_format(optarg, options, err))
				return SEEP_STATUS_FAILED;
			break;
		case 'o':
			options->output = optarg;
			break;
		case 'u':
			if (seep_options_unit(optarg, &options->inputs.import.unit_bytes, err))
				return SEEP_STATUS_FAILED;
			break;
		case 'h':
			return SEEP_STATUS_HELP;
		default:
			seep_options_refuse(c, argv, long_options, err);
			return SEEP_STATUS_FAILED;
		}
	}
	seep_inputs_take(&options->inputs, argc, argv);
	return 0;
}

/* What can be told before the trace is read. */
static int check_usage(const struct export_options *options, struct seep_err *err)
{
	const struct seep_export_format *format = options->format;

	if (!format)
		return seep_err_set(err, EINVAL, "say which format, such as --to csv; %.200s "
				    "export --to list shows all", seep_self());
	if (format->write_folder && !options->output)
		return seep_err_set(err, EINVAL, "%s is a folder of files: say where with -o "
				    "FOLDER", format->name);
	if (format->binary && !options->output && isatty(STDOUT_FILENO))
		return seep_err_set(err, EINVAL, "%s is not for a terminal: say where with -o "
				    "FILE", format->name);
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
	int rc = seep_output_folder_open(&folder, options->output, err);

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
		return seep_err_set(err, ENODATA, "'%.200s' has no call sites, which %s is made "
				    "of; %.200s run records them", analysis->run.path,
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
	if (!seep_inputs_find(inputs, &arena, err) &&
	    !seep_output_check_inputs(options.output, inputs->paths, inputs->n, err) &&
	    !seep_analysis_open_files(&analysis, inputs->paths, inputs->n, &inputs->import, err)) {
		status = export(&analysis, &options, err) ? SEEP_STATUS_FAILED : 0;
		seep_analysis_close(&analysis);
	}
	seep_arena_release(&arena);
	return status;
}

const struct seep_command seep_command_export = {
	.name = "export",
	.summary = "a run in the form that another program reads",
	.usage = "--to FORMAT [-o PATH] [--unit UNIT] [FILE]...",
	.help =
		"  seep export --to csv > run.csv     of the newest trace in this directory\n"
		"  seep export --to list              which formats there are\n\n"
		"Options:\n"
		"  -t, --to FORMAT   what to make of it\n"
		"  -o, --output PATH where to; a file or folder that is there as a whole or not\n"
		"  -u, --unit UNIT   of memory in a FILE that does not tell: KiB, kB, MiB, B\n\n"
		"The status is 0, or 125 if it could not be done.\n",
	.run = run_export,
};
