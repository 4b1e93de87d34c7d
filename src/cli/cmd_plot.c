/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/analysis.h"
#include "cli/common/command.h"
#include "cli/common/inputs.h"
#include "cli/common/options.h"
#include "cli/common/output.h"
#include "cli/common/self.h"
#include "render/plot/plot.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIDE_LEAST 300
#define SIDE_MOST 8000           /* pixels; such a picture takes 256 MB to draw */
#define PIPE_WIDTH 80            /* columns, if there is no terminal */

struct plot_options {
	enum seep_plot_panel only; /* or SEEP_PLOT_PANELS */
	const char *output;      /* NULL: text on standard output */
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

static int set_output(void *field, const char *path, struct seep_err *err)
{
	struct plot_options *options = field;
	size_t n = strlen(path);

	options->output = path;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i].suffix);

		if (n > length && !strcasecmp(path + n - length, kinds[i].suffix)) {
			options->kind = kinds[i].kind;
			return 0;
		}
	}
	if (!strcmp(path, "-"))
		return seep_err_set(err, EINVAL, "-o -: a picture cannot be written to standard "
				    "output; name a file that ends in .png, .svg or .pdf");
	return seep_err_set(err, EINVAL, "'%.200s' is not a valid name for a picture; it must end "
			    "in .png, .svg or .pdf", path);
}

static const char *panel_value(size_t i)
{
	if (i < SEEP_PLOT_PANELS)
		return seep_plot_names[i];
	return i == SEEP_PLOT_PANELS ? "all" : NULL;
}

static int set_panel(void *field, const char *name, struct seep_err *err)
{
	for (size_t i = 0; panel_value(i); i++)
		if (!strcmp(name, panel_value(i))) {
			*(enum seep_plot_panel *)field = (enum seep_plot_panel)i;
			return 0;
		}
	return seep_err_set(err, EINVAL, "--what: there is no panel '%.100s'; choose curve, delta, "
			    "phases, survivors or all", name);
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

static int set_size(void *field, const char *text, struct seep_err *err)
{
	struct plot_options *options = field;
	const char *rest = text;

	if (take_side(text, 'x', &options->width, &rest) &&
	    take_side(rest, 0, &options->height, &rest))
		return 0;
	return seep_err_set(err, EINVAL, "--size: '%.100s' is not a valid size; write it as "
			    "800x600, with %d to %d pixels on each side", text, SIDE_LEAST,
			    SIDE_MOST);
}

#define AT(field) offsetof(struct plot_options, field)

static const struct seep_option option_table[] = {
	{ "output", 'o', "PICTURE", "Write a picture to this file, which ends in .png, .svg or "
	  ".pdf. Default: draw in the terminal.",
	  .set = set_output },
	{ "force", 'f', NULL, "Replace PICTURE if it exists. This is the default.",
	  .set = seep_options_ignore },
	{ "what", 'w', "PANEL",
	  "Draw curve, delta, phases, survivors or all. Default: all that the run has data for.",
	  .at = AT(only), .set = set_panel, .value = panel_value },
	{ "size", 's', "WxH", "Size of the picture in pixels, such as 800x600.",
	  .set = set_size },
	{ "unit", 'u', "UNIT",
	  "Memory unit to assume if FILE does not state one: KiB, kB, MiB, B.",
	  .at = AT(inputs.import.unit_bytes), .set = seep_options_set_unit,
	  .value = seep_options_unit_value },
	{ .name = NULL },
};

static int parse(int argc, char **argv, struct plot_options *options, struct seep_err *err)
{
	struct seep_operands_found found;
	int status = seep_option_table_parse(&seep_command_plot, argc, argv, options, &found, err);

	if (status)
		return status;
	seep_inputs_take(&options->inputs, &found);
	if (options->width > 0 && !options->output) {
		seep_err_set(err, EINVAL, "--size is for pictures; name one with -o FILE");
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

static int plot_analysis(struct seep_analysis *analysis, const struct plot_options *options,
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
		status = plot_analysis(&analysis, &options, err) ? SEEP_STATUS_FAILED : 0;
		seep_analysis_close(&analysis);
	}
	seep_arena_release(&arena);
	return status;
}

const struct seep_command seep_command_plot = {
	.name = "plot",
	.summary = "draw a run: its memory, each event, phases, survivors",
	.operands_text = "[FILE]...",
	.operands = SEEP_OPERANDS_FILES,
	.examples =
		"  seep plot                          the newest trace, in the terminal\n"
		"  seep plot -o run.png               as a picture; also .svg and .pdf\n"
		"  seep plot --what delta run.seep    one panel: what each event added\n",
	.notes = "The exit status is 0, or 125 if the plot failed.\n",
	.options = option_table,
	.run = run_plot,
};
