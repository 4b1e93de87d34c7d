/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/common/analysis.h"
#include "cli/common/command.h"
#include "cli/common/inputs.h"
#include "cli/common/options.h"
#include "cli/common/progress.h"
#include "cli/run/run_follow.h"
#include "render/json/json.h"
#include "render/text/site.h"
#include "render/text/stamp_tables.h"
#include "render/text/suspects.h"
#include "render/text/text.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Sites in the JSON unless all are asked for, or more are accused. */
#define JSON_SITES 50
/* ... and at most; a report of 10^5 sites would have 340 MB, and nobody could read it. */
#define JSON_SITES_MOST 5000
/* From here on a line on the terminal says what takes so long. */
#define PROGRESS_AFTER_MS 1000

struct report_options {
	bool json;
	bool all;
	bool explain;
	bool stamps;
	size_t site;             /* 0: the whole report */
	uint64_t at_event;       /* see struct seep_analysis_options */
	double material_bytes;   /* 0: the default */
	struct seep_inputs inputs;
};

static int parse_moment(const char *text, uint64_t *at_event, struct seep_err *err)
{
	size_t number = 0;

	*at_event = SEEP_ANALYSIS_END;
	if (!strcmp(text, "end"))
		return 0;
	if (seep_options_count(text, "number of an event", &number, err))
		return SEEP_STATUS_FAILED;
	*at_event = number;
	return 0;
}

static int parse(int argc, char **argv, struct report_options *options, struct seep_err *err)
{
	static const struct option long_options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "site", required_argument, NULL, 's' },
		{ "all", no_argument, NULL, 'a' },
		{ "explain", no_argument, NULL, 'e' },
		{ "stamps", no_argument, NULL, 't' },
		{ "unit", required_argument, NULL, 'u' },
		{ "at-event", required_argument, NULL, 'E' },
		{ "material", required_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, ":jaes:tu:h", long_options, NULL)) != -1) {
		switch (c) {
		case 'j':
			options->json = true;
			break;
		case 'a':
			options->all = true;
			break;
		case 'e':
			options->explain = true;
			break;
		case 's':
			if (seep_options_count(optarg, "site", &options->site, err))
				return SEEP_STATUS_FAILED;
			break;
		case 'E':
			if (parse_moment(optarg, &options->at_event, err))
				return SEEP_STATUS_FAILED;
			break;
		case 'm':
			if (seep_options_material(optarg, &options->material_bytes, err))
				return SEEP_STATUS_FAILED;
			break;
		case 't':
			options->stamps = true;
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

/* The accused ones, and some others to compare them with. */
static size_t count_json_sites(const struct seep_verdict *verdict, bool all)
{
	size_t n = verdict->n_sites;

	if (n > JSON_SITES_MOST)
		n = JSON_SITES_MOST;
	while (!all && n > JSON_SITES && !seep_view_is_accused(&verdict->sites[n - 1]))
		n--;
	return n;
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

static int show(struct seep_analysis *analysis, const struct report_options *options,
		struct seep_err *err)
{
	struct seep_view view = seep_analysis_view(analysis, stdout);
	size_t n;

	if (options->site > analysis->verdict.n_sites) {
		seep_err_set(err, EINVAL, "there is no site %zu; the trace has %zu", options->site,
			     analysis->verdict.n_sites);
		return SEEP_STATUS_FAILED;
	}
	if (options->site)
		seep_analysis_resolve(analysis, options->site - 1, 1);
	if (options->site || options->stamps)
		seep_progress_end();
	if (options->json && options->site) {
		seep_json_site(stdout, &analysis->run, &analysis->verdict, options->site);
	} else if (options->json) {
		n = count_json_sites(&analysis->verdict, options->all);
		seep_analysis_resolve(analysis, 0, n);
		seep_analysis_resolve_suspects(analysis, SEEP_SUSPECTS_JSON);
		seep_progress_end();
		seep_json_report(&view, n);
	} else if (options->site) {
		seep_site_page(&view, options->site);
	} else if (options->stamps) {
		seep_stamp_tables_page(&view);
	} else {
		show_text(analysis, &view, options);
	}
	return 0;
}

static int run_report(int argc, char **argv, struct seep_err *err)
{
	struct report_options options = { 0 };
	struct seep_inputs *inputs = &options.inputs;
	struct seep_analysis_options how = { .import = &inputs->import };
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
	.summary = "the verdict on a run, and the evidence for it",
	.usage = "[--json] [--all] [--explain] [--site N] [--stamps] [--material SIZE]\n"
		 "              [--unit UNIT] [FILE...]",
	.help =
		"  seep report                   of the newest trace in this directory\n"
		"  seep report --site 1          who allocates there, who frees, what survives\n"
		"  seep report --json | jq .verdict\n"
		"  seep report SProf.txt         of a file that another program wrote\n"
		"  seep report jeprof.*.heap     of dumps, as one series\n\n"
		"Other programs are: Opticks (SProf.txt, run_meta.txt, .npy), prmon, mprof,\n"
		"psrecord, jemalloc, gperftools, pprof, heaptrack, massif.  Every command with\n"
		"FILE reads these.\n\n"
		"Options:\n"
		"  -j, --json      for machines; bytes, seconds and events as plain numbers\n"
		"  -a, --all       every site, also those that do not grow\n"
		"  -e, --explain   how the verdict was reached, step by step\n"
		"  -s, --site N    one site in full, by its number in the report\n"
		"                  with --json as one object\n"
		"  --material SIZE what is kept now and then counts from this size on\n"
		"                  (default: a small part of the live heap)\n"
		"  --at-event N    the run as it was in its Nth event; see seep run --dump-from\n"
		"                  'end': after the program freed its memory at the end, too\n"
		"  -t, --stamps    what was measured at each stamp, and a plain line fit\n"
		"  -u, --unit UNIT of memory in a file that does not tell: KiB, kB, MiB, B\n\n"
		"The status is 0 whatever the verdict is, 125 if there is no trace to read.\n",
	.run = run_report,
};
