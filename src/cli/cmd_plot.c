/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/analysis.h"
#include "cli/common/command.h"
#include "cli/common/inputs.h"
#include "cli/common/options.h"
#include "cli/common/output.h"
#include "cli/common/self.h"
#include "render/plot/plot.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIDE_LEAST 300
#define SIDE_MOST 8000           /* pixels; such a picture takes 256 MB to draw */
#define PIPE_WIDTH 80            /* columns, where there is no terminal to ask */

struct plot_options {
	enum seep_plot_panel only; /* or SEEP_PLOT_PANELS */
	const char *output;      /* NULL: letters on standard output */
	enum seep_canvas_kind kind;
	double width, height;    /* 0: not given */
	struct seep_inputs inputs;
};

static const struct {
	const char *suffix;
	enum seep_canvas_kind kind;
} kinds[] = {
	{ ".png", SEEP_CANVAS_PNG },
	{ ".svg", SEEP_CANVAS_SVG },
	{ ".pdf", SEEP_CANVAS_PDF },
};

static int take_output(const char *path, struct plot_options *options, struct seep_err *err)
{
	size_t n = strlen(path);

	options->output = path;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i].suffix);

		if (n > length && !strcasecmp(path + n - length, kinds[i].suffix)) {
			options->kind = kinds[i].kind;
			return 0;
		}
	}
	return seep_err_set(err, EINVAL, "'%.200s' is no name for a picture: it must end in .png, "
			    ".svg or .pdf", path);
}

static int take_panel(const char *name, struct plot_options *options, struct seep_err *err)
{
	options->only = SEEP_PLOT_PANELS;
	if (!strcmp(name, "all"))
		return 0;
	for (size_t i = 0; i < SEEP_PLOT_PANELS; i++)
		if (!strcmp(name, seep_plot_names[i])) {
			options->only = (enum seep_plot_panel)i;
			return 0;
		}
	return seep_err_set(err, EINVAL, "--what: there is no '%.100s'; there are curve, delta, "
			    "phases, survivors and all", name);
}

/* A whole number of pixels up to the end, a letter. */
static bool take_side(const char *text, char end, double *pixels, const char **rest)
{
	char *behind;
	unsigned long value;

	if (*text < '0' || *text > '9')
		return false;
	value = strtoul(text, &behind, 10);
	*pixels = (double)value;
	*rest = behind + 1;
	return *behind == end && value >= SIDE_LEAST && value <= SIDE_MOST;
}

static int take_size(const char *text, struct plot_options *options, struct seep_err *err)
{
	const char *rest = text;

	if (take_side(text, 'x', &options->width, &rest) &&
	    take_side(rest, 0, &options->height, &rest))
		return 0;
	return seep_err_set(err, EINVAL, "--size: '%.100s' is no size; write it as 800x600, with "
			    "%d to %d pixels on each side", text, SIDE_LEAST, SIDE_MOST);
}

static int take_option(int c, char **argv, const struct option *known,
		       struct plot_options *options, struct seep_err *err)
{
	switch (c) {
	case 'o':
		return take_output(optarg, options, err);
	case 'w':
		return take_panel(optarg, options, err);
	case 's':
		return take_size(optarg, options, err);
	case 'u':
		return seep_options_unit(optarg, &options->inputs.import.unit_bytes, err);
	default:
		return seep_options_refuse(c, argv, known, err);
	}
}

static int parse(int argc, char **argv, struct plot_options *options, struct seep_err *err)
{
	static const struct option long_options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "what", required_argument, NULL, 'w' },
		{ "size", required_argument, NULL, 's' },
		{ "unit", required_argument, NULL, 'u' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, ":o:w:s:u:h", long_options, NULL)) != -1) {
		if (c == 'h')
			return SEEP_STATUS_HELP;
		if (take_option(c, argv, long_options, options, err))
			return SEEP_STATUS_FAILED;
	}
	seep_inputs_take(&options->inputs, argc, argv);
	if (options->width > 0 && !options->output) {
		seep_err_set(err, EINVAL, "--size is for pictures: say where with -o FILE");
		return SEEP_STATUS_FAILED;
	}
	return 0;
}

static int write_picture(struct seep_plot *plot, struct seep_view *view,
			 const struct plot_options *options, struct seep_err *err)
{
	struct seep_output output;
	int rc = seep_output_open(&output, options->output, err);

	if (rc)
		return rc;
	view->out = output.out;
	rc = seep_plot_picture(plot, options->kind, options->width, options->height, err);
	return seep_output_settle(&output, rc, err);
}

static int plot_study(struct seep_analysis *analysis, const struct plot_options *options,
		      struct seep_err *err)
{
	struct seep_view view;
	struct seep_plot plot;
	const size_t *sites;
	size_t n;
	int rc;

	sites = seep_plot_pick(&analysis->verdict, &analysis->arena, &n);
	for (size_t i = 0; i < n; i++)
		seep_analysis_resolve(analysis, sites[i], 1);
	view = seep_analysis_view(analysis, stdout);
	if (!isatty(STDOUT_FILENO))
		view.style.width = PIPE_WIDTH;
	rc = seep_plot_build(&plot, &view, options->only, err);
	if (rc)
		return rc;
	if (options->output)
		return write_picture(&plot, &view, options, err);
	seep_plot_print(&plot);
	return 0;
}

static int run_plot(int argc, char **argv, struct seep_err *err)
{
	struct plot_options options = { .only = SEEP_PLOT_PANELS };
	struct seep_inputs *inputs = &options.inputs;
	struct seep_arena arena;
	struct seep_analysis analysis;
	int status = parse(argc, argv, &options, err);

	if (status)
		return status;
	if (options.output && seep_output_check(options.output, err))
		return SEEP_STATUS_FAILED;
	seep_arena_init(&arena);
	status = SEEP_STATUS_FAILED;
	if (!seep_inputs_find(inputs, &arena, err) &&
	    !seep_output_check_inputs(options.output, inputs->paths, inputs->n, err) &&
	    !seep_analysis_open_files(&analysis, inputs->paths, inputs->n, &inputs->import, err)) {
		status = plot_study(&analysis, &options, err) ? SEEP_STATUS_FAILED : 0;
		seep_analysis_close(&analysis);
	}
	seep_arena_release(&arena);
	return status;
}

const struct seep_command seep_command_plot = {
	.name = "plot",
	.summary = "pictures of a run: its memory, each event, phases, survivors",
	.usage = "[-o PICTURE] [--what PANEL] [--size WxH] [--unit UNIT] [FILE]...",
	.help =
		"  seep plot                          the newest trace, in the terminal\n"
		"  seep plot -o run.png               as a picture; also .svg and .pdf\n"
		"  seep plot --what delta run.seep    one panel: what each event added\n\n"
		"Options:\n"
		"  -o, --output PICTURE  where to; the name tells which kind\n"
		"  -w, --what PANEL      curve, delta, phases, survivors or all (as far as the\n"
		"                        run has something to show)\n"
		"  -s, --size WxH        in pixels, such as 800x600\n"
		"  -u, --unit UNIT       of memory in a FILE that does not tell, such as KiB\n\n"
		"The status is 0, or 125 if it could not be done.\n",
	.run = run_plot,
};
